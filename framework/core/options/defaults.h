// Options with every value that they have.
#pragma once

#include "framework/core/options/node.h"
#include "framework/core/options/schema.h"

namespace lvtext {

/// The mapping with the defaults of all fields that it leaves out, behind what is written; those
/// without an origin are defaults. Fields that another owner parses stay as they are.
Node with_defaults(const Node& mapping, const Schema& schema);

}  // namespace lvtext
