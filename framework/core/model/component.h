// Anything that recipes can name: models, evaluators, inference, figures, rating sheets.
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

/// What fills an input. A dataset is rows of named columns: a packed split, or what inference
/// leaves for each of its rows. Scores are those of metrics, which have no default.
enum class ArtifactType { kModel, kText, kTensors, kDataset, kScores };
/// "a model", "a text", "tensors", "a dataset", "scores".
inline std::string type_name(ArtifactType type) {
  return type == ArtifactType::kModel     ? "a model"
         : type == ArtifactType::kText    ? "a text"
         : type == ArtifactType::kTensors ? "tensors"
         : type == ArtifactType::kDataset ? "a dataset"
                                          : "scores";
}

/// What the scores of an evaluator are of: the row that is scored, the rows of `across` together,
/// or each row of `across`, computed from all of them (Score::line).
enum class ScoresOf { kRow, kRows, kEachRow };

/// A declared need of a component. What fills it is, in this order: `inputs` of the recipe's entry,
/// the row's filler of that name, the default.
struct InputDecl {
  enum class Arity { kOne, kOptional, kMany };
  std::string name;  ///< "language_model"
  std::string help;
  ArtifactType type = ArtifactType::kText;
  /// A reference ("row.samples", "data.test") or an inline component (a mapping); null: none.
  Node by_default = {};
  /// Of a model: what it must serve, what it must not, and what it must serve one of.
  std::vector<std::string> capabilities = {}, without = {}, one_of = {};
  Arity arity = Arity::kOne;
  int64_t rows = 0;  ///< sentences of a text that are used; 0: all
  /// Of a text: the column of a dataset that is read; empty: the dataset's text.
  std::string column = {};
  /// Of a model that another one is given in its training: it reads the ids of that one's text, so
  /// both must have the same tokenizer.
  bool same_tokenizer = false;
  /// Of a text or dataset of an evaluator: the input with which it is compared row by row, so that
  /// both must stand for the same records; empty: none.
  std::string aligned_with = {};

  bool is_list() const { return arity == Arity::kMany; }
  /// Whether a recipe may write a list: of many, or of datasets whose columns are joined.
  bool takes_list() const { return is_list() || type == ArtifactType::kDataset; }
};

/// The paper that a component comes from.
struct PaperSource {
  std::string citation;
  std::string url;
};

/// What people read about a component.
struct About {
  std::string name;  ///< as recipes write it, lower_snake
  std::string description;
  PaperSource source;
  Schema schema;
  std::shared_ptr<const Plugin> plugin = {};  ///< none for what lvtext itself brings
};

struct Component;

/// One of several results that inference leaves side by side, such as the records of one policy.
struct NamedPart {
  std::string id;   ///< as recipes name it: "k_5"
  std::string key;  ///< its own options with their defaults, as JSON: what it is
};

/// The parts that an option lists.
template <class T>
std::vector<NamedPart> named_parts(const Parts<T>& option) {
  std::vector<NamedPart> parts;
  for (const Part<T>& part : option.all) {
    parts.push_back({part.id, canonical_json(to_node(part.options)).dump()});
  }
  return parts;
}

/// A component with its options, which are parsed once and kept typed.
struct Configured {
  const Component* component = nullptr;
  /// Every option with its value, defaults included: part of a node's identity.
  Node options;
  /// What it needs, which may depend on its options.
  std::vector<InputDecl> inputs = {};
  /// Of inference that leaves named parts: all that its options ask for.
  std::vector<NamedPart> parts = {};

  /// One of these is set: what the component is. `model` (which is trained) and `fit` (a model
  /// whose tensors are computed at once) throw ConfigError for options that do not fit what
  /// surrounds it.
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
  /// Raised whenever the same options and inputs give other numbers; part of a node's identity.
  int revision = 1;
  /// Parses its own options, without the keys of the recipe's entry (`model`, `label`, `train`,
  /// `inputs`). Every mistake goes to the errors, its key named below the path; none is returned
  /// then. Called by configure().
  std::function<std::optional<Configured>(const Node&, Errors&, const std::string& path)> parse;

  /// Of a model: names of the capabilities that it serves, and the training options that its
  /// authors chose, which hold where an inline component leaves them out.
  std::vector<std::string> capabilities = {};
  bool is_fitted = false;  ///< its tensors are computed at once, it is not trained
  Node training = Node::mapping({});
  /// Of an inference component: what it leaves, and the option that lists its named parts, which is
  /// outside the identity of its nodes; empty: it leaves no parts.
  ArtifactType gives = ArtifactType::kText;
  std::string parts_option = {};
  /// Of an inference component: the input whose rows it leaves one by one, so that its columns can
  /// be joined with theirs; empty: rows of its own.
  std::string rows_of = {};
  /// Of an evaluator: ids of all scores that it can give, and what they are of.
  std::vector<std::string> scores = {};
  ScoresOf scores_of = ScoresOf::kRow;

  bool can(const std::string& capability) const {
    for (const auto& each : capabilities) {
      if (each == capability) return true;
    }
    return false;
  }
  /// The component with these options; none, and every mistake in the errors, where they are wrong.
  /// The component must outlive the result.
  std::optional<Configured> configure(const Node& options, Errors& errors,
                                      const std::string& path) const {
    std::optional<Configured> configured = parse(options, errors, path);
    if (configured) configured->component = this;
    return configured;
  }
  /// The same. Throws ConfigError with all mistakes.
  Configured configure(const Node& options = Node::mapping({})) const {
    Errors errors;
    std::optional<Configured> configured = configure(options, errors, "");
    errors.throw_if_any();
    return std::move(*configured);
  }
};

/// A reference as a default of an input: "row.samples".
inline Node reference(const std::string& text) {
  return Node::scalar(text, /*quoted=*/true);
}

}  // namespace lvtext
