// Inputs and outputs of components with default options.
#pragma once

#include <string>
#include <vector>

#include "framework/core/model/registries.h"

namespace lvtext {

/// Why `eval` does not support evaluators whose inputs are scores.
inline constexpr const char* kCombines =
    "it combines scores of other metrics, which only a recipe defines: add it to `evaluate` and "
    "run `lvtext reproduce RECIPE`";

/// Why `eval` does not support evaluators that read datasets.
inline constexpr const char* kReadsDatasets =
    "it reads columns of a data set, which only a recipe defines: add it to `evaluate` and run "
    "`lvtext reproduce RECIPE`";

/// Why `eval` does not support evaluators with required options.
inline constexpr const char* kHasRequiredOptions =
    "it has required options: add it to `evaluate` of a recipe";

/// The inputs of a component with default options; empty if it has no inputs or has required
/// options.
std::vector<InputDecl> usual_inputs(const Component& component);

/// Why a model is not valid for an input, with the capabilities that it has; empty if it is.
std::string model_mismatch(const InputDecl& input, const Component& model);

/// Names of the texts that are generated for a row on demand: the inference components that produce
/// a text from the row's model and whose inputs all have defaults.
std::vector<std::string> generated_texts(const Registries& registries);

}  // namespace lvtext
