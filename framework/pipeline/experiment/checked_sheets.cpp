#include "framework/pipeline/experiment/checked_sheets.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/pipeline/experiment/checked_recipe.h"
#include "framework/pipeline/rating/sheet_kind.h"
#include "framework/pipeline/recipe/reference.h"

namespace lvtext {
namespace {

/// The aspects of the paper's numbers by name.
void check_paper(const CheckedSheet& sheet, const Node& written, Errors& errors) {
  const Node* paper = written.find("paper");
  if (!paper) return;
  std::vector<std::string> aspects;
  for (const Aspect& aspect : sheet.kind.sheet->aspects) aspects.push_back(aspect.id);
  for (const Node::Entry& row : paper->entries()) {
    for (const Node::Entry& number : row.value.entries()) {
      if (std::find(aspects.begin(), aspects.end(), number.key) != aspects.end()) continue;
      errors.add(number.key_location,
                 "the rating sheet " + sheet.id + " has no aspect '" + number.key + "'",
                 suggestion(number.key, aspects));
    }
  }
}

void read_rows(CheckedSheet& sheet, const EntryNames& rows, Errors& errors) {
  const std::string path = "sheets." + sheet.id + ".rows";
  for (const Node& item : listed(sheet.options.rows)) {
    const auto reference = parse_reference(item.text());
    const Named named = reference ? rows.match(*reference) : Named{};
    if (!reference || !named.problem.empty()) {
      errors.add(item.location(), path + ": " + shown(item.text()) + " is not a row of this recipe",
                 named.hint.empty() ? suggestion(item.text(), rows.ids())
                                    : named.problem + ": " + named.hint);
      continue;
    }
    sheet.rows.insert(sheet.rows.end(), named.ids.begin(), named.ids.end());
  }
}

}  // namespace

void check_sheets(CheckedRecipe& recipe, Errors& errors) {
  const EntryNames rows = recipe.recipe.row_names();
  for (CheckedSheet& sheet : recipe.sheets) {
    read_rows(sheet, rows, errors);
    for (const char* section : {"ratings", "sheets"}) {
      const Node* entries = recipe.recipe.tree.find(section);
      const Node* written = entries ? entries->find(sheet.id) : nullptr;
      if (written) check_paper(sheet, *written, errors);
    }
  }
}

}  // namespace lvtext
