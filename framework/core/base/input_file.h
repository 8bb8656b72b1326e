// Opens input files given by users: regular files or, where a file is read once, pipes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace lvtext {

/// The type of a file that is not regular: "a folder", "a FIFO", "a device", "a socket"; empty for
/// a regular file and for paths that cannot be accessed.
std::string irregular_kind(const std::filesystem::path& path);

/// Whether an input may be a FIFO or a terminal, such as /dev/stdin and a shell's <(COMMAND). Their
/// content can be read only once.
enum class Pipes { kRefuse, kAccept };

/// A file opened for reading. Opening does not block; reading a pipe waits for its data.
class InputFile {
 public:
  /// Throws DataError naming the type if the file is neither regular nor an accepted pipe, and the
  /// exceptions of throw_read_error().
  explicit InputFile(std::filesystem::path path, Pipes pipes = Pipes::kRefuse);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Size of a regular file; 0 for a pipe.
  uint64_t size() const { return size_; }
  /// Reads the next bytes; fewer than `bytes` only at the end of the file. Throws Interrupted if a
  /// stop signal arrives while it waits for the data of a pipe.
  size_t read(void* data, size_t bytes) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool is_pipe_ = false;
  uint64_t size_ = 0;
};

}  // namespace lvtext
