// How reading an input fails.
#pragma once

#include <filesystem>

namespace lvtext {

/// Throws what a failed system call on an input means: MissingError (66) where nothing is there (no
/// such file, no possible name, or a part of the path is a file and no folder), else the io_error
/// of `errno_value`. The message names `path` and, where a part of it is a file, that part.
[[noreturn]] void throw_read_error(const std::filesystem::path& path, int errno_value);

}  // namespace lvtext
