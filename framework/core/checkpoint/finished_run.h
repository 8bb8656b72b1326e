// What a finished node left: its manifest, and its files, verified when they are read.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/base/error.h"

namespace lvtext {

/// The file that marks a run as finished, and the name of its schema.
inline constexpr const char* kRunManifest = "manifest.json";
inline constexpr const char* kRunManifestSchema = "run-manifest";
/// The file that a run begins with: what it is.
inline constexpr const char* kNodeFile = "node.json";
/// The file that says why a run failed; gone as soon as another process works on it again.
inline constexpr const char* kFailureFile = "failure.json";

/// What the name of a folder that holds a named part of a node begins with; 16 digits of a hash
/// follow.
inline constexpr const char* kPartPrefix = "part-";
/// True for the name of a folder that holds a part of a node: `step-N` or `part-HASH`.
bool is_part_folder(const std::string& name);

/// A finished node's folder whose files are not what its manifest lists (65). The message names the
/// file and how to compute it again.
struct DamagedRun : DataError {
  /// `run` is a node's folder or that of a part of it.
  DamagedRun(const std::filesystem::path& run, const std::string& problem);
  std::filesystem::path folder;  ///< the node's
};

/// Reads files of a finished node's folder and compares each with the size and the SHA-256 that the
/// manifest lists: small files on every reading, large ones once per boot while their stamp holds
/// (verified_files.h).
class FinishedRun {
 public:
  /// Throws MissingError if the node is not finished, DamagedRun if its manifest is damaged.
  explicit FinishedRun(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const nlohmann::ordered_json& manifest() const { return manifest_; }
  /// The component's own part of the manifest.
  const nlohmann::ordered_json& metadata() const { return manifest_.at("metadata"); }
  std::string identity() const { return manifest_.value("identity", ""); }

  /// The path of a listed file after verifying it, for readers that map or stream it. Throws
  /// DamagedRun.
  std::filesystem::path file(const std::string& name) const;
  /// The content of a listed file, verified. Throws DamagedRun.
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

/// The manifest of a finished run; none if the run is not finished. Needs no lock. Throws
/// DamagedRun if it is damaged, DataError if it is another program's.
std::optional<nlohmann::ordered_json> read_run_manifest(const std::filesystem::path& run);

/// Writes the manifest of `folder`, which marks it as finished: `fields`, then size and SHA-256 of
/// `files`, paths relative to the folder.
void write_run_manifest(const std::filesystem::path& folder, const std::vector<std::string>& files,
                        const nlohmann::ordered_json& fields);

/// What a run is: the manifest of a finished one, node.json of a begun one (kind, component,
/// revision, options, inputs); none if the folder is no run. Throws DamagedRun or DataError.
std::optional<nlohmann::ordered_json> read_run_description(const std::filesystem::path& run);

/// Hashes every file that a finished run's manifest lists; one line per difference, empty if all is
/// well. Throws MissingError if the run is not finished.
std::vector<std::string> verify_run(const std::filesystem::path& run);

}  // namespace lvtext
