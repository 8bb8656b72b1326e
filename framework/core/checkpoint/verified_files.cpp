#include "framework/core/checkpoint/verified_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/lock.h"
#include "framework/core/base/read_error.h"
#include "framework/core/checkpoint/manifest.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kFile = "verified.json";
constexpr const char* kSchema = "verified-files";
constexpr int kVersion = 2;
// Boots whose entries are kept, the newest last.
constexpr size_t kMaxBoots = 64;
constexpr size_t kMaxBytes = size_t{16} << 20;
// Time stamps have the resolution of the kernel's clock tick, so a file that was modified this
// recently may be modified again without a new stamp.
constexpr int64_t kSettledNs = 1'000'000'000;

int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool is_settled(const FileStamp& stamp) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - stamp.changed_ns >
         kSettledNs;
}

Json to_json(const FileStamp& stamp, const std::string& sha256) {
  return {{"device", stamp.device},         {"inode", stamp.inode},
          {"bytes", stamp.bytes},           {"modified_ns", stamp.modified_ns},
          {"changed_ns", stamp.changed_ns}, {"sha256", sha256}};
}

/// The boots in `verified.json`, each with its id and files; none if it is missing or damaged.
std::vector<Json> read_boots(const fs::path& folder) {
  try {
    const fs::path path = folder / kFile;
    const Json json = parse_sealed(read_file(path, kMaxBytes), path.string());
    check_schema(json, kSchema, kVersion, path.string());
    return json.at("boots");
  } catch (const std::exception&) {  // missing, damaged or unreadable: hash again
    return {};
  }
}

/// Removes the current boot from `boots` and returns its files.
Json take_files(std::vector<Json>& boots) {
  const std::string id = current_owner().boot_id;
  const auto own = std::find_if(boots.begin(), boots.end(), [&](const Json& boot) {
    return boot.value("boot_id", "") == id && boot.value("files", Json()).is_object();
  });
  if (own == boots.end()) return Json::object();
  Json files = own->at("files");
  boots.erase(own);
  return files;
}

}  // namespace

FileStamp stamp_of(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) throw_read_error(path, errno);
  if (!S_ISREG(info.st_mode)) throw DataError("'" + path.string() + "' is not a regular file");
  return {info.st_dev, info.st_ino, static_cast<uint64_t>(info.st_size), nanoseconds(info.st_mtim),
          nanoseconds(info.st_ctim)};
}

VerifiedFiles::VerifiedFiles(fs::path folder) : folder_(std::move(folder)) {}

std::string VerifiedFiles::sha256_of(const std::string& file) {
  const FileStamp stamp = stamp_of(folder_ / file);
  std::string sha256 = remembered(file, stamp);
  if (!sha256.empty()) return sha256;
  const bool settled = is_settled(stamp);
  sha256 = sha256_file(folder_ / file);
  if (settled && stamp_of(folder_ / file) == stamp) remember(file, stamp, sha256);
  return sha256;
}

std::string VerifiedFiles::remembered(const std::string& file, const FileStamp& stamp) const {
  std::vector<Json> boots = read_boots(folder_);
  const Json entries = take_files(boots);
  const auto entry = entries.find(file);
  if (entry == entries.end()) return "";
  const auto sha256 = entry->value("sha256", std::string());
  return *entry == to_json(stamp, sha256) ? sha256 : "";
}

void VerifiedFiles::remember(const std::string& file, const FileStamp& stamp,
                             const std::string& sha256) const {
  std::vector<Json> boots = read_boots(folder_);
  Json entries = take_files(boots);
  entries[file] = to_json(stamp, sha256);
  boots.push_back({{"boot_id", current_owner().boot_id}, {"files", entries}});
  if (boots.size() > kMaxBoots) boots.erase(boots.begin());
  try {
    write_file_atomic(folder_ / kFile,
                      seal({{"schema", schema_id(kSchema, kVersion)}, {"boots", boots}}));
  } catch (const Error&) {  // no permission or a full disk: hash again next time
  }
}

}  // namespace lvtext
