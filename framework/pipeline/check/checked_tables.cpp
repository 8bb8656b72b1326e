#include "framework/pipeline/check/checked_tables.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/check/checked_recipe.h"
#include "framework/pipeline/check/checked_selects.h"
#include "framework/pipeline/check/names.h"
#include "framework/pipeline/check/table_names.h"
#include "framework/pipeline/figures/figure_kind.h"

namespace lvtext {
namespace {

/// The column that shows the selection of a line's select.
constexpr const char* kChosen = "chosen";

/// Reads the tables of one recipe.
class TableReader {
 public:
  TableReader(const CheckedRecipe& recipe, const Names& names, Errors& errors)
      : recipe_(recipe), names_(names), errors_(errors) {}

  std::vector<CheckedTable> read() {
    const RecipeOptions& options = recipe_.recipe.options;
    const Node* simple = recipe_.recipe.tree.find("table");
    const auto& entries = options.tables.entries();
    if (simple || entries.empty()) {
      TableOptions table = options.table;
      table.checks.insert(table.checks.begin(), options.checks.begin(), options.checks.end());
      add({"table", simple ? *simple : Node::mapping({}), {}}, "table", std::move(table));
    }
    for (size_t i = 0; i < entries.size(); ++i) {
      const std::string path = "tables." + entries[i].key;
      TableOptions table = parse_options<TableOptions>(entries[i].value, errors_, {}, path);
      const bool is_first = i == 0 && !simple;
      if (is_first) {
        table.checks.insert(table.checks.begin(), options.checks.begin(), options.checks.end());
      }
      add(entries[i], path, std::move(table));
    }
    check_expressions(tables_, recipe_.recipe, errors_);
    return std::move(tables_);
  }

 private:
  void add(const Node::Entry& entry, const std::string& path, TableOptions options) {
    CheckedTable table{.id = entry.key, .options = std::move(options)};
    check_choose(table.options.choose.value_or(""), entry.value, path, recipe_.selects, errors_);
    read_columns(table, path);
    read_lines(table, path);
    check_aggregate(table, entry.value, path);
    check_table_names(table, entry.value, path, recipe_.recipe, errors_);
    tables_.push_back(std::move(table));
  }

  // Columns

  void read_columns(CheckedTable& table, const std::string& path) {
    const Node& columns = table.options.columns;
    for (const Node& column : columns.items()) {
      if (!column.is_mapping()) {
        add_column(column, "", "", "", path, table);
      } else if (column.find("each")) {
        read_block(column, path, table);
      } else if (column.find("choose")) {
        read_selection_block(column, path, table);
      } else {
        errors_.add(column.location(), path + ".columns: a block requires `each` or `choose`",
                    "{each: axis, of: [metric, ...]}, {choose: select, of: [metric, ...]}");
      }
    }
    for (const Node::Entry& column : columns.entries()) {
      add_column(column.value, column.key, "", "", path, table);
    }
    if (!columns.is_null() || names_metrics(table.options.rows)) return;
    for (const Node::Entry& metric : recipe_.recipe.options.evaluate.entries()) {
      add_column(Node::scalar(metric.key, /*quoted=*/true), "", "", "", path, table);
    }
  }

  /// Whether lines consist of metrics, whose matches are the columns (add_metrics_of()).
  bool names_metrics(const Node& rows) const {
    return std::any_of(rows.entries().begin(), rows.entries().end(), [&](const auto& line) {
      const auto reference = parse_reference(line.value.text());
      return reference && reference->is_pattern() &&
             !names_.metric_names().match(*reference).ids.empty();
    });
  }

  /// Returns the columns of a block, or adds an error and returns nullptr.
  const Node* columns_of(const Node& block, const char* kind, const std::string& path) {
    for (const Node::Entry& entry : block.entries()) {
      if (entry.key == kind || entry.key == "of" || entry.key == "not_run") continue;
      errors_.add(entry.key_location, "unknown key '" + path + ".columns." + entry.key + "'",
                  std::string("a block has ") + kind + " and of");
    }
    const Node* of = block.find("of");
    if (of && (of->is_sequence() || of->is_mapping())) return of;
    errors_.add(block.location(), path + ".columns: the block has no `of`, which lists its columns",
                std::string("{") + kind + ": ..., of: [metric, ...]}");
    return nullptr;
  }

