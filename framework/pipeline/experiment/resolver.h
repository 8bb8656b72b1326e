// Fills the inputs of a recipe's components: references and inline models become nodes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/pipeline/experiment/checked_recipe.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/component_nodes.h"

namespace lvtext {

/// The nodes of an entry, one for each of its runs.
struct EntryRuns {
  std::vector<std::string> nodes;
  /// Of the training that each comes from; none where no training of `models` plays a part.
  std::vector<std::optional<int64_t>> seeds;
  std::string reason;  ///< why there is none
};

/// A row of the recipe at one seed: what references to `row` mean; or a choice among rows, which
/// stands for the one that it chose; or an entry at one of its runs, which has no row.
struct ResolvedRow {
  std::string id;
  std::string suffix;           ///< of the names of its nodes: "-1112" for a further seed
  std::optional<int64_t> seed;  ///< none where no training plays a part
  const CheckedRow* row = nullptr;
  const CheckedSelect* select = nullptr;
  const Component* model = nullptr;  ///< none: its texts are given
  std::string trained;               ///< the node of the model
  size_t index = 0, of = 1;          ///< of its seed among the row's
  /// What is generated `at_checkpoints` is generated from each kept checkpoint of the model, and
  /// what is computed from it is computed for each of them; else from its selected weights.
  bool at_checkpoints = false;
  std::string model_part = {};  ///< of the model, where it is read
  std::string split = {};       ///< of an entry that runs for each split of a data set
};

/// Whether a row's training keeps checkpoints, and something is generated from each of them.
bool keeps_checkpoints(const CheckedRow& row);

/// Nodes, or the reason why there are none.
struct Resolved {
  FilledInputs inputs;
  std::vector<std::string> reasons;
};

/// What the resolver knows of the recipe. All of it must outlive the resolver.
struct ResolverContext {
  Graph& graph;
  const Registries& registries;
  const CheckedRecipe& recipe;
  const std::map<std::string, DataNodes>& data;
  std::string main_data;         ///< the set of trainings that name none
  std::optional<int64_t> seeds;  ///< trainings of each model; unset: what its entry says
  DataLocations locations;
  std::string config;  ///< the resolved recipe
};

/// One rule fills every input: what the recipe's entry writes, else the row's filler of that name,
/// else what is generated under it, else the input's default. Entries are added to the graph where
/// something names them first.
class Resolver {
 public:
  explicit Resolver(ResolverContext context);

  /// The nodes of an entry of artifacts or models; of inference over a data set as a whole those of
  /// one split. Throws ConfigError for seeds that cannot be paired, and for entries that need one
  /// another.
  const EntryRuns& entry(const std::string& id, const std::string& split = "");
  /// A row at each of its seeds; one without a seed where no training plays a part.
  std::vector<ResolvedRow> runs_of(const CheckedRow& row, std::string& reason);
  /// The nodes that fill the inputs of an entry (a metric, a figure, an entry) for a row. Names of
  /// new nodes hold `owner`.
  Resolved resolve(const std::string& owner, const std::vector<CheckedInput>& inputs,
                   const ResolvedRow& row);
  /// The node that scores a row by a metric; none with a reason.
  std::string score_of(const CheckedMetric& metric, const ResolvedRow& row, std::string& reason);
  /// The node that scores a row by a metric at each kept checkpoint of its training; none if the
  /// metric does not depend on what is generated from these.
  std::string score_at_checkpoints(const CheckedMetric& metric, const ResolvedRow& row);
  /// The node that chooses a kept checkpoint of a row; none if the row has no scores of them.
  std::string checkpoint_choice(const CheckedSelect& select, const ResolvedRow& row);
  /// A node of one of the seeds of what it is computed from: a choice, or a score of several rows.
  struct Choice {
    std::string node;
    std::optional<int64_t> seed;
    std::string reason;  ///< why there is none
  };
  /// The nodes of a metric that is computed from several rows together. Rows that `left_out` has,
  /// and those that lack a score, whose reasons are added to it, are left out; with `against` their
  /// partners too.
  std::vector<Choice> across(const CheckedMetric& metric,
                             std::map<std::string, std::string>& left_out);
  /// Of a select among rows.
  std::vector<Choice> choices(const CheckedSelect& select);
  /// The node of a text of a row, "samples" or another filler; none with a reason. Nothing is added
  /// twice.
  std::string text_of_row(const std::string& name, const ResolvedRow& row, std::string& reason);
  /// True if a metric asks for this text of a row.
  bool is_wanted(const std::string& text) const { return wanted_.contains(text); }

