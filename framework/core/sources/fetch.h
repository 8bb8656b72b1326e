// Lookup, download and verification of the files of data sets.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/core/sources/manifest.h"

namespace lvtext {

/// Downloads `url` to a file of at most `bytes` bytes. Throws DeviceError if the server does not
/// answer, MissingError if it does not have the file, DataError if the file is larger.
using Download =
    std::function<void(const std::string& url, const std::filesystem::path& to, int64_t bytes)>;

/// Downloads with the program `curl`; https only, also after redirects. Fails if no connection is
/// made in 30 s, or no data arrive for 60 s. Shows its progress after 2 s. If a stop is requested,
/// terminates curl and throws Interrupted.
void download_with_curl(const std::string& url, const std::filesystem::path& to, int64_t bytes);

/// Folders that are searched for files, and the download function.
struct DataLocations {
  std::filesystem::path mirror;  ///< empty: none
  std::filesystem::path cache;
  Download download = download_with_curl;
};

/// Uses `mirror` (--mirror) if it is set, else LVTEXT_DATA_MIRROR; the cache is data_cache().
DataLocations data_locations(const std::string& mirror = "");

/// Result of nodes whose data set is available from neither mirror, cache nor URL.
enum class IfMissing { kFail, kSkip };
const std::vector<EnumName<IfMissing>>& enum_names(IfMissing);

/// Path of a verified copy of a file: from the mirror, else from the cache, else downloaded to the
/// cache. Size and SHA-256 are checked on each call; an unpinned file is pinned by its first copy.
/// Throws DataError if the file's content differs, MissingError with the option to set and the data
/// sets that can be used instead, or DeviceError with the same text if a server does not answer.
/// Partial downloads are always removed.
std::filesystem::path obtain(const Manifest& set, const DataFile& file,
                             const DataLocations& locations);

/// Implements `lvtext data get`: copies or downloads every file of the set to the cache.
void fetch(const Manifest& set, const DataLocations& locations);

/// State of a file in the mirror or the cache.
struct FileState {
  const DataFile* file;
  enum class Kind { kWhole, kDamaged, kMissing, kUnpinned } kind;  ///< kUnpinned: not fetched yet
  std::filesystem::path path;                                      ///< empty if missing
  std::string message;  ///< the problem of a damaged file; the checksum of a pinned file
};
/// Implements `lvtext data verify`: the state of every file of the set, in the manifest's order.
/// Downloads nothing.
std::vector<FileState> verify(const Manifest& set, const DataLocations& locations);

}  // namespace lvtext
