// References of a recipe: "data.test", "row.samples".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/model/registries.h"

namespace lvtext {

/// Names a split of the recipe's data, or something of the row that is scored: its model, a filler,
/// or what is generated for it.
struct Reference {
  enum class Of { kData, kRow };
  Of of = Of::kData;
  std::string part;  ///< "test"; "model", "samples"
};

/// Why `eval` cannot serve an evaluator whose inputs are scores.
inline constexpr const char* kCombines =
    "it combines scores of other metrics, which only a recipe names: write it below `evaluate` and "
    "run `lvtext reproduce RECIPE`";

/// None if the text is no reference.
std::optional<Reference> parse_reference(const std::string& text);

/// What a reference may be here.
struct KnownReferences {
  std::vector<std::string> texts, models;

  /// What is wrong with a reference where `type` is asked for; empty if nothing is.
  std::string problem(const std::string& text, ArtifactType type) const;
};

/// The splits of the recipe's data, and as texts of a row `fillers`.
std::vector<std::string> text_references(const std::vector<std::string>& splits,
                                         const std::vector<std::string>& fillers);

/// The inputs of a component without options; none if it has no inputs or its options cannot be
/// left out.
std::vector<InputDecl> usual_inputs(const Component& component);

/// The texts that are generated for a row where something asks for them: the inference components
/// that leave one.
std::vector<std::string> generated_texts(const Registries& registries);

}  // namespace lvtext
