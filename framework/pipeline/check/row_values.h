// The names of the values that rows have.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "framework/core/model/registries.h"
#include "framework/pipeline/recipe/recipe.h"

namespace lvtext {

/// The key of an entry of artifacts or models that names its component; null if there is none.
const Node::Entry* component_key(const Node& entry);

/// The entry of this id in the first of these sections that has one; null if none has.
const Node::Entry* written_entry(const Recipe& recipe, std::initializer_list<const char*> sections,
                                 const std::string& id);

/// Adds the names of the values that a row without component has, those that are new.
void add_fillers(const Node& row, std::vector<std::string>& names);

/// Names of the values that any row may have: generated text, and inputs of evaluators and figures.
std::vector<std::string> row_value_names(const Recipe& recipe, const Registries& registries);

/// Names of the values that rows of the recipe have: generated texts and written fillers.
std::vector<std::string> values_of_rows(const Recipe& recipe, const Registries& registries);

}  // namespace lvtext
