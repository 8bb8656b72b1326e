// Parts of nodes: the kept checkpoints of a training, results computed from each of them, and named
// parts.
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

/// Metadata key of a manifest for the kept checkpoints of a node: period -> steps; for trainings
/// and for nodes computed from each checkpoint.
inline constexpr const char* kCheckpointsKey = "checkpoints";
/// Metadata key of a manifest for the named parts of a node: key -> folder.
inline constexpr const char* kNamedPartsKey = "parts";
/// The part of a NodePart that means each kept checkpoint in turn.
inline constexpr const char* kAllCheckpoints = "all";
/// Suffix of an input's key: the selection of its value.
inline constexpr const char* kSelectionOf = ".choice";

/// A candidate of a selection among rows: a node, or a part of it.
struct CandidateNode {
  std::string key, node;
  std::string part = {};  ///< like NodePart::part
};

/// The value of an input: a node, or a part of it.
struct NodePart {
  std::string node;
  /// "step:4", for a model also "last" and "best", or kAllCheckpoints; for inference with named
  /// parts, the key of one (NamedPart::key); empty: the whole node (the selected weights of a
  /// model).
  std::string part = {};
  /// For nodes with a dataset: the column to read; empty: the text, or all columns.
  std::string column = {};
  /// The node of a selection. Without `among`, it selects the checkpoint of `node`.
  std::string selection = {};
  /// The candidates of a selection; the one that `selection` selected is read.
  std::vector<CandidateNode> among = {};

  NodePart(std::string name, std::string which = "")  // NOLINT: a name means the whole node
      : node(std::move(name)), part(std::move(which)) {}
  NodePart(const char* name) : node(name) {}  // NOLINT: the same
  /// `model_or_text` at the checkpoint of a selection.
  static NodePart chosen(const std::string& model_or_text, const std::string& selection);
  /// The node of the candidate of a selection among rows.
  static NodePart chosen_of(std::vector<CandidateNode> candidates, const std::string& selection);

  /// Returns all nodes that must be finished before the part can be read.
  std::vector<std::string> nodes() const;
  /// A representative node: itself, or the first candidate.
  const std::string& representative() const { return among.empty() ? node : among.front().node; }
};

/// Adds an input to `node`. An input that is read at all checkpoints gives `node` the same
/// checkpoints as parts. Throws ConfigError if its training keeps none, if inputs have different
/// periods, or if a node that only has parts is read as a whole.
void add_input(const Graph& graph, GraphNode& node, const std::string& input_key,
               const NodePart& part);

/// Key of the input for a candidate of a selection: "model@1.2".
std::string candidate_input(const std::string& input_key, const std::string& key);

/// An input of a running node.
struct LocatedInput {
  std::string input_key;         ///< key of the selected candidate
  std::filesystem::path folder;  ///< for a named part: its folder
  std::optional<int64_t> step;   ///< step of the checkpoint to read; none: the whole node
};

/// Locates an input that was added by add_input(). `at`: current checkpoint of a node that is
/// computed for each of them. Throws NodeSkipped if the input's selection is empty, and the
/// exceptions of step_of_part().
LocatedInput locate_input(const NodeInputs& inputs, const std::map<std::string, std::string>& parts,
                          const std::string& input_key, std::optional<int64_t> at = std::nullopt);

/// N of "step:N"; none for other strings.
std::optional<int64_t> parse_step(const std::string& part);
/// The step of "last", "best" or "step:4" for a finished node. Throws MissingError if it has no
/// such step.
int64_t step_of_part(const std::filesystem::path& folder, const std::string& part);
/// The steps of a finished node's checkpoints at a period. Throws MissingError if it has none at
/// this period.
std::vector<int64_t> kept_steps(const std::filesystem::path& folder, const std::string& period);

/// Throws MissingError with the nearest kept steps if a finished training did not keep this step.
void check_kept(const std::filesystem::path& training, int64_t step);
/// The folder of a part of a finished node, which can be read with FinishedRun. Throws MissingError
/// naming the nearest parts, DamagedRun if the part's manifest was changed.
std::filesystem::path part_folder(const std::filesystem::path& folder, int64_t step);

/// Same as part_folder(), for a named part.
std::filesystem::path named_part_folder(const std::filesystem::path& folder,
                                        const std::string& key);
/// True if NodePart::part is the key of a named part.
bool is_named_part(const std::string& part);

/// Files and metadata written for a node or a part.
struct WrittenFiles {
  std::vector<std::string> files;
  nlohmann::ordered_json metadata = nlohmann::ordered_json::object();
};

/// True if a manifest lists checkpoints at this period.
bool has_checkpoints(const nlohmann::ordered_json& manifest, const std::string& period);

/// Verifies the outputs of a finished node and adds them and its metadata to `run`, for a new
/// manifest. Throws DamagedRun.
void reopen_finished(NodeRun& run);

/// True if a manifest lists named parts with all these keys.
bool has_named_parts(const nlohmann::ordered_json& manifest, const std::vector<std::string>& keys);

/// Writes the result of one part into a folder.
using PartWriter = std::function<WrittenFiles(const std::filesystem::path&)>;
/// Computes the named parts with these keys, each in its own folder with its own manifest. `work`
/// receives the indices of the missing parts and computes them together; complete parts of an
/// interrupted or finished run are kept.
void run_named_parts(
    NodeRun& run, const std::vector<std::string>& keys,
    const std::function<std::vector<PartWriter>(const std::vector<size_t>& lacking)>& work);

/// Runs `work` once per step, each in a folder `step-N` with its own manifest. Complete parts of an
/// interrupted or finished run are kept; only missing parts are computed.
void run_parts(NodeRun& run, const std::string& period, const std::vector<int64_t>& steps,
               const std::function<WrittenFiles(const std::filesystem::path&, int64_t)>& work);

}  // namespace lvtext
