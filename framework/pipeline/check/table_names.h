// Names in tables: ids of lines, columns and checks, and names in numbers, notes and expressions.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options/errors.h"
#include "framework/core/options/node.h"
#include "framework/pipeline/check/checked_tables.h"
#include "framework/pipeline/recipe/recipe.h"

namespace lvtext {

/// Reports duplicate ids of lines, columns and checks, invalid ids of checks, numbers of the paper
/// for an unknown row or metric, and notes without a number in `paper`. `written`: the table in the
/// recipe, at `path`.
void check_table_names(const CheckedTable& table, const Node& written, const std::string& path,
                       const Recipe& recipe, Errors& errors);

/// Checks the expressions of the checks of all tables: their grammar, and the lines and columns
/// that they name.
void check_expressions(const std::vector<CheckedTable>& tables, const Recipe& recipe,
                       Errors& errors);

}  // namespace lvtext
