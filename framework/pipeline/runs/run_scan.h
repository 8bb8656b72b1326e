// Reads the nodes' folders in a folder of runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// A score listed in a manifest.
struct RunScore {
  std::string id;               ///< score id of the evaluator: "corpus"
  std::optional<double> value;  ///< none: not finite
};

/// The main score of a training: that of the first column of its recipe's first table.
struct RunHeadline {
  std::string metric;  ///< id in the recipe: "bleu"
  std::string score;   ///< score id of the evaluator; empty: the first
  std::string node;    ///< folder name of the scoring node
};

/// State of a node's folder.
enum class RunState { kFinished, kRunning, kInterrupted, kFailed, kDamaged };
const std::vector<EnumName<RunState>>& enum_names(RunState);

/// A node's folder, as described by its node.json and manifest.json.
struct FoundRun {
  std::filesystem::path folder;
  std::string identity;   ///< SHA-256
  std::string label;      ///< `<paper>.<row>.<profile>.s<seed>` of the recipe that created it
  std::string kind;       ///< "train", "score" ...
  std::string component;  ///< "vae", "bleu" ...
  int64_t revision = 1;   ///< of the component
  RunState state = RunState::kInterrupted;
  std::string problem;                        ///< reason of the failure or damage
  int64_t changed = 0;                        ///< time of the last change, seconds since 1970
  bool without_weights = false;               ///< a finished model exported without weights
  std::map<std::string, std::string> inputs;  ///< by input: name of a sibling folder
  /// All options under dotted names, as text: "model.latent.size" -> "16".
  std::map<std::string, std::string> options;
  std::vector<RunScore> scores;         ///< for a finished scoring node
  std::optional<double> objective;      ///< validation objective of a training's selected weights
  std::optional<RunHeadline> headline;  ///< for a training in a recipe's table

  std::string name() const { return folder.filename().string(); }
  bool finished() const { return state == RunState::kFinished; }
  /// True for trained, fitted and imported models.
  bool is_model() const { return kind == "train" || kind == "model"; }
  /// Total size of its files.
  uint64_t bytes() const;
};

/// True if `folder` has a node.json or a manifest.json.
bool is_run(const std::filesystem::path& folder);
/// Reads a node's folder. Damaged files give the state kDamaged.
FoundRun read_run(const std::filesystem::path& folder);
/// All nodes in `runs` by folder name; empty if the folder does not exist. Other folders are
/// ignored.
std::vector<FoundRun> find_runs(const std::filesystem::path& runs);
/// Verifies all files in the manifests of the run, its checkpoints and kept weights. Returns one
/// line per difference.
std::vector<std::string> damage_of(const FoundRun& run);

}  // namespace lvtext
