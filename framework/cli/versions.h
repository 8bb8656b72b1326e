// Version text of the program.
#pragma once

#include <string>

namespace lvtext {

/// "lvtext 0.1.0 (8ed83734a855)" and, one line each, LibTorch's version and the format versions.
std::string version_text();

}  // namespace lvtext
