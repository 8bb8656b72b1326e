#include "framework/pipeline/check/checked_sheets.h"

#include <algorithm>
#include <utility>

#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/check/checked_recipe.h"
#include "framework/pipeline/check/checked_selects.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/figures/figure_kind.h"
#include "framework/pipeline/rating/rating_measures.h"
#include "framework/pipeline/rating/sheet.h"

namespace lvtext {
namespace {

/// Checks that the paper's numbers are those of rows, or compared rows, and columns of the sheet.
/// `removed`: comparisons of rows that do not exist in this profile. `path`: of the sheet.
void check_paper(const CheckedSheet& sheet, const Node& written, const Names& names,
                 const std::vector<std::string>& removed, const std::string& path, Errors& errors) {
  const Node* paper = written.find("paper");
  if (!paper) return;
  std::vector<std::string> columns;
  for (const Aspect& aspect : sheet.kind.sheet->aspects) {
    for (const RatingMeasure& measure : rating_measures(aspect)) columns.push_back(measure.id);
  }
  std::vector<std::string> compared = removed;
  for (const auto& rows : sheet.compared) compared.push_back(group_id(rows));
  for (const Node::Entry& row : paper->entries()) {
    if (sheet.kind.sheet->compared == 1) {
      names.rows(Node::scalar(row.key, true, row.key_location), path + ".paper");
    } else if (!contains(compared, row.key)) {
      errors.add(row.key_location,
                 "the rating sheet " + sheet.id + " does not compare " + shown(row.key),
                 compared.empty() ? "list the compared rows: compare: [[m0, m2], ...]"
                                  : suggestion(row.key, compared));
    }
    for (const Node::Entry& number : row.value.entries()) {
      if (contains(columns, number.key)) continue;
      errors.add(number.key_location,
                 "the rating sheet " + sheet.id + " has no column '" + number.key + "'",
                 suggestion(number.key, columns));
    }
  }
}

/// Sets the rows of a sheet. Returns the comparisons of rows that do not exist in this profile.
std::vector<std::string> set_rows(CheckedSheet& sheet, const Names& names, Errors& errors) {
  std::vector<std::string> removed;
  const std::string path = "sheets." + sheet.id;
  sheet.rows = all_ids(names.each_rows(sheet.options.rows, path + ".rows"));
  const Node& compare = sheet.options.compare;
  if (compare.is_null()) return removed;
  const auto refuse = [&](const Node& at, const std::string& problem, const std::string& hint) {
    errors.add(at.location(), path + ".compare" + problem, hint);
  };
  if (sheet.kind.sheet->compared == 1) {
    refuse(compare, ": the kind " + sheet.options.kind + " does not compare rows",
           "name the rows to rate in `rows`");
    return removed;
  }
  if (!sheet.rows.empty()) {
    refuse(compare, " and rows are both given", "remove one of them");
    return removed;
  }
  for (const Node& pair : listed(compare)) {
    const size_t before = errors.count();
    const auto found = names.each_rows(pair, path + ".compare");
    if (errors.count() != before) continue;
    if (std::any_of(found.begin(), found.end(), [](const auto& row) { return row.ids.empty(); })) {
      std::vector<std::string> ids;
      for (const Found& row : found) ids.push_back(row.reference.entry());
      removed.push_back(group_id(ids));
      continue;
    }
    const std::vector<std::string> ids = all_ids(found);
    if (ids.size() != 2 || ids[0] == ids[1]) {
      refuse(pair, " must list pairs of different rows", "such as compare: [[m0, m2], [m0, m7]]");
      continue;
    }
    sheet.compared.push_back(ids);
  }
  return removed;
}

/// Reads the sheets one by one.
class SheetReader {
 public:
  SheetReader(const CheckContext& context, const DataSets& data, InputParser& inputs)
      : context_(context), data_(data), inputs_(inputs) {}

  std::vector<CheckedSheet> read() {
    for (const Node::Entry& sheet : context_.recipe.options.sheets.entries()) {
      const std::string path = "sheets." + sheet.key;
      const auto options = parse_block<SheetOptions>(sheet.value, context_.errors, path);
      const Node* kind = sheet.value.find("kind");
      add_sheet({sheet.key, kind ? *kind : Node(), sheet.key_location}, path, options,
                context_.errors);
    }
    const Node* ratings = context_.recipe.tree.find("ratings");
    for (const Node::Entry& sheet : ratings ? ratings->entries() : std::vector<Node::Entry>()) {
      if (context_.recipe.options.sheets.find(sheet.key)) {
        context_.errors.add(
            sheet.key_location,
            "the sheet " + shown(sheet.key) + " is defined in ratings and in sheets",
            "remove one of them");
        continue;
      }
      SheetOptions options{.kind = sheet.key};
      const auto& simple = context_.recipe.options.ratings;
      if (const auto given = simple.find(sheet.key); given != simple.end()) {
        options.item = given->second.item;
        options.paper = given->second.paper;
      }
      add_sheet({sheet.key, Node::scalar(sheet.key, true, sheet.key_location), sheet.key_location},
                "ratings." + sheet.key, options, context_.errors);
    }
    for (const auto& name : context_.registries.sheets.names()) {
      if (find_entry(sheets_, name)) continue;
      Errors none;  // kinds with required options are only used if listed
      add_sheet({name, Node::scalar(name), {}}, "", {.kind = name}, none);
    }
    std::sort(sheets_.begin(), sheets_.end(),
              [](const CheckedSheet& a, const CheckedSheet& b) { return a.id < b.id; });
    return std::move(sheets_);
  }

