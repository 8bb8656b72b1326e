// Parts of nodes: the kept checkpoints of a training, and what is computed from each of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/graph/graph.h"

namespace lvtext {

/// The fact of a manifest that lists the kept checkpoints that a node has: period -> steps. The
/// same for a training and for what was computed from each of its checkpoints.
inline constexpr const char* kCheckpointsFact = "checkpoints";
/// The fact of a manifest that lists the named parts that a node has: key -> folder.
inline constexpr const char* kNamedPartsFact = "parts";
/// The part that stands for each kept checkpoint in turn.
inline constexpr const char* kAllCheckpoints = "all";
/// Added to a slot's name: the choice that decides what is read there.
inline constexpr const char* kChoiceOf = ".choice";

/// What a choice among rows may choose: a node, or a part of it.
struct CandidateNode {
  std::string key, node;
  std::string part = {};  ///< as that of a NodePart
};

/// What fills an input: a node, or a part of it.
struct NodePart {
  std::string node;
  /// "step:4", of a model also "last" and "best", or kAllCheckpoints; of inference that leaves
  /// named parts the key of one (NamedPart::key); empty: the whole node, which is the selected
  /// weights of a model.
  std::string part = {};
  /// Of what leaves a dataset: the one column that is read; empty: the text, or all columns.
  std::string column = {};
  /// The node of a choice. Without `among` it decides which checkpoint of `node` is read.
  std::string choice = {};
  /// The candidates of a choice: the one that `choice` chose is read.
  std::vector<CandidateNode> among = {};

  NodePart(std::string name, std::string which = "")  // NOLINT: a node's name is the whole node
      : node(std::move(name)), part(std::move(which)) {}
  NodePart(const char* name) : node(name) {}  // NOLINT: the same
  /// What `model_or_text` is at the checkpoint that a choice among checkpoints chose.
  static NodePart chosen(const std::string& model_or_text, const std::string& choice);
  /// The node of the candidate that a choice among rows chose.
  static NodePart chosen_of(std::vector<CandidateNode> candidates, const std::string& choice);

  /// All nodes that must be finished before it can be read.
  std::vector<std::string> nodes() const;
  /// A node of its kind: itself, or the first candidate.
  const std::string& typical() const { return among.empty() ? node : among.front().node; }
};

/// Adds the nodes of a slot to the inputs of `node`. One that is read at all checkpoints makes
/// `node` one that has them as its parts. Throws ConfigError if its training keeps none, if another
/// input is kept at another period, or if what has only parts is read whole.
void add_input(const Graph& graph, GraphNode& node, const std::string& input_key,
               const NodePart& part);

/// The slot of a candidate of a choice: "model@1.2".
std::string candidate_input(const std::string& input_key, const std::string& key);

/// An input as it is when a node runs.
struct LocatedInput {
  std::string input_key;         ///< that of the chosen candidate
  std::filesystem::path folder;  ///< of a named part its own
  std::optional<int64_t> step;   ///< of the checkpoint that is read; none: the whole node
};

/// What add_input() added to a slot. `at` is the checkpoint that a node is at which is computed
/// from each of them. Throws NodeSkipped if the choice of the slot chose nothing, or what
/// step_of_part() throws.
LocatedInput locate_input(const NodeInputs& inputs, const std::map<std::string, std::string>& parts,
                          const std::string& input_key, std::optional<int64_t> at = std::nullopt);

/// N of "step:N"; none for all other texts.
std::optional<int64_t> parse_step(const std::string& part);
/// The step that "last", "best" or "step:4" means for a finished node. Throws MissingError if it
/// has no such one.
int64_t step_of_part(const std::filesystem::path& folder, const std::string& part);
/// The steps of the checkpoints that a finished node has of a period. Throws MissingError if it was
/// not asked for them.
std::vector<int64_t> kept_steps(const std::filesystem::path& folder, const std::string& period);

/// Throws MissingError, naming the nearest kept steps, if a finished training keeps no weights of
/// this one.
void check_kept(const std::filesystem::path& training, int64_t step);
/// The folder of a part of a finished node, which is read as a finished node's own (FinishedRun).
/// Throws MissingError naming the nearest parts, DamagedRun if the part's manifest was changed.
std::filesystem::path part_folder(const std::filesystem::path& folder, int64_t step);

/// The folder of a named part of a finished node, likewise.
std::filesystem::path named_part_folder(const std::filesystem::path& folder,
                                        const std::string& key);
/// Whether the part of a NodePart is the key of a named one.
bool is_named_part(const std::string& part);

/// What a node's work left in a folder.
struct WrittenFiles {
  std::vector<std::string> files;
  nlohmann::ordered_json metadata = nlohmann::ordered_json::object();
};

/// True for the manifest of a node that has the checkpoints of this period.
bool has_checkpoints(const nlohmann::ordered_json& manifest, const std::string& period);

/// Lists what a finished node has among its outputs and facts again, after verifying all of it: a
/// new manifest is written. Throws DamagedRun.
void reopen_finished(NodeRun& run);

/// True for the manifest of a node that has all named parts of these keys.
bool has_named_parts(const nlohmann::ordered_json& manifest, const std::vector<std::string>& keys);

/// What writes the result of one part into a folder.
using PartWriter = std::function<WrittenFiles(const std::filesystem::path&)>;
/// Leaves the named parts of these keys, each in a folder of its own with a manifest of its own.
/// `work` computes those that are not whole, which are the ones whose indices it is given,
/// together; neither those of an interrupted run nor those of a finished one are computed again.
void run_named_parts(
    NodeRun& run, const std::vector<std::string>& keys,
    const std::function<std::vector<PartWriter>(const std::vector<size_t>& lacking)>& work);

/// Does the work once for each step, in a folder `step-N` of its own with a manifest of its own.
/// Parts that are whole are not computed again, neither those of an interrupted run nor those of a
/// finished one, which gets the parts that it lacks.
void run_parts(NodeRun& run, const std::string& period, const std::vector<int64_t>& steps,
               const std::function<WrittenFiles(const std::filesystem::path&, int64_t)>& work);

}  // namespace lvtext
