// Finished nodes: manifest, and files, which are verified when read.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/base/error.h"

namespace lvtext {

/// File that marks a run as finished, and the name of its schema.
inline constexpr const char* kRunManifest = "manifest.json";
inline constexpr const char* kRunManifestSchema = "run-manifest";
/// File that describes a run; written first.
inline constexpr const char* kNodeFile = "node.json";
/// File with the reason of a failure; removed when another process resumes the run.
inline constexpr const char* kFailureFile = "failure.json";

/// Prefix of the folder name of a node's named part; 16 digits of a hash follow.
inline constexpr const char* kPartPrefix = "part-";
/// True for the folder name of a node's part: `step-N` or `part-HASH`.
bool is_part_folder(const std::string& name);

/// A finished node's folder with files that do not match its manifest (65). The message names the
/// file and how to recompute it.
struct DamagedRun : DataError {
  /// `run`: folder of a node or of a part.
  DamagedRun(const std::filesystem::path& run, const std::string& problem);
  std::filesystem::path folder;  ///< folder of the node
};

/// Reads files of a finished node's folder and verifies size and SHA-256 against the manifest:
/// small files on every read, large ones once per boot while they are unchanged (verified_files.h).
class FinishedRun {
 public:
  /// Throws MissingError if the node is not finished, DamagedRun if its manifest is damaged.
  explicit FinishedRun(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const nlohmann::ordered_json& manifest() const { return manifest_; }
  /// Metadata of the component in the manifest.
  const nlohmann::ordered_json& metadata() const { return manifest_.at("metadata"); }
  std::string identity() const { return manifest_.value("identity", ""); }

  /// Verifies a listed file and returns its path, for readers that map or stream it. Throws
  /// DamagedRun.
  std::filesystem::path file(const std::string& name) const;
  /// Reads and verifies a listed file. Throws DamagedRun.
  std::string read(const std::string& name) const;
  /// True if the manifest lists a file of this name.
  bool lists(const std::string& name) const;

 private:
  const nlohmann::ordered_json& entry_of(const std::string& name) const;
  uint64_t check_size(const std::string& name) const;
  void check_hash(const std::string& name, const std::string& sha256) const;

  std::filesystem::path folder_;
  nlohmann::ordered_json manifest_;
};

/// The manifest of a finished run; none if the run is not finished. Requires no lock. Throws
/// DamagedRun if it is damaged, DataError if it is not one of lvtext.
std::optional<nlohmann::ordered_json> read_run_manifest(const std::filesystem::path& run);

/// Writes the manifest of `folder`, which marks it as finished: `fields`, then size and SHA-256 of
/// `files`, paths relative to the folder.
void write_run_manifest(const std::filesystem::path& folder, const std::vector<std::string>& files,
                        const nlohmann::ordered_json& fields);

/// Description of a run (kind, component, revision, options, inputs): the manifest if it is
/// finished, otherwise node.json; none if the folder is not a run. Throws DamagedRun or DataError.
std::optional<nlohmann::ordered_json> read_run_description(const std::filesystem::path& run);

/// Verifies all files in a finished run's manifest. Returns one line per difference. Throws
/// MissingError if the run is not finished.
std::vector<std::string> verify_run(const std::filesystem::path& run);

}  // namespace lvtext
