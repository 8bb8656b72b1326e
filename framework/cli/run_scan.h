// One node's folder below a folder of runs, read from its own files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lvtext {

/// A node's folder, as its node.json and manifest.json describe it.
struct FoundRun {
  std::filesystem::path folder;
  std::string identity;          ///< SHA-256
  std::string label;             ///< `<paper>.<row>.<profile>.s<seed>`, as its maker called it
  std::string kind;              ///< "train", "score" ...
  std::string component;         ///< "vae", "bleu" ...
  std::string state;             ///< "finished", "running", "begun", or "damaged"
  std::string problem;           ///< of a damaged one
  bool without_weights = false;  ///< a finished model that was exported without them
  std::map<std::string, std::string> inputs;  ///< slot -> name of a folder beside this one
  uint64_t bytes = 0;                         ///< of all its files

  std::string name() const { return folder.filename().string(); }
  bool finished() const { return state == "finished"; }
};

/// True if a node has begun in `folder`: it holds a node.json or a manifest.json.
bool is_run(const std::filesystem::path& folder);
/// Reads a node's folder. Damaged files are its state, not an error.
FoundRun read_run(const std::filesystem::path& folder);
/// What changes whenever read_run() of a finished run would say something else: places, sizes and
/// times of its files and folders.
std::string run_stamp(const std::filesystem::path& folder);
/// Reads every file that the run's manifest and the manifests of its checkpoints and kept weights
/// list; one line per difference, empty if all is well.
std::vector<std::string> damage_of(const FoundRun& run);

}  // namespace lvtext
