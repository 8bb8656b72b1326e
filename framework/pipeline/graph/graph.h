// Dependency graph of a recipe's runs and artifacts.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/plugin_file.h"
#include "framework/core/checkpoint/run_folder.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// kModel: a fitted or imported model, as opposed to a trained one.
enum class NodeKind { kSource, kFit, kPack, kTrain, kModel, kProduce, kScore, kSelection };
const std::vector<EnumName<NodeKind>>& enum_names(NodeKind);

/// The folders of a node's inputs by input name.
using NodeInputs = std::map<std::string, std::filesystem::path>;

/// The cost of running a node or a part of it.
struct Measure {
  double seconds = 0;
  double units = 0;    ///< work done, in node-specific units (training: tokens); 0: not counted
  double memory = 0;   ///< peak resident size of the process, bytes
  double disk = 0;     ///< size of the node's folder, bytes
  bool whole = false;  ///< measured over the whole node; otherwise valid per unit of work only
  double cpu = 0;      ///< CPU time of all threads in seconds; 0: unknown
  double size = 0;     ///< size of the model (GraphNode::size); 0: unknown
};

/// Inputs, outputs and callbacks of a running node.
struct NodeRun {
  RunFolder& folder;  ///< output folder; the manifest records the files listed in `outputs`
  NodeInputs inputs;
  std::function<void(const std::string&)> progress;  ///< shows a line of progress to the user
  std::vector<std::string> outputs;                  ///< paths relative to the folder, set by run
  nlohmann::ordered_json metadata;                   ///< stored in the manifest, set by run
  /// Finished runs of the same stem, from whose final state this run may continue.
  std::vector<std::filesystem::path> same_stem;
  std::map<std::string, std::string> parts = {};  ///< parts of the inputs (GraphNode::parts)
  /// For a training: the step at which it saves and throws Paused unless it ends there.
  std::optional<int64_t> pause_at = {};

  const std::filesystem::path& input(const std::string& name) const;
};

/// Thrown by a node's run if there is nothing to compute, which is not a failure (data that the
/// recipe allows to be missing, a selection without a result). Dependent nodes are skipped too.
struct NodeSkipped : Error {
  /// `reason` is shown in place of results, `detail` only once, in a warning.
  explicit NodeSkipped(const std::string& reason, std::string detail = "")
      : Error(Exit::kMissingInput, reason), detail(std::move(detail)) {}
  std::string detail;
};

/// The records that correspond one to one to the rows of a node. Nodes with equal values have
/// aligned rows and can be joined.
struct NodeRows {
  std::string source;  ///< node with the records
  std::string split;
  bool operator==(const NodeRows&) const = default;
};

/// The main score of a training in listings of runs: the first column of its recipe's first table.
struct Headline {
  std::string metric, score;  ///< metric of the recipe; score of the evaluator (empty: the first)
  std::string node;           ///< `<label>-<hash8>` of the scoring node
};

/// A step of the computation: a function from inputs and options to files. Everything that
/// determines its result is part of its identity.
struct GraphNode {
  std::string name;  ///< unique in the graph: "vae-samples"
  NodeKind kind = NodeKind::kFit;
  std::string component;  ///< name of the component: "tokenizer", "vae", "bleu"
  /// Revision of the component; increased when the same options give different results.
  int revision = 1;
  int64_t seed = 0;        ///< part of the folder's name; part of the identity through `options`
  nlohmann::json options;  ///< canonical: all values, including defaults
  std::map<std::string, std::string> inputs;  ///< by input: name of a node added before
  /// By input: the part to read ("last", "best", "step:4"; "all": each kept checkpoint in turn);
  /// inputs that are read as a whole are not listed.
  std::map<std::string, std::string> parts = {};
  std::function<void(NodeRun&)> run;

  /// True if the manifest of a finished run has all requested parts, which are not part of the
  /// identity; otherwise the node runs again and adds them, or refuses to (kept weights). Unset: no
  /// such parts.
  std::function<bool(const nlohmann::ordered_json& manifest)> has_parts = {};
  /// Keys (NamedPart::key) of the requested named parts of inference; shared with `run`. Not part
  /// of the identity.
  std::shared_ptr<std::vector<std::string>> named_parts = {};
  /// Period of the requested kept checkpoints, of a training or of results computed from each of
  /// them: "0.5e"; empty: none. Not part of the identity.
  std::string checkpoints = {};