 private:
  /// The seeds of the runs that something has which is computed from what an input names; one
  /// without a seed where no training plays a part. Those of several inputs pair by their order, a
  /// single one serves all. Throws ConfigError, which says `owner`, for other unequal counts.
  using Seeds = std::vector<std::optional<int64_t>>;
  Seeds seeds_of(const Filling& filling);
  Seeds seeds_of(const std::vector<CheckedInput>& inputs, const std::string& owner);
  const Seeds& seeds_of(const CheckedEntry& entry);
  static Seeds seeds_of(const std::vector<ResolvedRow>& runs);
  void pair_seeds(const Seeds& more, const std::string& name, const std::string& owner,
                  Seeds& seeds) const;
  /// Which of `count` runs of `name` belongs to a row: one alone serves all.
  size_t paired(size_t count, const std::string& name, const ResolvedRow& row) const;
  /// Throws ConfigError at the line of an entry, a row, a metric or a select.
  [[noreturn]] void refuse(const std::string& id, const std::string& problem,
                           const std::string& hint) const;
  /// What `add` gives, which adds a node; reports its ConfigErrors at the line of an entry.
  std::string located(const std::string& id, const std::function<std::string()>& add) const;
  InlineContext::Source text(const KnownReference& reference, const ResolvedRow& row,
                             std::string& reason);
  /// A node of the empty name with a reason.
  NodePart artifact(const InputDecl& input, const KnownReference& reference, const ResolvedRow& row,
                    std::string& reason);
  /// What each candidate of a select has of that name; which one is read is known when it runs.
  NodePart chosen(const InputDecl& input, const KnownReference& reference, const ResolvedRow& row,
                  std::string& reason);
  /// The same of whatever each candidate has.
  NodePart chosen_of(const CheckedSelect& select, const ResolvedRow& row, std::string& reason,
                     const std::function<NodePart(const ResolvedRow& candidate)>& of_candidate);
  /// An entry at the weights that `at` names.
  NodePart entry_at(const std::string& id, const std::string& at, const ResolvedRow& row,
                    std::string& reason);
  const CheckedEntry& checked_entry(const std::string& id) const;
  /// What a filler names, of which `rest` is asked for: a split, a part, or a part of a split.
  KnownReference part_of(KnownReference filler, const std::string& rest) const;
  /// Notes that what an id stands for is being resolved. Throws ConfigError, which lists the
  /// circle, if it is already.
  void open(const std::string& id);
  /// Of a node that is computed at each kept checkpoint all of these, else the node.
  NodePart at_its_checkpoints(const std::string& node) const;
  /// The node of an entry that belongs to a row or to a run; `split`: of inference over splits.
  std::string run_of(const std::string& id, const std::string& split, const ResolvedRow& row,
                     std::string& reason);
  /// The nodes of an input, none with the reasons why.
  std::vector<NodePart> fill(const std::string& owner, const CheckedInput& input,
                             const ResolvedRow& row, std::vector<std::string>& reasons);
  std::string inline_component(const std::string& owner, const InputDecl& input,
                               const InlineComponent& inlined, const ResolvedRow& row,
                               std::string& reason);
  std::string inline_model(const std::string& owner, const InputDecl& input,
                           const InlineModel& model, const ResolvedRow& row, std::string& reason);
  std::string generate(const std::string& name, const ResolvedRow& row, std::string& reason);
  EntryRuns add_entry(const CheckedEntry& entry, const std::string& split);
  /// What fills the inputs of a metric that take scores: of one row, or of those of `across`.
  FilledScoreInputs scores_for(const CheckedMetric& metric, const std::vector<ResolvedRow>& rows,
                               const std::vector<ResolvedRow>& against, std::string& reason);
  /// The scores of a line of `across`: a row, or the row that a select chose.
  NodePart scores_of_line(const CheckedMetric& metric, const ResolvedRow& line,
                          std::string& reason);
  /// What fills the other inputs of a metric of several rows: what is of a row, of each of them.
  FilledInputs inputs_across(const CheckedMetric& metric, const std::vector<ResolvedRow>& lines,
                             std::string& reason);
  /// Whether a line gives an input something of its own.
  bool is_of_line(const CheckedInput& input, const ResolvedRow& line) const;
  /// The input, where the line is a select with what that chose in the place of the row's.
  CheckedInput input_of_line(const CheckedInput& input, const ResolvedRow& line) const;
  /// A line of `across`, a row or a select, at each of its seeds.
  std::vector<ResolvedRow> lines_of(const std::string& id, std::string& reason);
  /// Why a line lacks what a metric of several rows needs; empty if it has all.
  std::string why_unscored(const CheckedMetric& metric, const std::string& row);
  std::vector<ResolvedRow> rows_at(const std::vector<std::string>& ids, size_t index,
                                   bool at_checkpoints, std::string& reason);
  std::string add_run(const CheckedEntry& entry, const ResolvedRow& run, const Resolved& inputs,
                      int64_t seed, std::string& reason);
  /// A node and the records that its rows stand for, for messages.
  std::string shown_rows(const NodePart& part) const;
  /// Why inputs that are compared row by row cannot be (InputDecl::aligned_with); empty: they can.
  std::string why_not_aligned(const std::vector<CheckedInput>& inputs,
                              const FilledInputs& filled) const;
  /// Refuses columns that are joined and belong to different records.
  void check_joined(const std::string& owner, const std::vector<NodePart>& parts) const;
  /// Refuses a trained model with an input of InputDecl::same_tokenizer that has another tokenizer.
  void check_tokenizers(const CheckedEntry& entry, const Resolved& inputs,
                        const std::string& trained) const;
  void want(const CheckedInput& input);
  void want(const KnownReference& reference, int64_t rows);

  ResolverContext context_;
  std::map<std::pair<std::string, std::string>, EntryRuns> entries_;  ///< by id and split
  std::map<std::string, Seeds> seeds_;                                ///< of entries
  std::map<std::string, std::vector<Choice>> choices_;                ///< by select
  std::vector<std::string> open_;              ///< entries that are being added
  std::map<std::string, std::string> shared_;  ///< inline models of all rows: name -> node
  std::map<std::string, int64_t> wanted_;      ///< text of a row -> sentences asked for; 0: all
};

}  // namespace lvtext
