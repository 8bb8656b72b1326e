// Functions that add models, evaluators, inference components and figures to the registries.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/registries.h"
#include "framework/core/model/trainable.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Names of the capabilities among `Capability` that a class has.
template <class Class, class... Capability>
std::vector<std::string> served_by() {
  std::vector<std::string> names;
  const auto add = [&names]<class Each>() {
    if (std::is_base_of_v<Each, Class>) names.emplace_back(Each::kName);
  };
  (add.template operator()<Capability>(), ...);
  return names;
}

/// Names of all capabilities that a class has.
template <class Class>
std::vector<std::string> capabilities_of() {
  return served_by<Class, Encoder, PriorSampler, NextTokenModel, VectorDecoder, TextScorer,
                   SentenceEmbedder, TokenEmbedder, TextClassifier, StyleTransfer, WordVectors,
                   TokenWeights, ImageGenerator, ImageScorer, ImageFeatures>();
}

/// Makes a component of any kind. `bind` completes Configured from valid options of type `Options`.
template <class Options, class Bind>
Component component_of(const Registries& registries, const std::string& name,
                       const std::string& description, PaperSource source, const Bind& bind) {
  return {.about = {name, description, std::move(source), describe<Options>(), registries.loading},
          .parse = [bind](const Node& node, Errors& errors,
                          const std::string& path) -> std::optional<Configured> {
            const size_t before = errors.count();
            const auto options =
                std::make_shared<const Options>(parse_options<Options>(node, errors, {}, path));
            if (errors.count() != before) return std::nullopt;
            Configured configured{.options = to_node(*options)};
            bind(configured, options);
            return configured;
          }};
}

/// Adds `Class`, constructed as Class(const Options&, const ModelInputs&). It must have `kRevision`
/// and may have `static Node training()`, the authors' training options, and `static
/// std::vector<InputDecl> inputs(const Options&)`, the models that it uses.
template <class Class, class Options>
void add_model(Registries& registries, const std::string& name, const std::string& description,
               PaperSource source) {
  Component component = component_of<Options>(
      registries, name, description, std::move(source),
      [](Configured& configured, const std::shared_ptr<const Options>& options) {
        if constexpr (requires { Class::inputs(*options); }) {
          configured.inputs = Class::inputs(*options);
        }
        configured.model = [options](const ModelInputs& inputs) -> std::shared_ptr<Trainable> {
          return std::make_shared<Class>(*options, inputs);
        };
      });
  component.revision = Class::kRevision;
  component.capabilities = capabilities_of<Class>();
  if constexpr (requires { Class::training(); }) component.training = Class::training();
  registries.models.add(name, std::move(component), registries.origin());
}

/// Adds `Class`, which derives from Fitted and is constructed as Class(const Options&, const
/// ModelInputs&). It must have `kRevision` and `static std::vector<InputDecl> inputs(const
/// Options&)`, the data that it is fitted to.
template <class Class, class Options>
void add_fit(Registries& registries, const std::string& name, const std::string& description,
             PaperSource source) {
  Component component = component_of<Options>(
      registries, name, description, std::move(source),
      [](Configured& configured, const std::shared_ptr<const Options>& options) {
        configured.inputs = Class::inputs(*options);
        configured.fit = [options](const ModelInputs& inputs) -> std::shared_ptr<Fitted> {
          return std::make_shared<Class>(*options, inputs);
        };
      });
  component.revision = Class::kRevision;
  component.capabilities = capabilities_of<Class>();
  component.is_fitted = true;
  registries.models.add(name, std::move(component), registries.origin());
}

/// Adds `Class`, which derives from Evaluator and is constructed as Class(const Options&). It must
/// have `kRevision` and scores() and may have `static constexpr ScoresOf kScoresOf`.
template <class Class, class Options>
void add_evaluator(Registries& registries, const std::string& name, const std::string& description,
                   PaperSource source) {
  Component component = component_of<Options>(
      registries, name, description, std::move(source),
      [](Configured& configured, const std::shared_ptr<const Options>& options) {
        const auto evaluator = std::make_shared<const Class>(*options);
        configured.inputs = evaluator->inputs();
        configured.evaluator = evaluator;
      });
  component.revision = Class::kRevision;
  component.scores = Class::scores();
  if constexpr (requires { Class::kScoresOf; }) component.scores_of = Class::kScoresOf;
  registries.evaluators.add(name, std::move(component), registries.origin());
}

/// Adds `Class`, which derives from Inference and is constructed as Class(const Options&). It must
/// have `kRevision` and `kGives`, the type of its result, and, if the result has a row for each row
/// of an input, the name of that input as `static constexpr const char* kRowsOf`.
template <class Class, class Options>
void add_inference(Registries& registries, const std::string& name, const std::string& description,
                   PaperSource source) {
  Component component = component_of<Options>(
      registries, name, description, std::move(source),
      [](Configured& configured, const std::shared_ptr<const Options>& options) {
        const auto inference = std::make_shared<const Class>(*options);
        configured.inputs = inference->inputs();
        if constexpr (requires { Class::kParts; }) configured.parts = inference->parts();
        configured.inference = inference;
      });
  component.revision = Class::kRevision;
  component.gives = Class::kGives;
  if constexpr (requires { Class::kParts; }) component.parts_option = Class::kParts;
  if constexpr (requires { Class::kRowsOf; }) component.rows_of = Class::kRowsOf;
  registries.inference.add(name, std::move(component), registries.origin());
}

/// Adds `Class`, which derives from FigureKind and is constructed as Class(const Options&). It must
/// have `kRevision`.
template <class Class, class Options>
void add_figure(Registries& registries, const std::string& name, const std::string& description,
                PaperSource source) {
  Component component = component_of<Options>(
      registries, name, description, std::move(source),
      [](Configured& configured, const std::shared_ptr<const Options>& options) {
        const auto figure = std::make_shared<const Class>(*options);
        configured.inputs = figure->inputs();
        configured.figure = figure;
      });
  component.revision = Class::kRevision;
  registries.figures.add(name, std::move(component), registries.origin());
}

}  // namespace lvtext
