#include "framework/core/sources/given_files.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// The file of the set. Its name is that of the manifest's path, without folders.
const DataFile& file_of(const Manifest& set, const std::string& name) {
  std::vector<std::string> names;
  for (const DataFile& file : set.files) {
    names.push_back(fs::path(file.path).filename().string());
    if (names.back() == name) return file;
  }
  throw MissingError("the data set '" + set.name + "' has no file '" + name + "'; " +
                     suggestion(name, names));
}

}  // namespace

std::string content_of(const GivenFile& given, const std::vector<fs::path>& folders) {
  if (given.set.empty()) return sha256_file(given.path);
  const Manifest set = load_manifest(given.set, folders);
  const std::string& sha256 = file_of(set, given.file).sha256;
  return sha256.empty() ? given.text() : sha256;
}

fs::path locate(const GivenFile& given, const DataLocations& locations,
                const std::vector<fs::path>& folders) {
  if (given.set.empty()) return given.path;
  const Manifest set = load_manifest(given.set, folders);
  return obtain(set, file_of(set, given.file), locations);
}

}  // namespace lvtext
