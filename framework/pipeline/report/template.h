// Text templates of pages.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lvtext {

/// The text with each {{name}} replaced by its value. What a value contains is not replaced again.
/// Throws std::logic_error for a name without a value and a value without a name.
std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace lvtext
