// Resolves the inputs of a recipe's components: converts references and inline models to nodes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/plan/resolver_context.h"

namespace lvtext {

struct Training;

/// The nodes of an entry, one per run.
struct EntryRuns {
  std::vector<std::string> nodes;
  /// Seed of the training that each node depends on; none without a training of `models`.
  std::vector<std::optional<int64_t>> seeds;
  std::string reason;  ///< why `nodes` is empty
};

/// Filled inputs, or the reasons why inputs are missing.
struct Resolved {
  FilledInputs inputs;
  std::vector<std::string> reasons;
};

/// Fills every input by one rule: the value in the recipe's entry, else the row's filler of that
/// name, else the text generated under that name, else the input's default. Entries are added to
/// the graph on first use. Functions that return nodes throw Absent if there are none, unless their
/// result has a reason or may be empty.
class Resolver {
 public:
  explicit Resolver(ResolverContext context);

  /// The nodes of an entry of artifacts or models; for inference over a whole data set, those of
  /// one split. Throws ConfigError for seeds that cannot be paired and for cyclic references.
  const EntryRuns& entry(const std::string& id, const std::string& split = "");
  /// A row at each of its seeds; one element without a seed if no training is involved. Throws
  /// Absent for a row that is not run.
  std::vector<ResolvedRow> runs_of(const CheckedRow& row);
  /// The nodes that fill the inputs of an entry (a metric, a figure, an artifact) for a row. Names
  /// of new nodes contain `owner`.
  Resolved resolve(const std::string& owner, const std::vector<CheckedInput>& inputs,
                   const ResolvedRow& row);
  /// The node that scores a row by a metric.
  std::string score_of(const CheckedMetric& metric, const ResolvedRow& row);
  /// The node that scores a row by a metric at each kept checkpoint of its training; empty if the
  /// metric does not depend on texts generated from these.
  std::string score_at_checkpoints(const CheckedMetric& metric, const ResolvedRow& row);
  /// The node that chooses a kept checkpoint of a row; empty if the row has no scores of them.
  std::string checkpoint_selection(const CheckedSelect& select, const ResolvedRow& row);
  /// A node for one seed of its inputs: a selection, or a score of several rows.
  struct SeedNode {
    std::string node;
    std::optional<int64_t> seed;
    std::string reason;  ///< why `node` is empty
  };
  /// The nodes of a metric that is computed from several rows together. Rows in `left_out` are
  /// excluded, and so are rows without a score, whose reasons are added to it; with `against`,
  /// their partners too.
  std::vector<SeedNode> across(const CheckedMetric& metric,
                               std::map<std::string, std::string>& left_out);
  /// The nodes of a select among rows.
  std::vector<SeedNode> selections(const CheckedSelect& select);
  /// The node of a text of a row, "samples" or another filler. Existing nodes are reused.
  std::string text_of_row(const std::string& name, const ResolvedRow& row);
  /// True if a metric uses this text of a row.
  bool is_requested(const std::string& text) const { return requested_.contains(text); }

 private:
  /// Seeds of the runs of a result that is computed from an input; one element without a seed if no
  /// training is involved. Seeds of several inputs are paired by their order; a single one is
  /// paired with all. Throws ConfigError naming `owner` for other unequal counts.
  using Seeds = std::vector<std::optional<int64_t>>;
  Seeds seeds_of(const Filling& filling);
  Seeds seeds_of(const std::vector<CheckedInput>& inputs, const std::string& owner);
  const Seeds& seeds_of(const CheckedEntry& entry);
  static Seeds seeds_of(const std::vector<ResolvedRow>& runs);
  void pair_seeds(const Seeds& more, const std::string& name, const std::string& owner,
                  Seeds& seeds) const;
  /// Index of the run, among `count` runs of `name`, that belongs to a row; a single run belongs to
  /// all.
  size_t paired(size_t count, const std::string& name, const ResolvedRow& row) const;
  InlineContext::Source text(const KnownReference& reference, const ResolvedRow& row);
  /// The node of a reference.
  NodePart artifact(const InputDecl& input, const KnownReference& reference,
                    const ResolvedRow& row);
  /// artifact() for an entry of artifacts or models.
  NodePart of_entry(const KnownReference& reference, const ResolvedRow& row);
  /// artifact() for a split, part or column of a row's filler.
  NodePart part_of_filler(const InputDecl& input, const KnownReference& reference,
                          const ResolvedRow& row);
  /// artifact() for a row's model or filler, when the input is no text.
  NodePart of_row(const InputDecl& input, const KnownReference& reference, const ResolvedRow& row);
  /// The artifact or model that a row's filler names; null for other references and fillers.
  static const KnownReference* entry_filler(const KnownReference& reference,
                                            const ResolvedRow& row);
  /// The nodes of that name of all candidates of a select; the one to read is chosen at run time.
  NodePart chosen(const InputDecl& input, const KnownReference& reference, const ResolvedRow& row);
  /// The same, with `of_candidate` for the node of each candidate.
  NodePart chosen_of(const CheckedSelect& select, const ResolvedRow& row,
                     const std::function<NodePart(const ResolvedRow& candidate)>& of_candidate);
  /// An entry at the weights named by `at`.
  NodePart entry_at(const std::string& id, const std::string& at, const ResolvedRow& row);
  /// The part `written` of a filler: a split, a named part, or a named part of a split.
  KnownReference part_of(KnownReference filler, const std::string& written) const;
  /// An id that is being resolved, until the end of its lifetime.
  class Opening {
   public:
    /// Throws ConfigError listing the cycle if the id is being resolved already.
    Opening(Resolver& resolver, const std::string& id);
    ~Opening() { open_.pop_back(); }
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;

