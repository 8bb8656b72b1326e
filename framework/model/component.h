// Anything that recipes can name: models, evaluators, inference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/base/plugin_file.h"
#include "framework/options/errors.h"
#include "framework/options/node.h"
#include "framework/options/schema.h"

namespace lvtext {

class Evaluator;
class Inference;
class Trainable;
struct ModelInputs;

/// What fills an input.
enum class ArtifactType { kModel, kText, kTensors };

/// A declared need of a component. What fills it is, in this order: `inputs` of the recipe's entry,
/// the row's filler of that name, the default.
struct InputDecl {
  enum class Arity { kOne, kOptional, kMany };
  std::string name;  ///< "language_model"
  std::string help;
  ArtifactType type = ArtifactType::kText;
  /// A reference ("row.samples", "data.test") or an inline component (a mapping); null: none.
  Node by_default = {};
  /// Of a model: what it must serve, and what it must not.
  std::vector<std::string> capabilities = {}, without = {};
  Arity arity = Arity::kOne;
  int64_t rows = 0;  ///< sentences of a text that are used; 0: all
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

/// A component that recipes can name. Every function takes its own options, without the keys of the
/// recipe's entry (`model`, `label`, `train`, `inputs`).
struct Component {
  About about;
  /// Checks the options; every mistake goes to the errors, its key named below the path.
  std::function<void(const Node&, Errors&, const std::string& path)> check;
  /// Every option with its value, defaults included: part of a node's identity.
  std::function<Node(const Node&)> canonical;
  /// Raised whenever the same options and inputs give other numbers; part of a node's identity.
  int revision = 1;
  /// What it needs, which may depend on its options.
  std::function<std::vector<InputDecl>(const Node&)> inputs = {};

  /// Of a model: names of the capabilities that it serves, and the training options that its
  /// authors chose, which hold where an inline component leaves them out.
  std::vector<std::string> capabilities = {};
  Node training = Node::mapping({});
  /// Of an inference component: what it leaves.
  ArtifactType gives = ArtifactType::kText;
  /// Of an evaluator: ids of all scores that it can give.
  std::vector<std::string> scores = {};

  /// One of these is set: what the component is. They throw ConfigError with all mistakes.
  std::function<std::shared_ptr<Trainable>(const Node&, const ModelInputs&)> model = {};
  std::function<std::shared_ptr<const Evaluator>(const Node&)> evaluator = {};
  std::function<std::shared_ptr<const Inference>(const Node&)> inference = {};

  bool can(const std::string& capability) const {
    for (const auto& each : capabilities) {
      if (each == capability) return true;
    }
    return false;
  }
};

/// A reference as a default of an input: "row.samples".
inline Node reference(const std::string& text) {
  return Node::scalar(text, /*quoted=*/true);
}

}  // namespace lvtext
