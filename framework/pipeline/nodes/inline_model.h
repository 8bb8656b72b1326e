// Models written as the value of an input: trained for this input only, or loaded from published
// files.
#pragma once

#include <filesystem>
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

/// Keys of an inline model besides the options of its model:
/// `language_model: {model: rnn_lm, embedding: 128, data: data.train, train: {stop: 8e}}`.
struct InlineOptions {
  std::string model, imported, run;
  Node data;
  std::string validate_on = "data.valid";
  GivenFile weights;
  Node train = Node::mapping({});
  Node own = Node::mapping({});  ///< options of the model: all other keys (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("model", model, "model with the capabilities of the input (`lvtext list models`)");
    v.field("import", imported, "model with given `weights` or word vectors, instead of `model`");
    v.field(
        "run", run,
        "a finished model of another recipe in the folder of runs, instead of `model`: a RUN of "
        "`lvtext help runs show`");
    v.field("data", data,
            "training data: a text (data.train, row.samples), the first sentences of one "
            "({from: row.samples, at_most: 10000}), or a data block like the recipe's `data` "
            "({set: NAME, tokenizer: words})");
    v.field("validate_on", validate_on,
            "text for the selection of weights; own: the last 5 % of its training text, which are "
            "excluded from training. A data block has its own validation split");
    v.field(
        "weights", weights,
        "for `import`: a folder of `lvtext checkpoint export`, or a safetensors file of a model "
        "with the tokenizer in `data`, FILE or {set: NAME, file: FILE} of a data set; none for "
        "word vectors alone");
    v.field("train", train, "training options");
    v.check(!model.empty() + !imported.empty() + !run.empty() == 1,
            "exactly one of `model`, `import` and `run` is required");
    v.check(weights.empty() || !imported.empty(), "`weights` requires `import`");
  }
};

/// The training text of an inline model.
struct InlineText {
  std::string from;     ///< a reference
  int64_t at_most = 0;  ///< maximum number of sentences; 0: all

  template <class V>
  void visit(V& v) {
    v.field("from", from, "a text: data.train, row.samples", required(), not_empty());
    v.field("at_most", at_most, "maximum number of sentences, from the first; 0: all", at_least(0));
  }
};

/// A parsed inline model.
struct InlineModel {
  Configured model;
  TrainOptions train;  ///< its options; seed, device, deterministic: the recipe's
  /// Training data: a text, or a data block.
  std::optional<InlineText> text;
  std::optional<DataBlock> data;
  std::string validate_on;
  bool is_imported = false;  ///< not trained: imported, or a finished run
  /// Of an imported model: a safetensors file, or an exported model (exported_model.h) with its own
  /// tokenizer; empty: it consists of its tokenizer's vectors.
  GivenFile weights;
  std::filesystem::path run = {};  ///< the folder of a finished model; empty: none

  /// True for an import that has its own options and tokenizer.
  bool is_exported() const { return is_imported && !data && run.empty(); }

  /// True if its training or validation text depends on a row.
  bool uses_row() const;
  /// Validation text as shown in reports; empty: the last weights are used, or its data block has a
  /// validation split.
  std::string selected_on() const;
};

/// Finds the folder of a finished model by the name of its run, for `{run: RUN}`, and loads the
/// plug-ins of the run. Throws MissingError, UsageError or DataError.
using RunFinder = std::function<std::filesystem::path(const std::string& run)>;
/// The finder of this process, set by the command line; empty: no run is known.
RunFinder& run_finder();

/// Value of `validate_on`: the model's own text.
inline constexpr const char* kOwnText = "own";
/// Share of its own text that is held out for kOwnText.
inline constexpr double kHeldOut = 0.05;

/// The value of an input for which a recipe has `written` (null: nothing): a reference, or an
/// inline model with the training defaults of its component. A mapping without `model` is merged
/// into the input's default.
Node effective_input(const InputDecl& input, const Node& written, const Registries& registries);

/// Why a model is not valid for an input: "lacks the capability encoder"; empty if it is.
std::string misfit(const InputDecl& input, const Component& model);

/// Parses an effective inline model: capabilities, options, training. It uses only seed, device and
/// `deterministic` of `recipe`, so that overrides of the recipe's `train` do not change models that
/// compute scores. Adds mistakes to `errors`, at `location` if nothing is written, and then returns
/// none.
std::optional<InlineModel> read_inline_model(const InputDecl& input, const Node& effective,
                                             const TrainOptions& recipe,
                                             const SourceLocation& location,
                                             const Registries& registries, Errors& errors,
                                             const std::string& path);

/// Source of a model in the recipe, for the locations of mistakes in its training.
struct WrittenModel {
  Node own;                                ///< the model's own options
  Node train;                              ///< training options
  SourceLocation location;                 ///< used if neither is written
  const StreamReferences* data = nullptr;  ///< by stream, if written
};

/// Checks that a model can be built and trained with `train`, without allocating its parameters:
/// mismatched widths, unknown optimizers, too small batches. Adds mistakes to `errors` at the line
/// of the option. Models with other models as inputs are not checked.
void check_training(const Configured& model, const TrainOptions& train, const WrittenModel& written,
                    Errors& errors);

/// Context of an inline model.
struct InlineContext {
  std::string name;  ///< name of its node, and prefix of others
  int64_t seed = 0;  ///< seed of a model that is trained on a text
  DataLocations locations;
  std::string config;  ///< the resolved recipe
  /// Node of a text and its number of sentences (0: unknown before the node is finished).
  struct Source {
    std::string node;
    int64_t sentences = 0;
  };
  std::function<Source(const std::string& reference)> text;
};

/// Adds the nodes of an inline model and returns the name of the model's node. `registries` must
/// outlive the graph.
std::string add_inline_model(Graph& graph, const Registries& registries, const InlineModel& model,
                             const InlineContext& context);

}  // namespace lvtext
