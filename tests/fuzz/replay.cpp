// Runs a fuzz target on files: its seeds and inputs that failed before, as a regular test.
// usage: replay FOLDER...
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

int main(int argc, char** argv) {
  int inputs = 0;
  for (int k = 1; k < argc; ++k) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[k])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      std::fprintf(stderr, "%s\n", file.c_str());
      std::ifstream stream(file, std::ios::binary);
      const std::string content{std::istreambuf_iterator<char>(stream), {}};
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(content.data()), content.size());
      ++inputs;
    }
  }
  return inputs > 0 ? 0 : 1;  // a folder without inputs is an error
}
