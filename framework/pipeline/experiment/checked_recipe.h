// A recipe whose options, those of its components included, were parsed once: typed, and right.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/pipeline/experiment/checked_figures.h"
#include "framework/pipeline/experiment/checked_sheets.h"
#include "framework/pipeline/experiment/checked_tables.h"
#include "framework/pipeline/nodes/choice.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/inline_model.h"
#include "framework/pipeline/recipe/recipe.h"
#include "trainers/options.h"

namespace lvtext {

struct InlineComponent;

/// A reference whose name was looked up.
struct KnownReference {
  enum class Of { kData, kEntry, kRow, kSelect, kMetric };
  Of of = Of::kData;
  std::string id;  ///< of the data set, of the entry of artifacts or models, the select, the metric
  /// Of data, and of inference that runs over each split of a data set: the split, empty where all
  /// of them are meant; of a row or a select: "model", or the name of a filler; of a metric: the
  /// score, empty for the one that it shows.
  std::string part;
  std::string removed;  ///< why it is not there (a profile removed it); empty: it is
  /// Of data and of inference: one of its columns; of a filler of a row: a split, a part or a
  /// column of it. Empty: all of it.
  std::string column = {};
  /// Of a training: "last", "best", "step:4", or the id of a select among checkpoints; empty: the
  /// selected weights.
  std::string at = {};
  std::string named_part = {};  ///< of inference that leaves named parts: the key of one
};

/// What fills an input: a reference, a model that is trained in its place, or another component
/// that runs there.
using Filling = std::variant<KnownReference, InlineModel, std::shared_ptr<const InlineComponent>>;

/// What an entry of a recipe has for one input of its component.
struct CheckedInput {
  InputDecl decl;
  bool is_written = false;        ///< by the entry; else it is the input's default
  std::vector<Filling> fillings;  ///< none: nothing fills it
};

/// `{infer: NAME, ..., inputs: {...}}` or `{fit: NAME, ..., inputs: {...}}`.
struct InlineComponent {
  Configured component;
  std::vector<CheckedInput> inputs;
  Node written = Node::mapping({});  ///< the component's own options, as far as they are written
  /// Of what is generated for a row: from each kept checkpoint of its training, where it keeps any.
  bool at_checkpoints = false;
};

/// Where a training begins instead of at what its seed gives.
struct InitOptions {
  std::string from;
  std::map<std::string, std::string> rename;

  template <class V>
  void visit(V& v) {
    v.field("from", from, "a row above: its tensors of the same names are where this one begins",
            required(), not_empty());
    v.field("rename", rename, "names of its tensors: the names that these have here");
  }
};

/// A data set that takes records of another one.
struct DerivedBlock {
  std::string from;
  DerivedDataOptions records;
  Choice<Packer> pack{"text"};

  template <class V>
  void visit(V& v) {
    v.field("from", from, "the data set whose records it takes", required(), not_empty());
    records.visit(v);
    v.field("pack", pack, "how text becomes the rows of a dataset");
  }
};

/// A data set of the recipe.
struct CheckedData {
  std::string id;
  DataBlock block;                      ///< of a set of its own
  std::optional<DerivedBlock> derived;  ///< of one that takes another's records
  std::string tokenizer;                ///< the artifact that fits it; empty: as the block says
  std::vector<std::string> splits;
};

/// `{fit: words, data: news.train, ...}`: a tokenizer that data sets name.
struct CheckedTokenizer {
  std::string id;
  Choice<TokenizerFit> fit;
  KnownReference data;  ///< the split, or a column of one, that it is fitted to
};

/// An entry of `artifacts` or `models` that a component makes.
struct CheckedEntry {
  std::string id, label;
  bool is_model = false;             ///< of `models`: trained with the recipe's `train`
  Configured component;              ///< a model, a fit or inference
  std::vector<CheckedInput> inputs;  ///< models, or what it is fitted to or runs on
  /// Of a training. None: the splits train and valid of the recipe's one data set.
  StreamReferences data, validate_on;
  std::optional<InitOptions> init;
  std::optional<InlineModel> imported;  ///< of `import`: its weights are there already
  std::string reason;                   ///< why it is not made; empty: it is
  /// Of inference over a data set as a whole: the splits, for each of which it runs by itself.
  std::vector<std::string> splits;
  TrainOptions train;
  bool has_own_seed = false;  ///< `train.seed` is the entry's own
  int64_t seeds = 1;          ///< trainings, where the command line does not say

