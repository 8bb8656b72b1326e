// The runs and artifacts of a recipe with what each of them needs.
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

/// kModel: a model that was fitted or imported, not trained.
enum class NodeKind { kSource, kFit, kPack, kTrain, kModel, kProduce, kScore, kChoice };
const std::vector<EnumName<NodeKind>>& enum_names(NodeKind);

/// Folder of each input slot of a node.
using NodeInputs = std::map<std::string, std::filesystem::path>;

/// The cost of a node's run, or of a part of it.
struct Measure {
  double seconds = 0;
  double units = 0;   ///< work done, in the node's own units (tokens of a training); 0: not counted
  double memory = 0;  ///< largest resident size of the process, bytes
  double disk = 0;    ///< its folder, bytes
  bool whole = false;  ///< of the whole node; else of a part, which scales with the units only
};

/// What a node sees while it runs.
struct NodeRun {
  RunFolder& folder;  ///< where it writes; everything it lists in `outputs` is sealed by a manifest
  NodeInputs inputs;
  std::function<void(const std::string&)> progress;  ///< one line for the person who waits
  std::vector<std::string> outputs;                  ///< paths relative to the folder, set by run
  nlohmann::ordered_json metadata;                   ///< stored in the manifest, set by run
  /// Finished runs of the same stem, from whose end this one may continue.
  std::vector<std::filesystem::path> same_stem;
  std::map<std::string, std::string> parts = {};  ///< of the inputs (GraphNode::parts)

  const std::filesystem::path& input(const std::string& name) const;
};

/// Thrown by a node's run: there is nothing to compute, which is no failure (missing data whose
/// absence the recipe allows, a choice that chose nothing). What needs the node is skipped too.
struct NodeSkipped : Error {
  /// `reason` is shown in the place of results, `detail` only once, as a warning.
  explicit NodeSkipped(const std::string& reason, std::string detail = "")
      : Error(Exit::kMissingInput, reason), detail(std::move(detail)) {}
  std::string detail;
};

/// One step of the work: a function from inputs and options to files. All that determines its
/// result is part of its identity. The records that the rows of a node stand for, one by one: two
/// nodes of the same can be joined.
struct NodeRows {
  std::string source;  ///< the node of the records
  std::string split;
  bool operator==(const NodeRows&) const = default;
};

/// The score that stands for a training where runs are listed.
struct Headline {
  std::string metric, score;  ///< of the recipe; of the evaluator's scores (empty: the first)
  std::string node;           ///< `<label>-<hash8>` of the node that scores
};

struct GraphNode {
  std::string name;  ///< unique in the graph, for people: "vae-samples"
  NodeKind kind = NodeKind::kFit;
  std::string component;   ///< what does the work: "tokenizer", "vae", "bleu"
  int revision = 1;        ///< of the component; raised when the same options give other bytes
  int64_t seed = 0;        ///< shown in the folder's name; part of the identity through `options`
  nlohmann::json options;  ///< canonical: every value, defaults included
  std::map<std::string, std::string> inputs;  ///< slot -> name of a node added before
  /// Slot -> the part of that input that is read ("last", "best", "step:4"; "all": each kept
  /// checkpoint in turn); inputs that are read whole are left out.
  std::map<std::string, std::string> parts = {};
  std::function<void(NodeRun&)> run;

  /// True if the manifest of a finished run has all parts that are asked for, which are outside the
  /// identity (kept weights); else it runs again and adds them. Unset: a node without such parts.
  std::function<bool(const nlohmann::ordered_json& manifest)> has_parts = {};
  /// The keys (NamedPart::key) of the named parts that are asked for, of inference that leaves
  /// some; shared with `run`. Outside the identity, too.
  std::shared_ptr<std::vector<std::string>> named_parts = {};
  /// The period of the kept checkpoints that are asked for, of a training or of what is computed
  /// from each of them: "0.5e"; empty: none. Outside the identity, too.
  std::string checkpoints = {};

  /// For people, outside the identity.
  std::optional<Headline> headline = {};

  /// Of what leaves a row for each record, directly or computed from one that does; else its rows
  /// are its own.
  std::optional<NodeRows> rows = {};

  nlohmann::json cost;  ///< what its time depends on; null: all options
  /// The work to do, in units of the node's own, given its finished inputs; may be unset.
  std::function<std::optional<double>(const NodeInputs&)> units;
  /// The same before the inputs are finished, given the recipe's packs; unset where these do not
  /// tell it.
  std::function<std::optional<double>(const NodeInputs&)> units_before;
  /// Times a little of the work (seconds, units, memory) on the recipe's packs without leaving
  /// anything; unset where the work is on other data.
  std::function<Measure(const NodeInputs&)> measure;
  /// Where the component comes from, for the manifest; its revision is what the identity has of it.
  std::shared_ptr<const Plugin> plugin = {};

  /// The options without the length of the work, where a longer node may resume from a shorter
  /// one's end; null: it may not.
  nlohmann::json stem_options = {};

  std::string identity;  ///< SHA-256, set by Graph::add
  std::string stem;      ///< the same of stem_options, or empty; set by Graph::add
  std::string label;     ///< `<paper>.<name>.<profile>.s<seed>`, set by Graph::add
};

class Graph {
 public:
  /// `paper` and `profile` appear in folder names only.
  Graph(std::string paper, std::string profile);
  /// Adds a node whose inputs were added before and returns its name, which gets a number behind it
  /// where another node has it. If one of the same identity is there, its name is returned, and it
  /// gets the checkpoints that this one is asked for.
  std::string add(GraphNode node);
  /// In the order of adding: inputs first.
  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const GraphNode& at(const std::string& name) const;
  /// Lets the score of another node stand for this one; the first one that is given counts.
  void set_headline(const std::string& name, const std::string& metric, const std::string& score,
                    const std::string& scoring_node);
  /// The nodes that `names` need, themselves included, in order.
  std::vector<const GraphNode*> needed_for(const std::vector<std::string>& names) const;

 private:
  std::string identity_of(const GraphNode& node, const nlohmann::json& options) const;
  std::string paper_;
  std::string profile_;
  std::vector<GraphNode> nodes_;
  std::map<std::string, size_t> by_name_;
  std::map<std::string, std::string> by_identity_;
};

/// True if the folder's manifest says that this node is finished, with all parts that are asked
/// for. Throws DamagedRun for a damaged manifest, DataError for one of another identity.
bool is_finished(const std::filesystem::path& folder, const GraphNode& node);

}  // namespace lvtext
