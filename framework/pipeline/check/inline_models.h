// Parses models written as the value of an input.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "framework/core/model/registries.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/nodes/inline_model.h"
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

/// Finds the folder of a finished model by the name of its run, for `{run: RUN}`, and loads the
/// plug-ins of the run. Throws MissingError, UsageError or DataError.
using RunFinder = std::function<std::filesystem::path(const std::string& run)>;
/// The finder of this process, set by the command line; empty: no run is known.
RunFinder& run_finder();

/// The value of an input for which a recipe has `written` (null: nothing): a reference, or an
/// inline model with the training defaults of its component. A mapping without `model` is merged
/// into the input's default.
Node effective_input(const InputDecl& input, const Node& written, const Registries& registries);

/// Why a model is not valid for an input: "lacks the capability encoder"; empty if it is.
std::string capability_mismatch(const InputDecl& input, const Component& model);

/// Parses an effective inline model: capabilities, options, training. It uses only seed, device and
/// `deterministic` of `recipe`, so that overrides of the recipe's `train` do not change models that
/// compute scores. Adds mistakes to `errors`, at `location` if nothing is written, and then returns
/// none.
std::optional<InlineModel> read_inline_model(const InputDecl& input, const Node& effective,
                                             const TrainOptions& recipe,
                                             const SourceLocation& location,
                                             const Registries& registries, Errors& errors,
                                             const std::string& path);

}  // namespace lvtext
