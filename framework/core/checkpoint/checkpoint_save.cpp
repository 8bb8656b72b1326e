// Writes checkpoint folders.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/checkpoint/checkpoint_files.h"
#include "framework/core/checkpoint/manifest.h"
#include "lvtext_version.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOptimizerPrefix = "optimizer.";
constexpr std::string_view kTensorSuffix = ".safetensors";

/// Writes files into a folder and collects their manifest entries.
class FolderWriter {
 public:
  explicit FolderWriter(fs::path folder) : folder_(std::move(folder)) {}

  void tensors(const std::string& file, const TensorMap& map) {
    const auto written = write_safetensors(folder_ / file, map, {{"format", "pt"}});
    nlohmann::ordered_json entry = {{"bytes", written.bytes}, {"sha256", written.sha256}};
    entry["tensors"] = written.tensor_sha256;
    files_[file] = std::move(entry);
  }

  void text(const std::string& file, const std::string& content) {
    write_file_synced(folder_ / file, content);
    files_[file] = {{"bytes", content.size()}, {"sha256", sha256(content)}};
  }

  /// Writes the manifest. Must be called last.
  void finish(int64_t step) {
    nlohmann::ordered_json manifest;
    manifest["schema"] = schema_id(kCheckpointSchema, kManifestVersion);
    manifest["version"] = kVersion;
    manifest["step"] = step;
    manifest["files"] = files_;
    write_file_synced(folder_ / kManifestFile, seal(manifest));
  }

 private:
  fs::path folder_;
  std::map<std::string, nlohmann::ordered_json> files_;
};

/// Renames `partial` to `final_path`, replacing an existing folder of the same step.
void replace_folder(const fs::path& partial, const fs::path& final_path) {
  if (!fs::exists(fs::symlink_status(final_path))) {
    publish_folder(partial, final_path);
    return;
  }
  sync_folder(partial);
  constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE: both names exist at all times
  if (::syscall(SYS_renameat2, AT_FDCWD, partial.c_str(), AT_FDCWD, final_path.c_str(),
                kExchange) == 0) {
    sync_folder(final_path.parent_path());
    fs::remove_all(partial);
    return;
  }
  const fs::path aside = final_path.string() + ".old" + kPartialSuffix;
  fs::remove_all(aside);
  if (::rename(final_path.c_str(), aside.c_str()) != 0) {
    throw io_error("rename", final_path.string(), errno);
  }
  publish_folder(partial, final_path);
  fs::remove_all(aside);
}

void check_names(const CheckpointContents& contents) {
  std::string bad;
  for (const auto& [name, unused] : contents.optimizers) {
    if (!is_plain_name(name)) bad += " optimizer '" + name + "'";
  }
  for (const auto& [name, unused] : contents.extra) {
    if (!is_plain_name(name) || is_reserved_name(name)) bad += " file '" + name + "'";
  }
  if (!bad.empty()) {
    throw DataError("a checkpoint cannot store these names:" + bad +
                    "; allowed: letters, digits, '.', '_' and '-', and no reserved file names");
  }
}

}  // namespace

std::string optimizer_file(const std::string& name) {
  return std::string(kOptimizerPrefix) + name + std::string(kTensorSuffix);
}

std::string optimizer_of(const std::string& file) {
  const size_t around = kOptimizerPrefix.size() + kTensorSuffix.size();
  if (file.size() <= around || !file.starts_with(kOptimizerPrefix) ||
      !file.ends_with(kTensorSuffix)) {
    return "";
  }
  return file.substr(kOptimizerPrefix.size(), file.size() - around);
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 200 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '.' || c == '_' || c == '-';
         });
}

bool is_reserved_name(const std::string& name) {
  return name == kModelFile || name == kEmaFile || name == kStateFile || name == kConfigFile ||
         name == kManifestFile || !optimizer_of(name).empty() || name.ends_with(kTensorSuffix);
}

std::string step_folder_name(int64_t step) {
  LVT_ASSERT(step >= 0, "negative step");
  char text[32];
  std::snprintf(text, sizeof text, "step-%08lld", static_cast<long long>(step));
  return text;
}

fs::path save_checkpoint(const fs::path& parent, int64_t step, const CheckpointContents& contents) {
  check_names(contents);
  make_folders(parent);
  fs::path final_path = parent / step_folder_name(step);
  const fs::path partial = final_path.string() + kPartialSuffix;
  std::error_code ignored;
  fs::remove_all(partial, ignored);
  try {
    make_folders(partial);
    FolderWriter writer(partial);
    writer.tensors(kModelFile, contents.model);
    if (contents.ema) writer.tensors(kEmaFile, *contents.ema);
    for (const auto& [name, moments] : contents.optimizers) {
      writer.tensors(optimizer_file(name), moments);
    }
    if (!contents.state.is_null()) writer.text(kStateFile, contents.state.dump(1) + "\n");
    if (!contents.config.empty()) writer.text(kConfigFile, contents.config);
    for (const auto& [name, content] : contents.extra) writer.text(name, content);
    writer.finish(step);
    replace_folder(partial, final_path);
  } catch (...) {
    fs::remove_all(partial, ignored);  // free the space on a full disk
    throw;
  }
  return final_path;
}

}  // namespace lvtext
