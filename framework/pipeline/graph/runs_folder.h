// A folder of runs, listed once per command.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// The runs in a folder at the time of listing. On network file systems a listing costs more than
/// all reads for a node, so it is made once, not once per node.
class RunsFolder {
 public:
  /// Lists `path`; a missing folder has no runs.
  RunsFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  /// The node's folder: the existing one with this identity, of any recipe, otherwise
  /// `<label>-<hash8>`, which is not created.
  std::filesystem::path folder_of(const GraphNode& node) const;
  /// The finished runs with a stem, by name. The first call reads the manifests of all listed runs;
  /// damaged ones are ignored.
  std::vector<std::filesystem::path> of_stem(const std::string& stem);
  /// Adds a run that was finished after the listing.
  void add_finished(const GraphNode& node, const std::filesystem::path& folder);

 private:
  std::filesystem::path path_;
  std::map<std::string, std::filesystem::path> by_hash_;  ///< by the eight digits in their names
  /// Unset before the first call of of_stem().
  std::optional<std::map<std::string, std::vector<std::filesystem::path>>> by_stem_;
};

}  // namespace lvtext
