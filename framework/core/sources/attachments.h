// Files that a reader needs besides the file that it reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lvtext {

/// A file that the records of another file need, such as the pictures of a list.
struct Attachment {
  std::string path;         ///< relative to the folder of the other file
  std::string sha256 = {};  ///< empty: unknown
};

/// The content of an attachment of `file`. Throws MissingError if it does not exist, or DataError
/// if its path leaves the folder or its SHA-256 is another one.
std::string read_attachment(const std::filesystem::path& file, const Attachment& attachment);

/// Mistakes in a file, which are reported together.
class FileMistakes {
 public:
  explicit FileMistakes(std::filesystem::path file) : file_(std::move(file)) {}

  /// Notes a mistake of a record; `location` is "line 7" or "'7.xml', line 3".
  void add(const std::string& location, const std::string& what);
  /// Throws DataError with the number of mistakes and the first ones if there are any; `records` is
  /// the number of records that were read.
  void check(int64_t records) const;

 private:
  std::filesystem::path file_;
  std::vector<std::string> first_;
  int64_t count_ = 0;
};

}  // namespace lvtext
