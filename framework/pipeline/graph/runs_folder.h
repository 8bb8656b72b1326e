// A folder of runs, listed once for all nodes of a command.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// The run folders below a folder, as they were when it was listed. On network file systems a
/// listing costs more than all that is read for a node, so it is made once, not once per node.
class RunsFolder {
 public:
  /// Lists `path`; a folder that is missing has no runs.
  RunsFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  /// The node's folder: the finished or begun one of this identity, of any recipe, else
  /// `<label>-<hash8>`, not yet created.
  std::filesystem::path folder_of(const GraphNode& node) const;
  /// The finished runs of a stem, by name. The first call reads the manifest of every run that was
  /// listed; damaged ones are passed over.
  std::vector<std::filesystem::path> of_stem(const std::string& stem);
  /// Adds a run that was finished after the listing.
  void add_finished(const GraphNode& node, const std::filesystem::path& folder);

 private:
  std::filesystem::path path_;
  std::map<std::string, std::filesystem::path> by_hash_;  ///< by the eight digits of their names
  /// Unset until it is asked for.
  std::optional<std::map<std::string, std::vector<std::filesystem::path>>> by_stem_;
};

}  // namespace lvtext