  /// Adds columns that show each row at the checkpoint selected by `choose`.
  void read_selection_block(const Node& block, const std::string& path, CheckedTable& table) {
    const Node* of = columns_of(block, "choose", path);
    const Node& select = *block.find("choose");
    check_choose(select.text(), block, path + ".columns", recipe_.selects, errors_);
    if (!of) return;
    const size_t first = table.columns.size();
    const std::string& prefix = select.text();
    for (const Node& column : of->items()) add_column(column, "", "", "", path, table, prefix);
    for (const Node::Entry& column : of->entries()) {
      add_column(column.value, column.key, "", "", path, table, prefix);
    }
    for (size_t i = first; i < table.columns.size(); ++i) table.columns[i].choose = select.text();
  }

  /// Reads `aggregate`: the metrics by which runs are dropped, and the lines that keep all runs.
  void check_aggregate(CheckedTable& table, const Node& written, const std::string& path) {
    const auto& aggregate = table.options.aggregate;
    if (!aggregate) return;
    const Node& block = *written.find("aggregate");
    const auto read = [&](const Node* metric) -> std::optional<MetricScore> {
      if (!metric || metric->text().empty()) return std::nullopt;
      const auto found = names_.one_metric(*metric, path + ".aggregate");
      if (!found) return std::nullopt;
      return MetricScore{found->ids.front(), found->reference.part};
    };
    table.dropped_by = read(block.find("by")).value_or(MetricScore());
    const Node* drop = block.find("drop");
    table.flag = read(drop ? drop->find("flag") : nullptr);
    std::vector<TableLine> lines;
    for (TableLine& line : table.lines) {
      TableLine all = line;
      EntryId id = parse_entry_id(line.id).value_or(EntryId{line.id, {}});
      id.id += "_all";
      all.id = id.text();
      all.label += ", all runs";
      line.drops_runs = true;
      lines.push_back(std::move(line));
      lines.push_back(std::move(all));
    }
    table.lines = std::move(lines);
  }

  void read_block(const Node& block, const std::string& path, CheckedTable& table) {
    const Node* of = columns_of(block, "each", path);
    if (!of) return;
    const Node* gone = block.find("not_run");
    const std::string reason = gone ? "not run: " + gone->text() : "";
    for (const Node& value : block.find("each")->items()) {
      for (const Node& column : of->items())
        add_column(column, "", value.text(), reason, path, table);
      for (const Node::Entry& column : of->entries()) {
        add_column(column.value, column.key, value.text(), reason, path, table);
      }
    }
  }

  /// `id`: the column's id in the recipe; empty: the name of the metric. `selection`: the select of
  /// its block.
  void add_column(const Node& written, const std::string& id, const std::string& block,
                  const std::string& reason, const std::string& path, CheckedTable& table,
                  const std::string& selection = "") {
    const auto reference = parse_reference(written.text());
    const std::string prefix = !block.empty()       ? block + "_"
                               : !selection.empty() ? selection + "_"
                                                    : "";
    if (written.text() == kChosen && !names_.metric_names().contains(kChosen)) {
      table.columns.push_back(
          {prefix + (id.empty() ? kChosen : id), block, "", "", reason, written.location(), true});
      return;
    }
    const auto found = metrics_of_column(reference, written, !reason.empty(), path);
    if (!found) return;
    std::vector<std::string> ids = found->ids;
    std::string why = reason;
    if (ids.empty()) {
      ids = {reference ? reference->entry() : written.text()};
      if (why.empty() && !found->removed.empty()) why = found->removed.front();
    }
    const bool is_pattern = reference && reference->is_pattern();
    for (const auto& metric : ids) {
      const std::string part = reference ? reference->part : "";
      std::string name = metric + (part.empty() ? "" : "." + part);
      if (!id.empty())
        name = is_pattern && ids.size() > 1 ? id + "_" + matched(*reference, metric) : id;
      table.columns.push_back({prefix + name, block, metric, part, why, written.location(), false,
                               table.options.choose.value_or("")});
    }
  }

  /// The metrics that a column shows. With `is_removed`, of a block that a profile removed, unknown
  /// ones are allowed.
  std::optional<Found> metrics_of_column(const std::optional<Reference>& reference,
                                         const Node& written, bool is_removed,
                                         const std::string& path) {
    if (!is_removed) return names_.metrics(written, path + ".columns");
    if (!reference) return Found{};
    const Named named = names_.metric_names().match(*reference);
    for (const auto& id : named.ids) {
      names_.check_score(id, reference->part, written.location(), path + ".columns");
    }
    return Found{*reference, named.ids, named.removed};
  }

  // Lines

