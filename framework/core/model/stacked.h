// Two batches of sentences as one.
#pragma once

#include "framework/core/model/batch.h"

namespace lvtext {

/// The sentences of `first` [A, T], followed by those of `second` [B, U]: [A + B, max(T, U)],
/// padded with 0.
Tokens stacked(const Tokens& first, const Tokens& second);

}  // namespace lvtext
