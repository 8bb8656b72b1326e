// A model that stands where an input is filled: trained for it alone, or read from published
// weights.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "framework/core/model/registries.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/stream_sources.h"
#include "trainers/options.h"

namespace lvtext {

/// What an inline model says beside its model's own options:
/// `language_model: {model: rnn_lm, embedding: 128, data: data.train, train: {stop: 8e}}`.
struct InlineOptions {
  std::string model, imported;
  Node data;
  std::string validate_on = "data.valid";
  std::string weights;
  Node train = Node::mapping({});
  Node own = Node::mapping({});  ///< the model's own options: every other key (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("model", model, "a model that serves what the input asks for (`lvtext list models`)");
    v.field("import", imported, "in place of `model`: one whose `weights` are there already");
    v.field(
        "data", data,
        "what it is trained on: a text (data.train, row.samples), the first sentences of one "
        "({from: row.samples, at_most: 10000}), or data of its own, as the recipe's `data` ({set: NAME, tokenizer: words})");
    v.field(
        "validate_on", validate_on,
        "the text that its weights are selected on; own: the last 5 % of its own text, which is "
        "then not trained on. Data of its own have a split for it");
    v.field("weights", weights, "of `import`: the safetensors of the trained model");
    v.field("train", train, "how it is trained");
    v.check(model.empty() != imported.empty(), "a model is named by `model` or by `import`");
    v.check(imported.empty() == weights.empty(), "`import` and `weights` belong together");
  }
};

/// The sentences of a text that an inline model is trained on.
struct InlineText {
  std::string from;     ///< a reference
  int64_t at_most = 0;  ///< the first ones; 0: all

  template <class V>
  void visit(V& v) {
    v.field("from", from, "a text: data.train, row.samples", required(), not_empty());
    v.field("at_most", at_most, "its first sentences; 0: all", at_least(0));
  }
};

/// An inline model, parsed.
struct InlineModel {
  Configured model;
  TrainOptions train;  ///< its own, with the recipe's seed and device
  /// What it is trained on: a text, or data of its own.
  std::optional<InlineText> text;
  std::optional<DataBlock> data;
  std::string validate_on;
  std::string weights;

  /// Whether it reads a text of a row or is selected on one.
  bool uses_row() const;
  /// What its weights are selected on, as a report shows it; empty: the last ones count, or its own
  /// data have a split for it.
  std::string selected_on() const;
};

/// `validate_on`: the model's own text.
inline constexpr const char* kOwnText = "own";
/// The share of its own text that kOwnText holds out.
inline constexpr double kHeldOut = 0.05;

/// What fills an input where a recipe writes `written` (null: nothing): a reference, or an inline
/// model with what its authors chose for its training. A mapping without `model` is merged into the
/// input's default.
Node effective_input(const InputDecl& input, const Node& written, const Registries& registries);

/// Why a model cannot fill an input: "lacks the capability encoder"; empty if it can.
std::string misfit(const InputDecl& input, const Component& model);

/// Parses an effective inline model: what it serves, its options, its training. It takes the seed
/// and the device of `recipe` and declares all else itself, so that no override of the recipe's
/// `train` changes what scores. Mistakes go to the errors, at `mark` where they are not written;
/// none is returned then.
std::optional<InlineModel> read_inline_model(const InputDecl& input, const Node& effective,
                                             const TrainOptions& recipe,
                                             const SourceLocation& location,
                                             const Registries& registries, Errors& errors,
                                             const std::string& path);

/// How a model is written that is to be trained: where mistakes of its training are shown.
struct WrittenModel {
  Node own;                                ///< the model's own options
  Node train;                              ///< of its training
  SourceLocation location;                 ///< where neither is written
  const StreamReferences* data = nullptr;  ///< of each stream, where they are written
};

/// Checks that a model can be built and trained as `train` says, without memory for its parameters:
/// widths that do not fit, optimizers that it lacks, batches that are too small. Every mistake goes
/// to the errors, at the option's line. A model that is given others is not checked.
void check_training(const Configured& model, const TrainOptions& train, const WrittenModel& written,
                    Errors& errors);

/// What an inline model is trained with, besides its own keys.
struct InlineContext {
  std::string name;  ///< of its node; others begin with it
  int64_t seed = 0;  ///< of a model that is trained on a text
  DataLocations locations;
  std::string config;  ///< the resolved recipe
  /// The node of a text, and how many sentences it will hold (0: not known before it is there).
  struct Source {
    std::string node;
    int64_t sentences = 0;
  };
  std::function<Source(const std::string& reference)> text;
};

/// Adds the nodes of an inline model and returns the name of the model's. `registries` must outlive
/// the graph.
std::string add_inline_model(Graph& graph, const Registries& registries, const InlineModel& model,
                             const InlineContext& context);

}  // namespace lvtext