  void read_lines(CheckedTable& table, const std::string& path) {
    const Node& rows = table.options.rows;
    if (rows.is_null()) return read_usual_lines(table);
    for (const Node& row : rows.is_mapping() ? std::vector<Node>() : listed(rows)) {
      for (const auto& id : rows_named(row, path).ids) {
        table.lines.push_back({id, label_of(id), {{"", id}}, {}, {}, row.location()});
      }
    }
    for (const Node::Entry& line : rows.entries()) read_line(line, path, table);
  }

  /// Adds all rows, or a single line if no column uses rows.
  void read_usual_lines(CheckedTable& table) {
    const bool uses_rows =
        table.columns.empty() ||
        std::any_of(table.columns.begin(), table.columns.end(),
                    [&](const TableColumn& column) { return metric_uses_row(column.metric); });
    if (!uses_rows) {
      table.lines.push_back({table.id, table.id, {}, {}, {}, {}});
      return;
    }
    for (const CheckedRow& row : recipe_.rows) {
      table.lines.push_back({row.id, row.label, {{"", row.id}}, {}, {}, {}});
    }
    for (const auto& [id, row] : recipe_.recipe.options.not_run) {
      table.lines.push_back({id, row.label, {{"", id}}, {}, {}, {}});
    }
  }

  bool metric_uses_row(const std::string& id) const {
    const CheckedMetric* metric = find_entry(recipe_.metrics, id);
    return !metric || uses_row(*metric, recipe_.rows);
  }

  void read_line(const Node::Entry& line, const std::string& path, CheckedTable& table) {
    TableLine read{line.key, line.key, {}, {}, {}, line.key_location};
    if (line.value.is_mapping()) {
      for (const Node::Entry& block : line.value.entries()) {
        add_row_of(block.value, block.key, path, read);
      }
    } else if (!add_metrics_of(line.value, table, read)) {
      add_row_of(line.value, "", path, read);
    }
    if (!read.rows.empty()) read.label = common_label(read);
    table.lines.push_back(std::move(read));
  }

  void add_row_of(const Node& row, const std::string& block, const std::string& path,
                  TableLine& line) {
    const Found found = rows_named(row, path);
    if (found.ids.size() > 1) {
      errors_.add(row.location(), path + ".rows: " + shown(row.text()) + " names " +
                                      std::to_string(found.ids.size()) +
                                      " rows, and a line is one");
    }
    if (!found.ids.empty()) line.rows[block] = found.ids.front();
    if (!found.removed.empty()) line.reasons[block] = "not run: " + found.removed.front();
  }

  /// Adds a line for metrics that use no row: its columns are the matches of a pattern.
  bool add_metrics_of(const Node& written, CheckedTable& table, TableLine& line) {
    const auto reference = parse_reference(written.text());
    if (!reference || !reference->is_pattern()) return false;
    const Named named = names_.metric_names().match(*reference);
    if (named.ids.empty()) return false;
    for (const auto& metric : named.ids) {
      const std::string column = matched(*reference, metric);
      line.metrics[column] = metric;
      const bool is_new =
          std::none_of(table.columns.begin(), table.columns.end(),
                       [&column](const TableColumn& each) { return each.id == column; });
      if (is_new)
        table.columns.push_back({column, "", "", reference->part, "", written.location()});
    }
    return true;
  }

  /// Adds rows that run, and rows that do not, which are shown with their reason.
  Found rows_named(const Node& row, const std::string& path) {
    Found found = names_.rows(row, path + ".rows", /*with_selects=*/true).value_or(Found{});
    const std::string id = found.reference.entry();
    if (found.ids.empty() && recipe_.recipe.options.not_run.contains(id)) found.ids = {id};
    return found;
  }

  /// The label of a line's rows, or its id if their labels differ.
  std::string common_label(const TableLine& line) const {
    std::string label = label_of(line.rows.begin()->second);
    for (const auto& [block, row] : line.rows) {
      if (label_of(row) != label) return line.id;
    }
    return label;
  }

  std::string label_of(const std::string& id) const {
    if (const CheckedRow* row = find_entry(recipe_.rows, id)) return row->label;
    if (find_entry(recipe_.selects, id)) {
      const Node* label = recipe_.recipe.options.select.find(id)->find("label");
      return label ? label->text() : id;
    }
    const auto& not_run = recipe_.recipe.options.not_run;
    const auto found = not_run.find(id);
    return found == not_run.end() ? id : found->second.label;
  }

  const CheckedRecipe& recipe_;
  const Names& names_;
  Errors& errors_;
  std::vector<CheckedTable> tables_;
};

}  // namespace

std::vector<CheckedTable> check_tables(const CheckedRecipe& recipe, const Names& names,
                                       Errors& errors) {
  return TableReader(recipe, names, errors).read();
}

}  // namespace lvtext
