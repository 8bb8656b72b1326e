// Shared parts of the fuzz targets. A target is one file with LLVMFuzzerTestOneInput(): it reads
// arbitrary bytes and must return. An lvtext::Error rejects the input, as for users; any other
// exception is a bug, and so is a property that does not hold.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "framework/core/base/error.h"
#include "tests/temporary_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace lvtext::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Aborts with the text `property` if it does not hold.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "the property does not hold: %s\n", property);
  std::abort();
}

/// Calls `read`; returns false if it rejects the input.
template <class Read>
bool accepted(Read&& read) {
  try {
    read();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Writes the file `name` in a folder of this process. Each call sets a new modification time, by
/// which readers detect whether a file has changed since they read it.
inline std::filesystem::path write_file(const std::string& name, std::string_view content) {
  static const TemporaryFolder folder;
  static int64_t calls = 0;
  const auto path = folder / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(content.data(), std::ssize(content));
  const auto time = std::filesystem::file_time_type(std::chrono::milliseconds(++calls));
  std::filesystem::last_write_time(path, time);
  return path;
}

}  // namespace lvtext::fuzz
