// Reads the folders of nodes below a folder of runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// A score listed in a manifest.
struct RunScore {
  std::string id;               ///< id within the evaluator: "corpus"
  std::optional<double> value;  ///< unset if not finite
};

/// State of a node's folder.
enum class RunState { kFinished, kRunning, kInterrupted, kFailed, kDamaged };
const std::vector<EnumName<RunState>>& enum_names(RunState);

/// A node's folder, as described by its node.json and manifest.json.
struct FoundRun {
  std::filesystem::path folder;
  std::string identity;   ///< SHA-256
  std::string label;      ///< `<paper>.<row>.<profile>.s<seed>`
  std::string kind;       ///< "train", "score" ...
  std::string component;  ///< "vae", "bleu" ...
  int64_t revision = 1;   ///< revision of the component
  RunState state = RunState::kInterrupted;
  std::string problem;  ///< why it failed, or what is damaged
  /// When it was finished, failed or last logged, in milliseconds since 1970, as its files state it
  /// (file times change when a run is copied).
  int64_t changed = 0;
  std::string recipe;                         ///< "<paper>/<table>" that computed it
  std::string row;                            ///< for a training: the row that shows it, or empty
  std::vector<std::string> data;              ///< data sets and text files it is computed from
  bool without_weights = false;               ///< a finished model that was exported without them
  std::map<std::string, std::string> inputs;  ///< input -> name of a folder next to this one
  /// All options as text, with dotted names: "model.latent.size" -> "16".
  std::map<std::string, std::string> options;
  std::vector<RunScore> scores;      ///< scores of a finished score node
  std::optional<double> objective;   ///< validation objective of a training's weights
  std::optional<Headline> headline;  ///< set for trainings shown in a recipe's table

  std::string name() const { return folder.filename().string(); }
  bool finished() const { return state == RunState::kFinished; }
  /// "my.txt, valid.txt".
  std::string data_text() const;
  /// True for trained, fitted and imported models.
  bool is_model() const { return kind == "train" || kind == "model"; }
  /// Total size of its files.
  uint64_t bytes() const;
};

/// True if `folder` contains a node.json or a manifest.json.
bool is_run(const std::filesystem::path& folder);
/// Reads a node's folder. Damaged files set the state kDamaged and do not throw.
FoundRun read_run(const std::filesystem::path& folder);
/// Every node below `runs`, sorted by folder name; empty if the folder does not exist. Other
/// folders are ignored. Throws io_error if the folder cannot be read.
std::vector<FoundRun> find_runs(const std::filesystem::path& runs);
/// Objective of the last validation in the log of a training's folder up to step `last`; 0: no
/// limit.
std::optional<double> last_objective(const std::filesystem::path& folder, int64_t last);
/// Verifies every file listed in the manifests of the run, its checkpoints and its kept weights;
/// returns one line per difference.
std::vector<std::string> damage_of(const FoundRun& run);

}  // namespace lvtext
