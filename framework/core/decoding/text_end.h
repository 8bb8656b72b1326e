// How texts of a model end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/core/model/capabilities.h"

namespace lvtext {

/// Ids that end a text and are not part of it, and ids that are never chosen; both ascending.
struct TextEnd {
  std::vector<int32_t> ids, excluded;

  bool is(int64_t id) const;
};

/// The ids that end a text of `model` are `stop_ids` and, if the model has ends(), EOS; the
/// excluded ones are never_chosen() without these. Throws ConfigError for a vocabulary that lacks a
/// needed EOS.
TextEnd end_of(const NextTokenModel& model, std::span<const int32_t> stop_ids = {});

}  // namespace lvtext
