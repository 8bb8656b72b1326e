// Manifest of a finished run, and access to its files with verification.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/base/error.h"

namespace lvtext {

/// The file that marks a run as finished, and its schema name.
inline constexpr const char* kRunManifest = "manifest.json";
inline constexpr const char* kRunManifestSchema = "run-manifest";
/// The file that describes a run, written at its start.
inline constexpr const char* kNodeFile = "node.json";
/// File with the reason of a failure; removed when another process resumes the run.
inline constexpr const char* kFailureFile = "failure.json";

/// Field of a manifest: the lines of the log that its newest checkpoint lacks. Not set if there is
/// no checkpoint.
inline constexpr const char* kLogEnd = "log_end";
/// The log in the newest checkpoint of a run's folder; empty if there is none.
std::string saved_log(const std::filesystem::path& run);

/// Prefix of the name of a folder with a named part of a node, followed by 16 hash digits.
inline constexpr const char* kPartPrefix = "part-";
/// Whether a name is that of a folder with a part of a node: `step-N` or `part-HASH`.
bool is_part_folder(const std::string& name);

/// Thrown for a finished node's folder whose files differ from its manifest (exit code 65). The
/// message contains the problem and how to compute the node again.
struct DamagedRun : DataError {
  /// `run`: the folder of a node or of a part of it.
  DamagedRun(const std::filesystem::path& run, const std::string& problem);
  std::filesystem::path folder;  ///< the node's folder
};

/// Reads files of a finished node's folder and compares each with the size and SHA-256 listed in
/// the manifest: small files on every read, large ones once per boot while their stamp is unchanged
/// (verified_files.h). A damaged log is restored from the newest checkpoint, with a warning.
class FinishedRun {
 public:
  /// Throws MissingError if the node is not finished, DamagedRun if its manifest is damaged.
  explicit FinishedRun(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const nlohmann::ordered_json& manifest() const { return manifest_; }
  /// The fields of the manifest that are specific to the component.
  const nlohmann::ordered_json& metadata() const { return manifest_.at("metadata"); }
  std::string identity() const { return manifest_.value("identity", ""); }

  /// Verifies a listed file and returns its path, for readers that map or stream it. Throws
  /// DamagedRun.
  std::filesystem::path file(const std::string& name) const;
  /// Returns the verified content of a listed file. Throws DamagedRun.
  std::string read(const std::string& name) const;
  /// Whether the manifest lists a file with this name.
  bool lists(const std::string& name) const;

 private:
  const nlohmann::ordered_json& entry_of(const std::string& name) const;
  uint64_t check_size(const std::string& name) const;
  void check_hash(const std::string& name, const std::string& sha256) const;
  void check_whole(const std::string& name) const;

  std::filesystem::path folder_;
  nlohmann::ordered_json manifest_;
};

/// The manifest of a finished run; none if the run is not finished. Requires no lock. Throws
/// DamagedRun if it is damaged, DataError if it has another schema.
std::optional<nlohmann::ordered_json> read_run_manifest(const std::filesystem::path& run);

/// Writes the manifest of `folder`, which marks it as finished: `fields`, then the sizes and
/// SHA-256 of `files`, paths relative to the folder.
void write_run_manifest(const std::filesystem::path& folder, const std::vector<std::string>& files,
                        const nlohmann::ordered_json& fields);

/// Description of a run (kind, component, revision, options, inputs): the manifest if it is
/// finished, otherwise node.json; none if the folder has neither. Throws DamagedRun or DataError.
std::optional<nlohmann::ordered_json> read_run_description(const std::filesystem::path& run);

/// Hashes all files listed in a finished run's manifest. Returns one line per difference; empty if
/// there is none, or if the log could be restored. Throws MissingError if the run is not finished.
std::vector<std::string> verify_run(const std::filesystem::path& run);

}  // namespace lvtext
