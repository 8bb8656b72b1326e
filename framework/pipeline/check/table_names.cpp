#include "framework/pipeline/check/table_names.h"

#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/recipe/entry_id.h"
#include "framework/pipeline/report/check_expression.h"

namespace lvtext {
namespace {

/// The table to which the recipe's own `checks` belong.
std::string first_table(const Recipe& recipe) {
  const auto& entries = recipe.options.tables.entries();
  return recipe.tree.find("table") || entries.empty() ? "table" : entries.front().key;
}

/// The checks of a table as written.
std::vector<Node> written_checks(const CheckedTable& table, const Recipe& recipe) {
  const Node* tree = recipe.tree.find("checks");
  std::vector<Node> checks =
      tree && table.id == first_table(recipe) ? tree->items() : std::vector<Node>();
  const Node* tables = recipe.tree.find("tables");
  const Node* own = tables ? tables->find(table.id) : recipe.tree.find("table");
  const Node* more = own ? own->find("checks") : nullptr;
  if (more) checks.insert(checks.end(), more->items().begin(), more->items().end());
  return checks;
}

void check_ids(const CheckedTable& table, const std::string& path, const Recipe& recipe,
               Errors& errors) {
  std::set<std::string> seen;
  for (const TableColumn& column : table.columns) {
    if (seen.insert(column.id).second) continue;
    errors.add(column.location, path + ".columns has " + shown(column.id) + " twice");
  }
  seen.clear();
  for (const TableLine& line : table.lines) {
    if (seen.insert(line.id).second) continue;
    errors.add(line.location, path + ".rows has " + shown(line.id) + " twice");
  }
  seen.clear();
  for (const Node& check : written_checks(table, recipe)) {
    const Node* id = check.find("id");
    if (!id || !id->is_scalar()) continue;
    std::string hint;
    const std::string problem = problem_of_id(id->text(), hint);
    if (!problem.empty()) errors.add(id->location(), problem, hint);
    if (!seen.insert(id->text()).second) {
      errors.add(id->location(), "two checks have the id " + shown(id->text()));
    }
  }
}

/// Checks that each number of the paper belongs to a line and a column.
void check_paper_numbers(const CheckedTable& table, const Node& written, const std::string& path,
                         const Recipe& recipe, Errors& errors) {
  const Node* paper = written.find("paper");
  if (!paper || !paper->is_mapping()) return;
  const auto removed_rows = recipe.removed_rows();
  std::vector<std::string> lines, columns = recipe.known_metrics();
  for (const TableLine& line : table.lines) lines.push_back(line.id);
  for (const TableColumn& column : table.columns) add_new(columns, column.id);
  for (const Node::Entry& line : paper->entries()) {
    const bool is_line = contains(lines, line.key);
    if (!is_line && !removed_rows.contains(line.key)) {
      const auto near = nearest(line.key.substr(0, 100), lines);
      errors.add(
          line.key_location,
          "the paper's row " + shown(line.key) + " is not a row of this " +
              (path == "table" ? "recipe" : "table"),
          near ? "did you mean '" + *near + "'?" : "rows are defined in models and in not_run");
    }
    for (const Node::Entry& number : line.value.entries()) {
      if (contains(columns, number.key)) continue;
      errors.add(number.key_location,
                 "the paper's number " + shown(line.key + "." + number.key) +
                     " belongs to no metric of `evaluate`",
                 suggestion(number.key.substr(0, 100), columns));
    }
  }
}

/// Checks that each note is about a number of the paper.
void check_notes(const CheckedTable& table, const Node& written, Errors& errors) {
  const Node* notes = written.find("notes");
  if (!notes || !notes->is_mapping()) return;
  std::vector<std::string> numbers;
  for (const auto& [line, values] : table.options.paper) {
    for (const auto& [column, value] : values) numbers.push_back(line + "." + column);
  }
  for (const Node::Entry& line : notes->entries()) {
    for (const Node::Entry& note : line.value.entries()) {
      const std::string number = line.key + "." + note.key;
      if (contains(numbers, number)) continue;
      errors.add(note.key_location,
                 "the note on " + shown(number) + " is about no number of `paper`",
                 suggestion(number.substr(0, 100), numbers));
    }
  }
}

/// The location of the expression of a check.
SourceLocation expression_location(const std::string& id, const Recipe& recipe) {
  SourceLocation location;
  const auto look = [&](const Node* checks) {
    if (!checks) return;
    for (const Node& check : checks->items()) {
      const Node* named = check.find("id");
      const Node* expr = check.find("expr");
      if (named && expr && named->text() == id) location = expr->location();
    }
  };
  look(recipe.tree.find("checks"));
  if (const Node* table = recipe.tree.find("table")) look(table->find("checks"));
  for (const Node::Entry& table : recipe.options.tables.entries()) {
    look(table.value.find("checks"));
  }
  return location;
}

}  // namespace

void check_table_names(const CheckedTable& table, const Node& written, const std::string& path,
                       const Recipe& recipe, Errors& errors) {
  check_ids(table, path, recipe, errors);
  check_paper_numbers(table, written, path, recipe, errors);
  check_notes(table, written, errors);
}

void check_expressions(const std::vector<CheckedTable>& tables, const Recipe& recipe,
                       Errors& errors) {
  for (const CheckedTable& table : tables) {
    std::vector<std::string> lines, columns = recipe.known_metrics();
    for (const CheckedTable& each : tables) {
      const std::string prefix = each.id == table.id ? "" : each.id + ":";
      for (const TableLine& line : each.lines) lines.push_back(prefix + line.id);
      for (const TableColumn& column : each.columns) add_new(columns, column.id);
    }
    for (const auto& [id, reason] : recipe.removed_rows()) lines.push_back(id);
    for (const CheckOptions& check : table.options.checks) {
      if (check.expr.empty()) continue;
      try {
        CheckExpression::parse(check.expr, "checks." + check.id).check_names(lines, columns);
      } catch (const ConfigError& error) {
        errors.add(expression_location(check.id, recipe), error.what());
      }
    }
  }
}

}  // namespace lvtext
