// How models, evaluators, inference components and figures are added to the registries.
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

/// The names of those of `Capability` that a class serves.
template <class Class, class... Capability>
std::vector<std::string> served_by() {
  std::vector<std::string> names;
  const auto add = [&names]<class Each>() {
    if (std::is_base_of_v<Each, Class>) names.emplace_back(Each::kName);
  };
  (add.template operator()<Capability>(), ...);
  return names;
}

/// The names of all capabilities that a class serves.
template <class Class>
std::vector<std::string> capabilities_of() {
  return served_by<Class, Encoder, PriorSampler, NextTokenModel, TextScorer, SentenceEmbedder>();
}

/// What all kinds of components have in common. `bind` completes what is configured from options of
/// type `Options`, which hold no mistakes.
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

/// Adds `Class`, built as Class(const Options&, const ModelInputs&), with its `kRevision` and, if
/// it has them, `static Node training()`, the training options that its authors chose, and `static
/// std::vector<InputDecl> inputs(const Options&)`, the models that it is given.
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

/// Adds `Class`, which derives from Fitted and is built as Class(const Options&, const
/// ModelInputs&), with its `kRevision` and `static std::vector<InputDecl> inputs(const Options&)`,
/// what it is fitted to.
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

/// Adds `Class`, which derives from Evaluator and is built as Class(const Options&), with its
/// `kRevision`, score_ids() and, if it has one, `static constexpr ScoresOf kScoresOf`.
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
  component.scores = Class::score_ids();
  if constexpr (requires { Class::kScoresOf; }) component.scores_of = Class::kScoresOf;
  registries.evaluators.add(name, std::move(component), registries.origin());
}

/// Adds `Class`, which derives from Inference and is built as Class(const Options&), with its
/// `kRevision`, `kGives`, the type of what it leaves, and, if it leaves a row for each row of an
/// input, that one's name as `static constexpr const char* kRowsOf`.
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

/// Adds `Class`, which derives from FigureKind and is built as Class(const Options&), with its
/// `kRevision`.
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
