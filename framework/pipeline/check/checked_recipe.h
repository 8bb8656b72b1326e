// A recipe whose options, including those of its components, are parsed and validated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/pipeline/check/checked_data.h"
#include "framework/pipeline/check/checked_figures.h"
#include "framework/pipeline/check/checked_tables.h"
#include "framework/pipeline/check/find_entry.h"
#include "framework/pipeline/nodes/inline_model.h"
#include "framework/pipeline/nodes/selection.h"
#include "framework/pipeline/recipe/metric_options.h"
#include "framework/pipeline/recipe/recipe.h"
#include "trainers/options.h"

namespace lvtext {

struct InlineComponent;

/// A resolved reference.
struct KnownReference {
  enum class Of { kData, kEntry, kRow, kSelect, kMetric };
  Of of = Of::kData;
  std::string id;  ///< id of the data set, entry of artifacts or models, select or metric
  /// For data, and inference over each split of a data set: the split, empty for all of them; for a
  /// row or select: "model", or the name of a filler; for a metric: the score, empty for its
  /// default score.
  std::string part;
  std::string removed;  ///< why it is missing (removed by a profile); empty: it exists
  /// For data and inference: a column; for a filler of a row: a split, part or column of it. Empty:
  /// all of it.
  std::string column = {};
  /// For a training: "last", "best", "step:4", or the id of a select among checkpoints; empty: the
  /// selected weights.
  std::string at = {};
  std::string named_part = {};  ///< for inference with named parts: the key of one
  /// For data: lines decoded from the token ids, as opposed to the texts of the records.
  bool decoded = false;
};

/// The data of a training, by stream, side and part (StreamSource).
using CheckedStreams = std::map<std::string, std::vector<std::vector<KnownReference>>>;

/// A model that is written as the value of an input.
struct CheckedModel {
  InlineModel model;
  std::optional<KnownReference> text;         ///< its training text, if it has one
  std::optional<KnownReference> validate_on;  ///< its validation text; none: its own text, or data

  /// True if its training or validation text depends on a row.
  bool uses_row() const;
};

/// The value of an input: a reference, an inline model, or another inline component.
using Filling = std::variant<KnownReference, CheckedModel, std::shared_ptr<const InlineComponent>>;

/// The values of one input of a component.
struct CheckedInput {
  InputDecl decl;
  bool is_written = false;        ///< true: set by the entry; false: the input's default
  std::vector<Filling> fillings;  ///< empty: unset
};

/// `{infer: NAME, ..., inputs: {...}}` or `{fit: NAME, ..., inputs: {...}}`.
struct InlineComponent {
  Configured component;
  std::vector<CheckedInput> inputs;
  Node written = Node::mapping({});  ///< the component's own options as written
  /// For texts generated for a row: generated from each kept checkpoint of its training, if any.
  bool at_checkpoints = false;
};

/// Numbers of rows of given initial weights and of the model's.
enum class InitRows { kEqual, kExtend };
const std::vector<EnumName<InitRows>>& enum_names(InitRows);

/// Initial weights of a training, in place of random ones.
struct InitOptions {
  std::string from;
  std::map<std::string, std::string> rename;
  InitRows rows = InitRows::kEqual;

  template <class V>
  void visit(V& v) {
    v.field("from", from, "another row whose tensors of the same names initialize this model",
            required(), not_empty());
    v.field("rename", rename, "name of a tensor in that row: its name in this model");
    v.field("rows", rows, "tables of this model that have more rows than those of that row");
  }
};

/// `{fit: words, data: news.train, ...}`: a tokenizer that data sets refer to.
struct CheckedTokenizer {
  std::string id;
  Choice<TokenizerFit> fit;
  KnownReference data;  ///< split, or column of a split, that it is fitted to
};

/// An entry of `artifacts` or `models`.
struct CheckedEntry {
  std::string id;
  bool is_model = false;             ///< entry of `models`: trained with the recipe's `train`
  Configured component;              ///< a model, a fitted model or inference
  std::vector<CheckedInput> inputs;  ///< models, or the data that it is fitted to or runs on
  /// Data of a training. Empty: the splits train and valid of the recipe's only data set.
  CheckedStreams data, validate_on;
  std::optional<InitOptions> init;
  KnownReference initial;               ///< the model of `init`
  std::optional<InlineModel> imported;  ///< for `import`: a model with given weights
  std::string reason;                   ///< why it is not computed; empty: it is
  /// For inference over a whole data set: the splits, each of which is processed separately.
  std::vector<std::string> splits;
  TrainOptions train;
  bool has_own_seed = false;  ///< the entry sets `train.seed`
  int64_t seeds = 1;          ///< number of trainings unless set on the command line

