// What the program can build by name: models and evaluators, with their options and sources.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/base/plugin_file.h"
#include "framework/base/registry.h"
#include "framework/model/capabilities.h"
#include "framework/model/model_inputs.h"
#include "framework/model/trainable.h"
#include "framework/options/options.h"

namespace lvtext {

class Evaluator;

/// The paper that a component comes from.
struct PaperSource {
  std::string citation;
  std::string url;
};

/// What people read about a component.
struct About {
  std::string name;  ///< lower_snake, as recipes write it
  std::string description;
  PaperSource source;
  Schema schema;
  std::shared_ptr<const Plugin> plugin = {};  ///< none for what lvtext itself brings
};

/// A model that recipes can name. Every function takes the model's own options, without the keys of
/// the recipe's row (`model`, `label`, `train`).
struct ModelEntry {
  About about;
  /// Checks the options; every mistake goes to the errors, its key named below the path.
  std::function<void(const Node&, Errors&, const std::string& path)> check;
  /// Builds the model with its initial parameters. Throws ConfigError with all mistakes.
  std::function<std::shared_ptr<Trainable>(const Node&, const ModelInputs&)> build;
  /// Every option with its value, defaults included: part of a run's identity.
  std::function<Node(const Node&)> canonical;
  /// Names of what the model can do: "encodes", "samples_prior", "next_token", "scores_text",
  /// "embeds_sentences".
  std::vector<std::string> capabilities;
  /// Raised whenever the same options give other numbers; part of a run's identity.
  int revision = 1;

  bool can(const std::string& capability) const {
    for (const auto& each : capabilities) {
      if (each == capability) return true;
    }
    return false;
  }
};

/// An evaluator that recipes can name.
struct EvaluatorEntry {
  About about;
  std::function<void(const Node&, Errors&, const std::string& path)> check;
  std::function<std::shared_ptr<Evaluator>(const Node&)> build;
  std::function<Node(const Node&)> canonical;
  std::vector<std::string> scores;  ///< ids of all that it can give
};

struct Registries {
  Registry<ModelEntry> models{"model"};
  Registry<EvaluatorEntry> evaluators{"evaluator"};
  std::shared_ptr<const Plugin> loading;  ///< whose components are being added; none for our own

  /// Who adds components now, for the message about a name that is taken.
  std::string origin() const { return loading ? loading->file : "lvtext"; }
};

/// The capabilities that a class serves, by name.
template <class Model>
std::vector<std::string> capabilities_of() {
  std::vector<std::string> names;
  if (std::is_base_of_v<Encodes, Model>) names.push_back("encodes");
  if (std::is_base_of_v<SamplesPrior, Model>) names.push_back("samples_prior");
  if (std::is_base_of_v<NextToken, Model>) names.push_back("next_token");
  if (std::is_base_of_v<ScoresText, Model>) names.push_back("scores_text");
  if (std::is_base_of_v<EmbedsSentences, Model>) names.push_back("embeds_sentences");
  return names;
}

/// Adds `Model`, built as Model(const Options&, const ModelInputs&), with its `kRevision`.
template <class Model, class Options>
void add_model(Registries& registries, const std::string& name, const std::string& description,
               PaperSource source) {
  registries.models.add(
      name,
      {.about = {name, description, std::move(source), describe<Options>(), registries.loading},
       .check = [](const Node& node, Errors& errors,
                   const std::string& path) { parse_options<Options>(node, errors, {}, path); },
       .build = [](const Node& node, const ModelInputs& inputs) -> std::shared_ptr<Trainable> {
         return std::make_shared<Model>(parse_options_or_throw<Options>(node), inputs);
       },
       .canonical = [](const Node& node) { return to_node(parse_options_or_throw<Options>(node)); },
       .capabilities = capabilities_of<Model>(),
       .revision = Model::kRevision},
      registries.origin());
}

/// Adds `Evaluation`, built as Evaluation(const Options&), with its score_ids(). It must derive
/// from Evaluator.
template <class Evaluation, class Options>
void add_evaluator(Registries& registries, const std::string& name, const std::string& description,
                   PaperSource source) {
  registries.evaluators.add(
      name,
      {.about = {name, description, std::move(source), describe<Options>(), registries.loading},
       .check = [](const Node& node, Errors& errors,
                   const std::string& path) { parse_options<Options>(node, errors, {}, path); },
       .build = [](const Node& node) -> std::shared_ptr<Evaluator> {
         return std::make_shared<Evaluation>(parse_options_or_throw<Options>(node));
       },
       .canonical = [](const Node& node) { return to_node(parse_options_or_throw<Options>(node)); },
       .scores = Evaluation::score_ids()},
      registries.origin());
}

}  // namespace lvtext
