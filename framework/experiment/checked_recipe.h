// A recipe whose options, those of its components included, were parsed once: typed, and right.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "framework/model/registries.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/inline_model.h"
#include "framework/options/recipe.h"
#include "trainers/options.h"

namespace lvtext {

struct InlineComponent;

/// What fills an input: a reference ("row.samples"; of a model's input the id of a row above), a
/// model that is trained in its place, or another component that runs there.
using Filling = std::variant<std::string, InlineModel, std::shared_ptr<const InlineComponent>>;

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

struct CheckedRow {
  std::string id, label;
  std::optional<Configured> model;             ///< none: its texts are given
  std::map<std::string, std::string> fillers;  ///< of a row without model: "samples" -> a reference
  std::vector<CheckedInput> inputs;            ///< of its model: models, or what it is fitted to
  StreamReferences data, validate_on;          ///< none: the recipe's splits train and valid
  std::optional<InitOptions> init;
  TrainOptions train;            ///< the recipe's with the row's own laid on it
  GenerationOptions generation;  ///< likewise
  int64_t seeds = 1;             ///< trainings, where the command line does not say
};

struct CheckedMetric {
  std::string id;
  Configured evaluator;
  std::string score;  ///< which of the evaluator's scores the table shows; empty: the first
  std::vector<CheckedInput> inputs;
};

struct CheckedFigure {
  std::string id;
  FigureOptions options;
  Configured kind;
  std::vector<CheckedInput> inputs;
};

struct CheckedRecipe {
  Recipe recipe;
  DataBlock data;
  TrainOptions train;
  std::vector<CheckedRow> rows;        ///< in the order of the file
  std::vector<CheckedMetric> metrics;  ///< in the order of `evaluate`
  std::vector<CheckedFigure> figures;
};

/// The keys of a metric that are not its evaluator's own: `forward: {evaluator:
/// forward_cross_entropy, score: nats_per_token, samples: 10000, inputs: {language_model: {...}}}`.
struct MetricOptions {
  std::string evaluator;
  std::string score;
  Node inputs = Node::mapping({});
  Node own = Node::mapping({});  ///< the evaluator's own options: every other key (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("evaluator", evaluator, "name of the evaluator (`lvtext list evaluators`)", required(),
            not_empty());
    v.field("score", score, "which of the evaluator's scores the table shows; unset: the first");
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
