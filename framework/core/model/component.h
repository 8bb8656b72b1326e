// Components that recipes can name: models, evaluators, inference, figures, rating sheets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/base/plugin_file.h"
#include "framework/core/options/errors.h"
#include "framework/core/options/json.h"
#include "framework/core/options/node.h"
#include "framework/core/options/parts.h"
#include "framework/core/options/schema.h"

namespace lvtext {

class Evaluator;
class FigureKind;
class Fitted;
class Inference;
class Trainable;
struct ModelInputs;
struct SheetKind;

/// Types of artifacts that inputs take. A dataset has rows of named columns: a packed split, or the
/// results of inference for each of its rows. Records are those of all splits of a data set, before
/// tokenization. Inputs for the scores of metrics have no default.
enum class ArtifactType { kModel, kText, kTensors, kDataset, kScores, kRecords };
/// "a model", "a text", "tensors", "a dataset", "records of a data set", "scores".
inline std::string type_name(ArtifactType type) {
  return type == ArtifactType::kModel     ? "a model"
         : type == ArtifactType::kText    ? "a text"
         : type == ArtifactType::kTensors ? "tensors"
         : type == ArtifactType::kDataset ? "a dataset"
         : type == ArtifactType::kRecords ? "records of a data set"
                                          : "scores";
}

/// Subject of an evaluator's scores: the row that is scored, the rows of `across` together, or each
/// row of `across`, computed from all of them (Score::line).
enum class ScoresOf { kRow, kRows, kEachRow };

/// A score that an evaluator can compute.
struct ScoreDecl {
  std::string id;    ///< "nats_per_token"
  std::string help;  ///< what is measured, a phrase for readers of a report
};

/// A declared input of a component. It is filled from the first of these that is present: `inputs`
/// of the recipe's entry, the row's artifact of that name, the default.
struct InputDecl {
  enum class Arity { kOne, kOptional, kMany };
  std::string name;  ///< "language_model"
  std::string help;
  ArtifactType type = ArtifactType::kText;
  /// A reference ("row.samples", "data.test") or an inline component (a mapping); null: no default.
  Node by_default = {};
  /// For models: capabilities that are required, excluded, and of which at least one is required.
  std::vector<std::string> capabilities = {}, without = {}, one_of = {};
  Arity arity = Arity::kOne;
  int64_t rows = 0;  ///< maximum number of sentences of a text that are used; 0: all
  /// For text inputs: the dataset column that is read; empty: the dataset's text.
  std::string column = {};
  /// For models used in training another model: requires both to have the same tokenizer, because
  /// the input reads the token ids of the trained model's text.
  bool same_tokenizer = false;
  /// For texts and datasets of an evaluator: the input with which it is compared row by row, so
  /// that both must have the same records; empty: none.
  std::string aligned_with = {};

  bool is_list() const { return arity == Arity::kMany; }
  /// Whether recipes may specify a list: for inputs that take many, and for datasets, whose columns
  /// are joined.
  bool takes_list() const { return is_list() || type == ArtifactType::kDataset; }
};

/// The paper that a component comes from.
struct PaperSource {
  std::string citation;
  std::string url;
};

/// Documentation and origin of a component.
struct About {
  std::string name;  ///< name in recipes, lower_snake
  std::string description;
  PaperSource source;
  Schema schema;
  std::shared_ptr<const Plugin> plugin = {};  ///< null for components of lvtext itself
};

struct Component;

/// One of several results of an inference component, such as the records of one policy.
struct NamedPart {
  std::string id;   ///< name in recipes: "k_5"
  std::string key;  ///< identity: its options as JSON, defaults included
};

/// Returns the parts that an option lists.
template <class T>
std::vector<NamedPart> named_parts(const Parts<T>& option) {
  std::vector<NamedPart> parts;
  for (const Part<T>& part : option.all) {
    parts.push_back({part.id, canonical_json(to_node(part.options)).dump()});
  }
  return parts;
}

/// A component with its parsed options.
struct Configured {
  const Component* component = nullptr;
  /// All options with their values, defaults included: part of a node's identity.
  Node options;
  /// Declared inputs, which may depend on the options.
  std::vector<InputDecl> inputs = {};
  /// For inference with named parts: the parts that the options request.
  std::vector<NamedPart> parts = {};

