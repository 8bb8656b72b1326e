#include "framework/pipeline/graph/runs_folder.h"

#include <algorithm>
#include <system_error>

#include "framework/core/base/error.h"
#include "framework/core/checkpoint/finished_run.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHashDigits = 8;  // digits of the identity at the end of a folder's name

std::string hash_of_name(const std::string& name) {
  const size_t dash = name.rfind('-');
  const bool has_hash = dash != std::string::npos && name.size() == dash + 1 + kHashDigits;
  return has_hash ? name.substr(dash + 1) : "";
}

}  // namespace

RunsFolder::RunsFolder(fs::path path) : path_(std::move(path)) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(path_, failed)) {
    const std::string hash = hash_of_name(entry.path().filename().string());
    std::error_code ignored;
    if (hash.empty() || !entry.is_directory(ignored)) continue;
    // If several folders have the same hash, use the first by name, independent of listing order.
    const auto [found, is_new] = by_hash_.emplace(hash, entry.path());
    if (!is_new) found->second = std::min(found->second, entry.path());
  }
}

fs::path RunsFolder::folder_of(const GraphNode& node) const {
  const std::string hash = node.identity.substr(0, kHashDigits);
  const auto found = by_hash_.find(hash);
  return found != by_hash_.end() ? found->second : path_ / (node.label + "-" + hash);
}

std::vector<fs::path> RunsFolder::of_stem(const std::string& stem) {
  if (!by_stem_) {
    by_stem_.emplace();
    for (const auto& [hash, folder] : by_hash_) {
      try {
        const auto manifest = read_run_manifest(folder);
        if (manifest && manifest->contains("stem")) {
          (*by_stem_)[manifest->at("stem").get<std::string>()].push_back(folder);
        }
      } catch (const Error&) {  // damaged: cannot be continued from
      } catch (const nlohmann::json::exception&) {
      }
    }
  }
  const auto found = by_stem_->find(stem);
  if (found == by_stem_->end()) return {};
  std::vector<fs::path> folders = found->second;
  std::sort(folders.begin(), folders.end());
  return folders;
}

void RunsFolder::add_finished(const GraphNode& node, const fs::path& folder) {
  if (by_stem_ && !node.stem.empty()) (*by_stem_)[node.stem].push_back(folder);
}

}  // namespace lvtext