  bool is_trained() const { return component.model != nullptr; }
};

/// A line of results: a model, or what stands for its texts.
struct CheckedRow {
  std::string id, label;
  std::string reason;                                   ///< why it is not run; empty: it is
  std::shared_ptr<const CheckedEntry> entry;            ///< none: its texts are given
  std::map<std::string, std::vector<Filling>> fillers;  ///< by name
  /// What is generated where something asks for it, by name.
  std::map<std::string, std::shared_ptr<const InlineComponent>> generation;
};

struct CheckedMetric {
  std::string id;
  Configured evaluator;
  std::string score;  ///< which of the evaluator's scores the table shows; empty: the first
  std::vector<std::string> rows;  ///< it is computed for these alone; none: for all that serve it
  std::vector<std::string> across, against;  ///< rows that it is computed from together
  bool across_checkpoints = false;  ///< computed for each row from its kept checkpoints together
  bool pools_checkpoints = false;   ///< of rows at each of their kept checkpoints
  std::vector<CheckedInput> inputs;
};

/// A choice among rows, or among the kept checkpoints of each row.
struct CheckedSelect {
  struct Candidate {
    std::string key, row;  ///< key: what `*` matched, else the row's id
  };
  std::string id;
  ChoiceRule rule;
  std::vector<Candidate> among;
  std::string metric, score;  ///< score: of the evaluator's; empty: the one that the metric shows
  bool among_checkpoints = false;  ///< then `among` is empty
};

struct CheckedFigure {
  std::string id;
  FigureOptions options;
  Configured kind;
  std::vector<CheckedInput> inputs;  ///< filled for each row, or once without rows
  FigureNeeds needs;
  FigureReferences named = {};  ///< what the needs name: check_figures()
};

/// A sheet on which people rate text.
struct CheckedSheet {
  std::string id;
  SheetOptions options;
  Configured kind;                     ///< its inputs are the texts of an item
  std::vector<CheckedInput> inputs;    ///< the same, the rated text last
  std::vector<std::string> rows = {};  ///< none: all
  bool has_rows = true;                ///< the text of rows is rated
  /// Splits of data sets that are rated beside them: what fills the same inputs, by their names.
  std::vector<std::pair<std::string, std::vector<CheckedInput>>> data = {};
  bool is_written = false;  ///< by the recipe; else it is a registered kind alone
};

struct CheckedRecipe {
  Recipe recipe;
  std::vector<CheckedData> data;  ///< in the order of the file
  std::vector<CheckedTokenizer> tokenizers;
  TrainOptions train;
  std::vector<std::shared_ptr<const CheckedEntry>> entries;  ///< of artifacts, then of models
  std::vector<CheckedRow> rows;                              ///< in the order of the file
  std::vector<CheckedMetric> metrics;                        ///< in the order of `evaluate`
  std::vector<CheckedSelect> selects;
  std::vector<CheckedFigure> figures;
  std::vector<CheckedSheet> sheets;  ///< by id: of the recipe, and one of each other kind
  std::vector<CheckedTable> tables;  ///< at least one, the report's
};

/// The entry of an id; nullptr: there is none.
template <class Entry>
const Entry* find_entry(const std::vector<Entry>& entries, const std::string& id) {
  for (const Entry& entry : entries) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

/// A model's options laid on the recipe's `model_defaults`, as far as it has these.
Node with_model_defaults(const RecipeOptions& recipe, const Node& own, const Schema& schema);

/// Whether something of the row that is scored fills one of these inputs.
bool uses_row(const std::vector<CheckedInput>& inputs);
/// Whether the scores of a metric are of single rows: of what fills its inputs, of the scores that
/// it combines, or one for each row of `across`.
bool uses_row(const CheckedMetric& metric);

/// The keys of a metric that are not its evaluator's own: `forward: {evaluator:
/// forward_cross_entropy, score: nats_per_token, samples: 10000, inputs: {language_model: {...}}}`.
struct MetricOptions {
  std::string evaluator;
  std::string score;
  std::optional<std::string> checkpoints;
  Node rows, across, against;
  Node inputs = Node::mapping({});
  Node own = Node::mapping({});  ///< the evaluator's own options: every other key (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("evaluator", evaluator, "name of the evaluator (`lvtext list evaluators`)", required(),
            not_empty());
    v.field("score", score, "which of the evaluator's scores the table shows; unset: the first");
    v.field("rows", rows, "computed for these rows alone; patterns such as mos[*]; unset: for all");
    v.field("across", across,
            "rows and patterns that it is computed from together; checkpoints: the kept "
            "checkpoints of each row");
    v.field("checkpoints", checkpoints,
            "all: the rows of `across` at each of their kept checkpoints", one_of({"all"}));
    v.field("against", against, "a second such list, with which the first one is compared");
    v.field("inputs", inputs,
            "what fills the evaluator's inputs: a reference (data.test, row.samples) or a model; "
            "one without `model` is laid on the evaluator's default");
  }
};

/// Parses the data block, every row's model, training and generation, every evaluator and figure
/// and what fills their inputs, and checks the ids that table and checks name. A row without
/// `model` stands for given texts. Every mistake goes to the errors; the result is only of use
/// where there is none. `registries` must outlive it.
CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries, Errors& errors);

/// The same, throwing ConfigError with all mistakes.
CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries);

}  // namespace lvtext
