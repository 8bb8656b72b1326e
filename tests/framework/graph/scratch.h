// A folder of its own for a test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace lvtext {

/// Gone at the end of the test.
struct Scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("lvtext-graph-" + std::to_string(::getpid()));
  Scratch() { std::filesystem::remove_all(path); }
  ~Scratch() { std::filesystem::remove_all(path); }
};

}  // namespace lvtext
