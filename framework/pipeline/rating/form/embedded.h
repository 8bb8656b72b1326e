// Files of the form, embedded as text (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace lvtext {

/// Template of the form for fill_template(), and its CSS and JavaScript.
extern const std::string_view kFormHtml, kFormCss, kFormJs;

}  // namespace lvtext
