// Errors of reading input files.
#pragma once

#include <filesystem>

namespace lvtext {

/// Throws the error of a failed system call on an input: MissingError (66) if it does not exist (no
/// such file, an invalid name, or a part of the path is not a folder), otherwise the io_error of
/// `errno_value`. The message names `path` and the part of it that is not a folder.
[[noreturn]] void throw_read_error(const std::filesystem::path& path, int errno_value);

}  // namespace lvtext
