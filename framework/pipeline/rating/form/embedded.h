// The form's files as text (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace lvtext {

/// The page of the form, a template for fill_template(), its style and its script.
extern const std::string_view kFormHtml, kFormCss, kFormJs;

}  // namespace lvtext
