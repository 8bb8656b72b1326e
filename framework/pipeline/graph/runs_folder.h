// Listing of a folder of runs, made once for all nodes of a command.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// Snapshot of the run folders in a folder. On network file systems, listing a folder takes longer
/// than all other reads for a node, so the listing is made once and not once per node.
class RunsFolder {
 public:
  /// Lists `path`; a missing folder has no runs.
  RunsFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  /// The node's folder: an existing one with this identity, from any recipe, otherwise
  /// `<label>-<hash8>`, not yet created.
  std::filesystem::path folder_of(const GraphNode& node) const;
  /// The finished runs of a stem, sorted by name. The first call reads the manifests of all listed
  /// runs; damaged ones are ignored.
  std::vector<std::filesystem::path> of_stem(const std::string& stem);
  /// Adds a run that finished after the listing.
  void add_finished(const GraphNode& node, const std::filesystem::path& folder);

 private:
  std::filesystem::path path_;
  std::map<std::string, std::filesystem::path> by_hash_;  ///< key: the 8 hash digits of the name
  /// Run folders by stem; filled by the first of_stem().
  std::optional<std::map<std::string, std::vector<std::filesystem::path>>> by_stem_;
};

}  // namespace lvtext