  bool is_trained() const { return component.model != nullptr; }
};

/// A row of results: a model, or given texts.
struct CheckedRow {
  std::string id, label;
  std::string reason;                                   ///< why it is not run; empty: it is
  std::shared_ptr<const CheckedEntry> entry;            ///< null: the texts are given
  std::map<std::string, std::vector<Filling>> fillers;  ///< by name
  /// Texts that are generated on demand, by name.
  std::map<std::string, std::shared_ptr<const InlineComponent>> generation;
};

struct CheckedMetric {
  std::string id;
  Configured evaluator;
  std::string score;              ///< score of the evaluator that tables show; empty: the first
  std::vector<std::string> rows;  ///< rows that it is computed for; empty: all applicable rows
  std::vector<std::string> across, against;  ///< rows that it combines
  bool across_checkpoints = false;           ///< combines the kept checkpoints of each row
  bool pools_checkpoints = false;            ///< combines rows at each of their kept checkpoints
  std::vector<CheckedInput> inputs;
};

/// A choice among rows, or among the kept checkpoints of each row.
struct CheckedSelect {
  struct Candidate {
    std::string key, row;  ///< key: the text matched by `*`, else the row's id
  };
  std::string id;
  SelectionRule rule;
  std::vector<Candidate> among;
  std::string metric, score;       ///< score of the evaluator; empty: the metric's default
  bool among_checkpoints = false;  ///< if true, `among` is empty
};

struct CheckedFigure {
  std::string id;
  FigureOptions options;
  Configured kind;
  std::vector<CheckedInput> inputs;  ///< filled for each row, or once without rows
  FigureNeeds needs;
  FigureReferences named = {};  ///< rows and metrics of `needs`, set by check_figures()
};

/// A sheet for human ratings of text.
struct CheckedSheet {
  std::string id;
  SheetOptions options;
  Configured kind;                     ///< its inputs are the texts of an item
  std::vector<CheckedInput> inputs;    ///< values of these inputs, the rated text last
  std::vector<std::string> rows = {};  ///< empty: all
  /// For kinds that compare rows: the rows of each comparison; empty: every two of the rows.
  std::vector<std::vector<std::string>> compared = {};
  bool has_rows = true;  ///< texts of rows are rated
  /// Splits of data sets that are rated in addition, by name: values of the same inputs.
  std::vector<std::pair<std::string, std::vector<CheckedInput>>> data = {};
  bool is_written = false;  ///< true: defined by the recipe; false: a registered kind
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
  std::vector<CheckedSheet> sheets;  ///< by id: those of the recipe, and one of each other kind
  std::vector<CheckedTable> tables;  ///< at least one; the first is that of the report
};

/// A model's options merged into the recipe's `model_defaults` that the model has.
Node with_model_defaults(const RecipeOptions& recipe, const Node& own, const Schema& schema);

/// True if one of these inputs depends on the scored row.
bool uses_row(const std::vector<CheckedInput>& inputs);
/// True if a row has a value of this name, given or generated, which fills the inputs of this name
/// that an entry does not write.
bool has_value(const CheckedRow& row, const std::string& name);
/// True if a metric has scores of single rows: its inputs, of which `rows` may fill some, or the
/// scores that it combines depend on the row, or it has one score for each row of `across`.
bool uses_row(const CheckedMetric& metric, const std::vector<CheckedRow>& rows);

/// Parses the data block, every row's model, training and generation, every evaluator and figure
/// with their inputs, and checks the ids in tables and checks. A row without `model` has given
/// texts. Adds all mistakes to `errors`; the result is valid only if there are none. `registries`
/// must outlive the result.
CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries, Errors& errors);

/// The same; throws what Errors::throw_if_any() throws.
CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries);

}  // namespace lvtext
