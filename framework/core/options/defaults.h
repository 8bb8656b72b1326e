// Fills in the defaults of options.
#pragma once

#include "framework/core/options/node.h"
#include "framework/core/options/schema.h"

namespace lvtext {

/// The mapping with the defaults of all missing fields appended; defaults have no origin. Fields of
/// type Node are not changed.
Node with_defaults(const Node& mapping, const Schema& schema);

/// An unset option, null, which is computed with the scalar `value` (Defaulted). As part of parsed
/// options it has no part in an identity.
Node unset_option(const Node& value);

/// A mapping of options as written, completed by `parsed`, the same options with all their values
/// (to_node()): missing and null options have the value with which they are computed, without an
/// origin. Lists of named parts (Parts) are expanded; other keys of `written` that `parsed` lacks
/// are kept.
Node with_values(const Node& written, const Node& parsed);

}  // namespace lvtext
