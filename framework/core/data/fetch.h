// Where the files of data sets lie, and how they get there.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "framework/core/data/manifest.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Gets a public address into a file, of at most `bytes` bytes. Throws DeviceError if it cannot.
using Download =
    std::function<void(const std::string& url, const std::filesystem::path& to, int64_t bytes)>;

/// Downloads with the program `curl`: https only, also after redirects. A requested stop ends curl
/// and throws Interrupted.
void download_with_curl(const std::string& url, const std::filesystem::path& to, int64_t bytes);

/// Where files are looked for.
struct DataLocations {
  std::filesystem::path mirror;  ///< empty: none
  std::filesystem::path cache;
  Download download = download_with_curl;
};

/// The mirror given (--mirror), else LVTEXT_DATA_MIRROR; the cache of data_cache().
DataLocations data_locations(const std::string& mirror = "");

/// What becomes of nodes whose data set cannot be had, from no mirror, cache or URL.
enum class IfMissing { kFail, kSkip };
const std::vector<EnumName<IfMissing>>& enum_names(IfMissing);

/// A verified copy of a file: in the mirror, else in the cache, else downloaded into the cache.
/// Size and SHA-256 are checked each time; an unpinned file is pinned by its first copy. Throws
/// DataError for a file with other bytes, MissingError saying what to set and which relative could
/// be used. Whatever ends a download, no part of it stays.
std::filesystem::path obtain(const Manifest& set, const DataFile& file,
                             const DataLocations& locations);

/// `lvtext data get`: every file of the set in the cache, those of the mirror copied.
void fetch(const Manifest& set, const DataLocations& locations);

/// What stands where, without fetching.
struct FileState {
  const DataFile* file;
  enum class Kind { kWhole, kDamaged, kMissing, kUnpinned } kind;  ///< kUnpinned: not fetched yet
  std::filesystem::path path;                                      ///< empty if missing
  std::string message;  ///< what is wrong with a damaged file; the sum of a pinned one
};
/// `lvtext data verify`: the state of every file of the set, in the manifest's order.
std::vector<FileState> verify(const Manifest& set, const DataLocations& locations);

}  // namespace lvtext