  // For listings of runs; not part of the identity.
  std::optional<Headline> headline = {};
  std::string recipe;    ///< "<paper>/<table>", set by Graph::add
  std::string row = {};  ///< for a training: the first row that shows it
  /// The data sets and text files that it is computed from; Graph::add() appends those of inputs.
  std::vector<std::string> data = {};

  /// Set if the node has one row per record, directly or through its inputs; otherwise its rows are
  /// its own.
  std::optional<NodeRows> rows = {};

  nlohmann::json cost;  ///< options that its cost depends on; null: all
  /// The amount of work in units of the node, given those of its inputs that are finished; none if
  /// it needs others. May be unset.
  std::function<std::optional<double>(const NodeInputs&)> units;
  /// The same if `units` needs other inputs, given the datasets "train" and "valid" of the
  /// training that the node's text comes from; unset if it cannot be computed from these.
  std::function<std::optional<double>(const NodeInputs&)> units_before;
  /// The cost of a unit of work relative to other nodes of the same kind, given such datasets: the
  /// number of parameters of a training's model. Unset: 1.
  std::function<std::optional<double>(const NodeInputs&)> size;
  /// Measures a part of the work (seconds, units, memory) on such datasets without writing files;
  /// unset if the node uses other data.
  std::function<Measure(const NodeInputs&)> measure;
  /// For trainings: the planned number of updates, given the finished inputs; none for a stop in
  /// wall-clock time.
  std::function<std::optional<int64_t>(const NodeInputs&)> planned_updates;
  /// Plug-in of the component, for the manifest; the identity contains only its revision.
  std::shared_ptr<const Plugin> plugin = {};
  /// "the component 'a' of the plug-in 'b.so'": its own, else those of its inputs; empty if there
  /// is none. For messages, set by Graph::add.
  std::string plugin_components = {};

  /// The options without the length of the work, if a longer node can resume from a shorter one;
  /// otherwise null.
  nlohmann::json stem_options = {};

  /// SHA-256, set by Graph::add unless the node is a finished one of another recipe.
  std::string identity;
  std::string stem;   ///< SHA-256 of stem_options, or empty; set by Graph::add
  std::string label;  ///< `<paper>.<name>.<profile>.s<seed>`, set by Graph::add
};

class Graph {
 public:
  /// `recipe`, "<paper>/<table>", and `profile` appear in descriptions and folder names only.
  Graph(std::string recipe, std::string profile);
  /// Adds a node whose inputs were added before and returns its name, with a number appended if the
  /// name is taken. If a node with the same identity exists, merges the requested parts into it and
  /// returns its name instead. Throws ConfigError if both request different checkpoint periods.
  std::string add(GraphNode node);
  /// All nodes in insertion order: inputs first.
  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const GraphNode& at(const std::string& name) const;
  /// Sets the row of a training unless it has one.
  void set_row(const std::string& name, const std::string& row);
  /// Sets the headline of a node unless it has one.
  void set_headline(const std::string& name, const std::string& metric, const std::string& score,
                    const std::string& scoring_node);
  /// The nodes that `names` depend on, including themselves, inputs first.
  std::vector<const GraphNode*> needed_for(const std::vector<std::string>& names) const;

 private:
  std::string identity_of(const GraphNode& node, const nlohmann::json& options) const;
  std::string plugin_components_of(const GraphNode& node) const;
  std::string recipe_;
  std::string profile_;
  std::vector<GraphNode> nodes_;
  std::map<std::string, size_t> by_name_;
  std::map<std::string, std::string> by_identity_;
};

/// Whether the folder contains a finished run of this node with all requested parts. Throws
/// DamagedRun for a damaged manifest, DataError for a manifest with another identity.
bool is_finished(const std::filesystem::path& folder, const GraphNode& node);

}  // namespace lvtext
