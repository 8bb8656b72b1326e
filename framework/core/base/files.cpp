#include "framework/core/base/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "framework/core/base/error.h"
#include "framework/core/base/file_writer.h"
#include "framework/core/base/input_file.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

/// A file descriptor that is closed when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

std::string read_file(const std::filesystem::path& path, size_t limit) {
  const InputFile file(path);
  if (file.size() > limit) {
    throw DataError("'" + path.string() + "' has " + format_bytes(file.size()) + "; at most " +
                    format_bytes(limit) + " are allowed");
  }
  std::string content(file.size(), '\0');
  content.resize(file.read(content.data(), content.size()));
  return content;
}

void write_file_synced(const std::filesystem::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) throw io_error("write", path.string(), errno);
  while (!content.empty()) {
    const ssize_t put = ::write(file.get(), content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw io_error("write", path.string(), errno);
    content.remove_prefix(put);
  }
  if (::fsync(file.get()) != 0) throw io_error("sync", path.string(), errno);
}

void sync_folder(const std::filesystem::path& folder) {
  const std::string name = folder.empty() ? "." : folder.string();
  Descriptor handle(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() < 0) throw io_error("open the folder", name, errno);
  if (::fsync(handle.get()) != 0 && errno != EINVAL) throw io_error("sync", name, errno);
}

void write_file_atomic(const std::filesystem::path& path, std::string_view content) {
  FileWriter file(path);
  file.write(content);
  file.commit();
}

void write_output_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code failed;
  const auto type = std::filesystem::status(path, failed).type();
  if (type == std::filesystem::file_type::regular ||
      type == std::filesystem::file_type::directory) {
    return write_file_atomic(std::filesystem::canonical(path), content);
  }
  if (type == std::filesystem::file_type::not_found) return write_file_atomic(path, content);
  std::ofstream device(path, std::ios::binary);
  device << content << std::flush;
  if (!device) throw io_error("write", path.string(), errno);
}

void make_folders(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw io_error("create the folder", folder.string(), failure.value());
}

void publish_folder(const std::filesystem::path& partial, const std::filesystem::path& final_path) {
  sync_folder(partial);
  if (::rename(partial.c_str(), final_path.c_str()) != 0) {
    throw io_error("rename to", final_path.string(), errno);
  }
  sync_folder(final_path.parent_path());
}

void write_folder(const std::filesystem::path& folder,
                  const std::function<void(const std::filesystem::path& partial)>& write) {
  const std::filesystem::path partial = folder.string() + ".partial-" + std::to_string(::getpid());
  std::error_code ignored;
  std::filesystem::remove_all(partial, ignored);  // left by a killed process with the same pid
  make_folders(partial);
  try {
    write(partial);
    publish_folder(partial, folder);
  } catch (...) {
    std::filesystem::remove_all(partial, ignored);
    throw;
  }
}

void refuse_existing(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(folder, ignored))) return;
  throw Error(Exit::kCannotWrite, "'" + folder.string() + "' already exists; specify a new folder");
}

bool stays_inside(const std::filesystem::path& path) {
  return !path.empty() && path.is_relative() &&
         std::find(path.begin(), path.end(), "..") == path.end();
}

}  // namespace lvtext
