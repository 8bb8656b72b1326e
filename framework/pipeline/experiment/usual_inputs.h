// What the components of a recipe need and leave, before their options are known.
#pragma once

#include <string>
#include <vector>

#include "framework/core/model/registries.h"

namespace lvtext {

/// Why `eval` cannot serve an evaluator whose inputs are scores.
inline constexpr const char* kCombines =
    "it combines scores of other metrics, which only a recipe names: write it below `evaluate` and "
    "run `lvtext reproduce RECIPE`";

/// Why `eval` cannot serve an evaluator that reads datasets.
inline constexpr const char* kReadsDatasets =
    "it reads columns of a data set, which only a recipe names: write it below `evaluate` and run "
    "`lvtext reproduce RECIPE`";

/// The inputs of a component without options; none if it has no inputs or its options cannot be
/// left out.
std::vector<InputDecl> usual_inputs(const Component& component);

/// The texts that are generated for a row where something asks for them: the inference components
/// that leave one from what the row has, and whose inputs all have defaults.
std::vector<std::string> generated_texts(const Registries& registries);

}  // namespace lvtext
