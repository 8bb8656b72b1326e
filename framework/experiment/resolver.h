// Fills the inputs of a recipe's components: references and inline models become nodes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/experiment/checked_recipe.h"
#include "framework/graph/graph.h"
#include "framework/model/registries.h"
#include "framework/nodes/component_nodes.h"

namespace lvtext {

/// A row of the recipe at one seed: what references to `row` mean.
struct ResolvedRow {
  std::string id;
  std::string suffix;                ///< of the names of its nodes: "-1112" for a further seed
  std::optional<int64_t> seed;       ///< none where no training plays a part
  const Component* model = nullptr;  ///< none: its texts are given
  std::string trained;               ///< the node of the model's training
  std::map<std::string, std::string> fillers;  ///< "samples" -> a reference
  GenerationOptions generation;
  size_t place = 0, of = 1;  ///< of its seed among the row's
};

/// Nodes, or the reason why there are none.
struct Resolved {
  FilledInputs inputs;
  std::vector<std::string> reasons;
};

/// What the resolver knows of the recipe. All of it must outlive the resolver.
struct ResolverContext {
  Graph& graph;
  const Registries& registries;
  const DataNodes& data;
  int64_t seed = 0;  ///< the recipe's: of what its rows share
  DataPlaces places;
  std::string config;  ///< the resolved recipe
};

/// One rule fills every input: what the recipe's entry writes, else the row's filler of that name,
/// else the input's default.
class Resolver {
 public:
  /// `metrics` say how many sentences of each text of a row are asked for.
  Resolver(ResolverContext context, const std::vector<CheckedMetric>& metrics);

  /// The nodes that fill the inputs of an entry (a metric, a figure, a row's fit) for a row. Names
  /// of new nodes hold `owner`.
  Resolved resolve(const std::string& owner, const std::vector<CheckedInput>& inputs,
                   const ResolvedRow& row);
  /// The node of a text of a row, "samples" or another filler; none with a reason. Nothing is added
  /// twice.
  std::string text_of_row(const std::string& name, const ResolvedRow& row, std::string& reason);
  /// The node of the model of a row above, of the seed that pairs with this one. Throws ConfigError
  /// where seeds cannot be paired.
  std::string trained_as(const std::string& id, const ResolvedRow& row) const;
  /// Says that a row's model was trained once more, for the rows below.
  void add_trained(const std::string& row, const std::string& node) {
    trained_[row].push_back(node);
  }
  /// True if a metric asks for this text of a row.
  bool is_wanted(const std::string& text) const { return wanted_.contains(text); }

 private:
  InlinePlace::Source text(const std::string& reference, const ResolvedRow& row,
                           std::string& reason);
  std::string artifact(const InputDecl& input, const std::string& reference, const ResolvedRow& row,
                       std::string& reason);
  /// The nodes of an input, none with the reasons why.
  std::vector<std::string> fill(const std::string& owner, const CheckedInput& input,
                                const ResolvedRow& row, std::vector<std::string>& reasons);
  std::string inline_component(const std::string& owner, const InputDecl& input,
                               const InlineComponent& inlined, const ResolvedRow& row,
                               std::string& reason);
  std::string inline_model(const std::string& owner, const InputDecl& input,
                           const InlineModel& model, const ResolvedRow& row, std::string& reason);
  std::string generate(const std::string& name, const ResolvedRow& row, std::string& reason);
  void want(const CheckedInput& input);
  void want(const std::string& reference, int64_t rows);

  ResolverContext context_;
  std::map<std::string, std::vector<std::string>> trained_;  ///< row -> trainings by their seeds
  std::map<std::string, std::string> shared_;  ///< inline models of all rows: name -> node
  std::map<std::string, int64_t> wanted_;      ///< text of a row -> sentences asked for; 0: all
};

/// Why a model cannot fill an input; empty if it can.
std::string why_not(const InputDecl& input, const Component& model);

}  // namespace lvtext