   private:
    std::vector<std::string>& open_;
  };
  /// All checkpoint parts of a node that is computed at each kept checkpoint; otherwise the node.
  NodePart at_its_checkpoints(const std::string& node) const;
  /// The node of an entry that belongs to a row or a run; `split`: for inference over splits.
  std::string run_of(const std::string& id, const std::string& split, const ResolvedRow& row);
  /// The nodes of an input; empty with the reasons.
  std::vector<NodePart> fill(const std::string& owner, const CheckedInput& input,
                             const ResolvedRow& row, std::vector<std::string>& reasons);
  std::string inline_component(const std::string& owner, const InputDecl& input,
                               const InlineComponent& inlined, const ResolvedRow& row);
  std::string inline_model(const std::string& owner, const InputDecl& input,
                           const CheckedModel& model, const ResolvedRow& row);
  std::string generate(const std::string& name, const ResolvedRow& row);
  EntryRuns add_entry(const CheckedEntry& entry, const Seeds& seeds, const std::string& split);
  /// The inputs of resolve(); throws Absent with all reasons if some are missing.
  FilledInputs all_inputs(const std::string& owner, const std::vector<CheckedInput>& inputs,
                          const ResolvedRow& row);
  /// Fills the inputs of a metric that take scores: those of one row, or of the rows of `across`.
  FilledScoreInputs scores_for(const CheckedMetric& metric, const std::vector<ResolvedRow>& rows,
                               const std::vector<ResolvedRow>& against);
  /// The scores of a line of `across`: of a row, or of the row chosen by a select.
  NodePart scores_of_line(const CheckedMetric& metric, const ResolvedRow& line);
  /// Fills the other inputs of a metric of several rows; inputs that depend on the row are taken
  /// from each of them.
  FilledInputs inputs_across(const CheckedMetric& metric, const std::vector<ResolvedRow>& lines);
  /// True if an input depends on the line.
  bool is_of_line(const CheckedInput& input, const ResolvedRow& line) const;
  /// The input; if the line is a select, with the chosen row in place of the line.
  CheckedInput input_of_line(const CheckedInput& input, const ResolvedRow& line) const;
  /// A line of `across` (a row or a select) at each of its seeds.
  std::vector<ResolvedRow> lines_of(const std::string& id);
  /// Throws Absent if a line lacks an input of a metric of several rows.
  void check_scores(const CheckedMetric& metric, const std::string& row);
  std::vector<ResolvedRow> rows_at(const std::vector<std::string>& ids, size_t index,
                                   bool at_checkpoints);
  /// Sets the training and validation data that an entry names.
  void set_data(const CheckedEntry& entry, const ResolvedRow& run, Training& training);
  std::string add_run(const CheckedEntry& entry, const ResolvedRow& run, const FilledInputs& inputs,
                      int64_t seed);
  /// Throws Absent if inputs cannot be compared row by row (InputDecl::aligned_with).
  void check_alignment(const std::vector<CheckedInput>& inputs, const FilledInputs& filled) const;
  /// Throws ConfigError for a trained or fitted model whose input with InputDecl::same_tokenizer
  /// has another tokenizer.
  void check_tokenizers(const CheckedEntry& entry, const FilledInputs& inputs,
                        const std::string& model) const;
  void want(const CheckedInput& input);
  void want(const KnownReference& reference, int64_t rows);

  ResolverContext context_;
  std::map<std::pair<std::string, std::string>, EntryRuns> entries_;  ///< by id and split
  std::map<std::string, Seeds> seeds_;                                ///< of entries
  std::map<std::string, std::vector<SeedNode>> selections_;           ///< by select
  std::vector<std::string> open_;                                     ///< entries being resolved
  std::map<std::string, std::string> shared_;  ///< inline models of all rows: name -> node
  std::map<std::string, int64_t> requested_;   ///< text of a row -> requested sentences; 0: all
};

}  // namespace lvtext
