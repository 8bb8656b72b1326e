// Fills in the defaults of options.
#pragma once

#include "framework/core/options/node.h"
#include "framework/core/options/schema.h"

namespace lvtext {

/// The mapping with the defaults of all missing fields appended; defaults have no origin. Fields of
/// type Node are not changed.
Node with_defaults(const Node& mapping, const Schema& schema);

}  // namespace lvtext