 private:
  /// `named`: the sheet's id and the node that names its kind. `path`: path in the recipe; empty:
  /// not in the recipe.
  void add_sheet(const Node::Entry& named, const std::string& path, const SheetOptions& options,
                 Errors& errors) {
    if (options.kind.empty()) return;  // reported as a missing key
    const Component* kind =
        find_component(context_.registries.sheets, options.kind, named.value.location(), errors);
    if (!kind) return;
    auto configured = kind->configure(options.own, errors, path);
    if (!configured) return;
    if (!options.show.is_null()) configured->inputs = shown_inputs(options.show, *configured, path);
    CheckedSheet read{named.key, options, std::move(*configured), {}};
    read.is_written = !path.empty();
    if (read.is_written || has_usual_texts(read.kind)) {
      read.inputs = inputs_.read(read.kind, options.inputs, named.key_location, {.of_row = true},
                                 path + ".inputs");
    }
    if (!options.sources.is_null()) read_sheet_sources(named, path, read);
    sheets_.push_back(std::move(read));
  }

  /// The texts that a recipe shows instead of the defaults of the kind: columns of the sheet.
  std::vector<InputDecl> shown_inputs(const Node& show, const Configured& kind,
                                      const std::string& path) {
    std::vector<std::string> taken = {"item_id", "rater_id", "comment"};
    if (kind.sheet->compared == 2) taken.insert(taken.end(), {"a", "b"});
    for (const Aspect& aspect : kind.sheet->aspects) taken.push_back(aspect.id);
    std::vector<InputDecl> inputs;
    for (const Node& each : listed(show)) {
      std::string name = each.text();
      std::replace_if(
          name.begin(), name.end(), [](char c) { return !is_lower_snake(std::string("a") + c); },
          '_');
      if (contains(taken, name)) {
        context_.errors.add(each.location(),
                            path + ".show: the sheet already has a column " + shown(name));
        continue;
      }
      taken.push_back(name);
      inputs.push_back(
          {.name = name, .help = "shown to raters", .by_default = row_reference(each)});
    }
    // The rated text or image is the last one.
    if (!inputs.empty()) inputs.back().type = kind.inputs.back().type;
    if (listed(show).empty()) {
      context_.errors.add(show.location(), path + ".show is empty",
                          "such as show: [source, outputs]");
    }
    return inputs;
  }

  /// Whether the recipe has the default texts of a kind.
  bool has_usual_texts(const Configured& kind) const {
    return std::all_of(kind.inputs.begin(), kind.inputs.end(), [this](const InputDecl& input) {
      if (input.by_default.is_null()) return false;
      const auto reference = parse_reference(input.by_default.text());
      if (!reference || reference->id == "row") return reference.has_value();
      const auto& data = data_.all();
      return reference->id == "data" && data.size() == 1 &&
             contains(data[0].splits, reference->part);
    });
  }

  void read_sheet_sources(const Node::Entry& sheet, const std::string& path, CheckedSheet& read) {
    if (read.kind.sheet->compared == 2) {
      context_.errors.add(read.options.sources.location(),
                          path + ".sources: the kind " + read.options.kind +
                              " compares rows and has no further sources");
      return;
    }
    read.has_rows = false;
    for (const Node& source : listed(read.options.sources)) {
      const auto reference = parse_reference(source.text());
      if (reference && reference->id == "row") {
        const auto& inputs = read.kind.inputs;
        const bool is_shown =
            std::any_of(inputs.begin(), inputs.end(), [&](const InputDecl& input) {
              const Node* given = read.options.inputs.find(input.name);
              return (given ? *given : input.by_default).text() == source.text();
            });
        if (!is_shown) {
          context_.errors.add(source.location(), path + ".sources: " + shown(source.text()) +
                                                     " is not a text of the sheet");
        }
        read.has_rows = true;
        continue;
      }
      // Each text of the sheet is the column of the data set of this name, if there is one.
      const CheckedData* data = reference ? data_.find(reference->entry()) : nullptr;
      const auto columns = data ? data_.columns(*data) : std::vector<std::string>();
      Configured kind = read.kind;
      for (InputDecl& input : kind.inputs) {
        const bool has_column = input.type == ArtifactType::kText && contains(columns, input.name);
        input.by_default =
            source.with_text(source.text() + (has_column ? "." + input.name : ""), true);
      }
      read.data.emplace_back(
          source.text(),
          inputs_.read(kind, Node::mapping({}), sheet.key_location, {}, path + ".sources"));
    }
  }

  CheckContext context_;
  const DataSets& data_;
  InputParser& inputs_;
  std::vector<CheckedSheet> sheets_;
};

}  // namespace

std::vector<CheckedSheet> read_sheets(const CheckContext& context, const DataSets& data,
                                      InputParser& inputs) {
  return SheetReader(context, data, inputs).read();
}

void check_sheets(CheckedRecipe& recipe, const Names& names, Errors& errors) {
  for (CheckedSheet& sheet : recipe.sheets) {
    const auto removed = set_rows(sheet, names, errors);
    const Node* own = recipe.recipe.options.sheets.find(sheet.id);
    if (own) {
      check_choose(sheet.options.choose, *own, "sheets." + sheet.id, recipe.selects, errors);
    }
    for (const std::string section : {"ratings", "sheets"}) {
      const Node* entries = recipe.recipe.tree.find(section);
      const Node* written = entries ? entries->find(sheet.id) : nullptr;
      if (written) {
        check_paper(sheet, *written, names, removed, section + "." + sheet.id, errors);
      }
    }
  }
}

}  // namespace lvtext
