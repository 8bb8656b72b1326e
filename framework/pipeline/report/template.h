// Text templates for pages.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lvtext {

/// Replaces each {{name}} in `text` by its value. Values are not expanded recursively.
/// Throws std::logic_error for a name without a value and a value without a name.
std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace lvtext