  /// Exactly one of these is set, depending on the kind of component. `model` (trained) and `fit`
  /// (tensors computed without training) throw ConfigError for options that do not match their
  /// inputs.
  std::function<std::shared_ptr<Trainable>(const ModelInputs&)> model = {};
  std::function<std::shared_ptr<Fitted>(const ModelInputs&)> fit = {};
  std::shared_ptr<const Evaluator> evaluator = {};
  std::shared_ptr<const Inference> inference = {};
  std::shared_ptr<const FigureKind> figure = {};
  std::shared_ptr<const SheetKind> sheet = {};
};

/// A component that recipes can name.
struct Component {
  About about;
  /// Must be increased whenever the results for the same options and inputs change; part of a
  /// node's identity.
  int revision = 1;
  /// Parses the component's own options, without the keys of the recipe's entry (`model`, `label`,
  /// `train`, `inputs`). Adds all errors, with keys relative to `path`, and then returns
  /// std::nullopt. Called by configure().
  std::function<std::optional<Configured>(const Node&, Errors&, const std::string& path)> parse;

  /// For models: names of their capabilities, and the authors' training options, which are the
  /// defaults for inline components.
  std::vector<std::string> capabilities = {};
  bool is_fitted = false;  ///< tensors are computed without training
  Node training = Node::mapping({});
  /// For inference components: the type of the result, and the option that lists the named parts,
  /// which is excluded from the identity of its nodes; empty: no parts.
  ArtifactType gives = ArtifactType::kText;
  std::string parts_option = {};
  /// For inference components: the input with which the result shares its rows, so that their
  /// columns can be joined; empty: the result has its own rows.
  std::string rows_of = {};
  /// For evaluators: all scores that can be computed, and their subject.
  std::vector<ScoreDecl> scores = {};
  ScoresOf scores_of = ScoresOf::kRow;

  std::vector<std::string> score_ids() const {
    std::vector<std::string> ids;
    for (const ScoreDecl& each : scores) ids.push_back(each.id);
    return ids;
  }
  /// The help of the score `id`; of the first one if `id` is empty.
  std::string score_help(const std::string& id) const {
    for (const ScoreDecl& each : scores) {
      if (id.empty() || each.id == id) return each.help;
    }
    return "";
  }
  bool can(const std::string& capability) const {
    for (const auto& each : capabilities) {
      if (each == capability) return true;
    }
    return false;
  }
  /// Returns the component with these options, or adds all errors and returns std::nullopt. The
  /// component must outlive the result.
  std::optional<Configured> configure(const Node& options, Errors& errors,
                                      const std::string& path) const {
    std::optional<Configured> configured = parse(options, errors, path);
    if (configured) configured->component = this;
    return configured;
  }
  /// As above, but throws ConfigError with all errors.
  Configured configure(const Node& options = Node::mapping({})) const {
    Errors errors;
    std::optional<Configured> configured = configure(options, errors, "");
    errors.throw_if_any();
    return std::move(*configured);
  }
};

/// Makes a reference such as "row.samples" for InputDecl::by_default.
inline Node reference(const std::string& text) {
  return Node::scalar(text, /*quoted=*/true);
}

/// Declares the input `model`, by default the row's model, with what InputDecl::capabilities and
/// the fields after it require.
inline InputDecl model_input(const std::string& help, std::vector<std::string> capabilities,
                             std::vector<std::string> without = {},
                             std::vector<std::string> one_of = {}) {
  return {.name = "model",
          .help = help,
          .type = ArtifactType::kModel,
          .by_default = reference("row.model"),
          .capabilities = std::move(capabilities),
          .without = std::move(without),
          .one_of = std::move(one_of)};
}

}  // namespace lvtext
