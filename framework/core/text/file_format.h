// Recognition of files that are not UTF-8 text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lvtext {

/// Number of bytes at the start of a file that recognize its format.
inline constexpr size_t kFormatBytes = 512;

/// The format of a file that begins with `start` and cannot be read as UTF-8 text, with what to do:
/// "is UTF-16 text; convert it ...". Empty if it may be text. `start`: the first bytes, after
/// decompression, at least kFormatBytes unless the file is shorter.
std::string foreign_format(std::string_view start);

/// Throws DataError naming the file at `path` if foreign_format() recognizes it.
void refuse_foreign_format(const std::string& path, std::string_view start);

}  // namespace lvtext
