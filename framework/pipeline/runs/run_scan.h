// The nodes' folders below a folder of runs, read from their own files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// A score as a manifest lists it.
struct RunScore {
  std::string id;               ///< of the evaluator's scores: "corpus"
  std::optional<double> value;  ///< none: not finite
};

/// The score that stands for a training: the first column of its recipe's first table.
struct RunHeadline {
  std::string metric;  ///< of the recipe: "bleu"
  std::string score;   ///< of the evaluator's scores; empty: the first
  std::string node;    ///< name of the folder of the node that scores
};

/// State of a node's folder.
enum class RunState { kFinished, kRunning, kInterrupted, kFailed, kDamaged };
const std::vector<EnumName<RunState>>& enum_names(RunState);

/// A node's folder, as its node.json and manifest.json describe it.
struct FoundRun {
  std::filesystem::path folder;
  std::string identity;   ///< SHA-256
  std::string label;      ///< `<paper>.<row>.<profile>.s<seed>`, as its maker called it
  std::string kind;       ///< "train", "score" ...
  std::string component;  ///< "vae", "bleu" ...
  int64_t revision = 1;   ///< of the component
  RunState state = RunState::kInterrupted;
  std::string problem;                        ///< why it failed, or what is damaged
  int64_t changed = 0;                        ///< seconds since 1970: when it last changed
  bool without_weights = false;               ///< a finished model that was exported without them
  std::map<std::string, std::string> inputs;  ///< by input: name of a folder beside this one
  /// All options under dotted names, as text: "model.latent.size" -> "16".
  std::map<std::string, std::string> options;
  std::vector<RunScore> scores;         ///< of a finished node that scores
  std::optional<double> objective;      ///< validation of the weights that a training selected
  std::optional<RunHeadline> headline;  ///< of a training that a recipe's table shows

  std::string name() const { return folder.filename().string(); }
  bool finished() const { return state == RunState::kFinished; }
  /// A trained model, or one that was fitted or imported.
  bool is_model() const { return kind == "train" || kind == "model"; }
  /// Of all its files.
  uint64_t bytes() const;
};

/// True if a node has begun in `folder`: it holds a node.json or a manifest.json.
bool is_run(const std::filesystem::path& folder);
/// Reads a node's folder. Damaged files are its state, not an error.
FoundRun read_run(const std::filesystem::path& folder);
/// Every node below `runs`, by folder name; empty if there is no such folder. Other folders are
/// ignored.
std::vector<FoundRun> find_runs(const std::filesystem::path& runs);
/// Reads every file that the run's manifest and the manifests of its checkpoints and kept weights
/// list; one line per difference, empty if all is well.
std::vector<std::string> damage_of(const FoundRun& run);

}  // namespace lvtext
