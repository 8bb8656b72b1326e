#include "framework/pipeline/report/report.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"

namespace lvtext {
namespace {

constexpr const char* kCheckpointsFile = "checkpoints.csv";

int64_t computed_cells(const Table& table) {
  int64_t cells = 0;
  for (const std::vector<Cell>& row : table.cells) {
    for (const Cell& cell : row) cells += cell.value ? 1 : 0;
  }
  return cells;
}

/// Number of computed cells in a table.json; 0 if the file is missing or cannot be parsed.
int64_t cells_in(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) return 0;
  int64_t cells = 0;
  try {
    const auto json = parse_json(read_file(file));
    for (const auto& row : json.at("rows")) {
      for (const auto& cell : row.at("cells")) cells += cell.at("value").is_number() ? 1 : 0;
    }
  } catch (const nlohmann::json::exception&) {
    return 0;
  }
  return cells;
}

/// Lines and columns exchanged.
TextTable transposed(const TextTable& table) {
  TextTable to{table.title, table.note, {table.columns.front()}, {}};
  for (const auto& row : table.rows) to.columns.push_back(row.front());
  for (size_t c = 1; c < table.columns.size(); ++c) {
    auto& line = to.rows.emplace_back();
    line.push_back(table.columns[c]);
    for (const auto& row : table.rows) line.push_back(row[c]);
  }
  return to;
}

/// Sum of the widths of the columns, in bytes.
size_t width_of(const TextTable& table) {
  size_t width = 0;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    size_t widest = table.columns[c].size();
    for (const auto& row : table.rows) widest = std::max(widest, row[c].size());
    width += widest;
  }
  return width;
}

}  // namespace

TextTable score_texts(const SideTable& scores) {
  const Table& table = scores.table;
  TextTable texts{scores.title, "of each row's first seed", {"row"}, {}};
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const std::string unit = column_unit(table, c);
    texts.columns.push_back(table.columns[c].id + (unit.empty() ? "" : ", " + unit));
  }
  for (size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<std::string> cells = {table.rows[r].label};
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = table.cells[r][c];
      cells.push_back(cell.value ? significant(*cell.value, 4) : cell.text);
      if (cell.value && !cell.unit.empty() && column_unit(table, c).empty()) {
        cells.back() += " " + cell.unit;
      }
    }
    texts.rows.push_back(std::move(cells));
  }
  return texts;
}

std::vector<std::string> table_notes(const Table& table, const std::vector<std::string>& notes) {
  std::vector<std::string> all = notes;
  const std::vector<std::string> numbers = paper_notes(table);
  all.insert(all.end(), numbers.begin(), numbers.end());
  for (const Column& column : table.columns) {
    if (!column.note.empty()) all.push_back(column.id + ": " + column.note);
  }
  const std::string mixed = mixed_columns(table);
  if (!mixed.empty()) all.push_back(mixed + " (see Signatures)");
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const std::string reason = row_reason(table, r);
    if (!reason.empty()) all.push_back(table.rows[r].label + ": " + reason);
  }
  return all;
}

TextTable terminal_table(const Table& table) {
  TextTable texts{"", "", {"model"}, {}};
  for (size_t c = 0; c < table.columns.size(); ++c) texts.columns.push_back(column_text(table, c));
  for (size_t r = 0; r < table.rows.size(); ++r) {
    auto& line = texts.rows.emplace_back();
    line.push_back(table.rows[r].label);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = table.cells[r][c];
      const int decimals = table.columns[c].decimals;
      std::string text = cell_text(table, r, c);
      if (cell.lo && cell.hi) {
        text += " [" + fixed(*cell.lo, decimals) + ", " + fixed(*cell.hi, decimals) + "]";
      }
      if (const std::string distance = distance_text(table, r, c); !distance.empty()) {
        text += " (" + distance + " to real)";
      }
      if (text.empty() && !cell.reason.empty()) text = "-";
      if (cell.paper)
        text += (text.empty() ? "" : " ") + std::string("(paper ") + marked_paper_text(cell) + ")";
      line.push_back(std::move(text));
    }
  }
  const TextTable turned = transposed(texts);
  return width_of(turned) < width_of(texts) ? turned : texts;
}

TextTable texts_side_by_side(const TextTable& table) {
  if (!table.side_by_side) return table;
  const SideBySide& by = *table.side_by_side;
  std::vector<size_t> texts;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (c != by.label && std::find(by.keys.begin(), by.keys.end(), c) == by.keys.end()) {
      texts.push_back(c);
    }
  }
  TextTable out{table.title, table.note, {}, {}, table.file};
  for (const size_t key : by.keys) out.columns.push_back(table.columns[key]);
  if (by.keys.empty()) out.columns.emplace_back("no.");
  std::map<std::string, size_t> column_of;
  for (const auto& row : table.rows) {
    if (column_of.try_emplace(row[by.label], out.columns.size()).second) {
      out.columns.push_back(row[by.label]);
    }
  }
  using Key = std::vector<std::string>;
  std::map<std::pair<std::string, Key>, size_t> seen;  // number of texts so far by label and key
  std::map<std::pair<Key, size_t>, size_t> line_of;    // row of a key's first text, second, ...
  for (const auto& row : table.rows) {
    Key key;
    for (const size_t each : by.keys) key.push_back(row[each]);
    const size_t index = seen[{row[by.label], key}]++;
    const auto [line, is_new] = line_of.try_emplace({key, index}, out.rows.size());
    if (is_new) {
      out.rows.emplace_back(key);
      if (key.empty()) out.rows.back().push_back(std::to_string(index + 1));
      out.rows.back().resize(out.columns.size());
    }
    std::vector<std::string> cell;
    for (const size_t text : texts) cell.push_back(row[text]);
    out.rows[line->second][column_of.at(row[by.label])] = join(cell, ": ");
  }
  if (texts.size() > 1) {
    std::vector<std::string> names;
    for (const size_t text : texts) names.push_back(table.columns[text]);
    out.note += (out.note.empty() ? "" : ". ") + std::string("In each cell: ") + join(names, ": ");
  }
  return out;
}

std::string text_csv(const TextTable& table) {
  std::string out;
  const auto add = [&out](const std::vector<std::string>& cells) {
    for (size_t c = 0; c < cells.size(); ++c) out += (c ? "," : "") + escape_csv(cells[c]);
    out += "\n";
  };
  add(table.columns);
  for (const std::vector<std::string>& row : table.rows) add(row);
  return out;
}

std::string outcome(const ReportData& data) {
  int64_t cells = 0, requested = 0, checks = 0;
  size_t rows = 0;
  std::array<int64_t, 5> counts{};
  for (const ReportTable& each : data.tables) {
    cells += computed_cells(each.table);
    rows += each.table.rows.size();
    for (const std::vector<Cell>& row : each.table.cells) {
      for (const Cell& cell : row) {
        // A metric that does not apply to a row (BLEU of the real data) is not missing.
        requested += cell.value || cell.paper || !cell.reason.empty() ? 1 : 0;
      }
    }
    for (const CheckResult& check : each.checks) {
      ++counts[static_cast<size_t>(check.verdict)];
      ++checks;
    }
  }
  const size_t tables = data.tables.size();
  if (std::none_of(data.tables.begin(), data.tables.end(), std::mem_fn(&ReportTable::is_shown))) {
    return "Figures only: the recipe has no metrics.";
  }
  std::string out = format_count(cells) + " of " + format_count(requested, "cell") +
                    " computed in " + format_count(static_cast<int64_t>(rows), "row") +
                    (tables > 1 ? " of " + std::to_string(tables) + " tables." : ".");
  if (checks == 0) return out;
  std::vector<std::string> verdicts;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    std::string name = verdict_name(static_cast<Verdict>(i));
    if (counts[i] > 1 && (name == "holds" || name == "fails")) name.pop_back();
    verdicts.push_back(std::to_string(counts[i]) + " " + name);
  }
  return out + " Checks: " + join(verdicts) + ".";
}

std::string mixed_columns(const Table& table) {
  std::vector<std::string> mixed;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (column_signatures(table, c).size() > 1) mixed.push_back(table.columns[c].id);
  }
  if (mixed.empty()) return "";
  return join(mixed) + ": rows differ in how they were measured";
}

std::vector<MetadataEntry> signature_metadata(const Table& table) {
  std::vector<MetadataEntry> metadata;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& id = table.columns[c].id;
    const auto signatures = column_signatures(table, c);
    for (const SignatureRows& each : signatures) {
      std::vector<std::string> labels;
      for (const size_t row : each.rows) labels.push_back(table.rows[row].label);
      const bool alone = signatures.size() == 1;
      metadata.push_back({alone ? id : id + " (" + join(labels) + ")", each.signature});
    }
  }
  return metadata;
}

std::vector<CheckResult> ReportTable::checks_that(bool guard) const {
  std::vector<CheckResult> found;
  for (const CheckResult& result : checks) {
    if (result.check.guard == guard) found.push_back(result);
  }
  return found;
}

std::string comparison_text(const CheckResult& check) {
  std::vector<std::string> parts;
  for (const ComparisonResult& comparison : check.comparisons) {
    std::string part = fixed(comparison.difference, 3);
    if (comparison.lo && comparison.hi) {
      part += " [" + fixed(*comparison.lo, 3) + ", " + fixed(*comparison.hi, 3) + "]";
    }
    if (comparison.n_seeds > 0) part += " over " + format_count(comparison.n_seeds, "seed");
    parts.push_back(part);
  }
  std::string out = join(parts, "; ");
  if (check.sentence_noise_only) out += " (noise of sentences only)";
  if (!check.reason.empty()) out += (out.empty() ? "" : "; ") + check.reason;
  return out;
}

std::string table_title(const ReportData& data, size_t table) {
  const ReportTable& each = data.tables[table];
  if (!each.item.empty()) return each.item;
  return table == 0 ? "Table" : each.id;
}

Table shown_table(const ReportTable& table) {
  if (!table.is_transposed) return table.table;
  const Table& from = table.table;
  Table to;
  for (const Row& row : from.rows) to.columns.push_back({.id = row.id, .title = row.label});
  for (const Column& column : from.columns) to.rows.push_back({column.id, column.title, ""});
  to.resize();
  for (size_t r = 0; r < from.rows.size(); ++r) {
    for (size_t c = 0; c < from.columns.size(); ++c) to.cells[c][r] = from.cells[r][c];
  }
  return to;
}

std::string members_csv(const ReportTable& table) {
  std::string out = "line,column,seed,checkpoint,value,reason\n";
  for (const TableMember& member : table.members) {
    out += escape_csv(member.line) + "," + escape_csv(member.column) + "," + member.seed + "," +
           member.checkpoint + "," + (member.value ? format_number(*member.value) : "") + "," +
           escape_csv(member.reason) + "\n";
  }
  return out;
}

std::string checkpoints_csv(const std::vector<CheckpointScore>& scores) {
  std::string out = "row,seed,checkpoint,metric,score,value\n";
  for (const CheckpointScore& each : scores) {
    out += escape_csv(each.row) + "," + each.seed + "," + std::to_string(each.step) + "," +
           escape_csv(each.metric) + "," + escape_csv(each.score) + "," +
           format_number(each.value) + "\n";
  }
  return out;
}

std::vector<ReportFiles> report_files(const ReportData& data) {
  std::vector<ReportFiles> files;
  for (size_t i = 0; i < data.tables.size(); ++i) {
    const std::string name = i == 0 ? "table" : data.tables[i].id;
    files.push_back(
        {table_title(data, i),
         {name + ".csv", name + ".json", name + ".md", name + ".tex", name + "-members.csv"}});
  }
  files.push_back({"Checks", {"checks.json"}});
  if (!data.checkpoint_scores.empty()) {
    files.push_back({"Scores of all kept checkpoints", {kCheckpointsFile}});
  }
  for (const Figure& figure : data.figures) {
    files.push_back({figure.title, {figure.file + ".svg"}});
    files.back().names.push_back(figure.file + ".csv");
  }
  for (const TextTable& table : data.samples) {
    if (!table.file.empty()) files.push_back({table.title, {table.file}});
  }
  return files;
}

void refuse_empty_report(const std::filesystem::path& folder, const ReportData& data) {
  const int64_t there = cells_in(folder / "table.json");
  if (there > 0 && computed_cells(data.tables.front().table) == 0) {
    throw Error(Exit::kCannotWrite,
                "the report in '" + folder.string() + "' has " +
                    format_count(there, "computed cell") +
                    " and the new one has none; the existing report is kept. To write to another "
                    "folder, use --report DIR");
  }
}

void write_report(const std::filesystem::path& folder, const ReportData& data) {
  refuse_empty_report(folder, data);
  make_folders(folder);
  write_file_atomic(folder / "index.html", report_html(data));
  std::vector<CheckResult> checks;
  for (size_t i = 0; i < data.tables.size(); ++i) {
    const ReportTable& each = data.tables[i];
    const std::string name = i == 0 ? "table" : each.id;
    write_file_atomic(folder / (name + ".csv"), table_csv(each.table));
    write_file_atomic(folder / (name + ".md"),
                      i == 0 ? report_markdown(data) : table_markdown(shown_table(each)));
    write_file_atomic(folder / (name + ".tex"), table_latex(shown_table(each)));
    write_file_atomic(folder / (name + ".json"), table_json(each.table));
    write_file_atomic(folder / (name + "-members.csv"), members_csv(each));
    checks.insert(checks.end(), each.checks.begin(), each.checks.end());
  }
  write_file_atomic(folder / "checks.json", checks_json(checks));
  if (!data.checkpoint_scores.empty()) {
    write_file_atomic(folder / kCheckpointsFile, checkpoints_csv(data.checkpoint_scores));
  }
  for (const Figure& figure : data.figures) {
    write_file_atomic(folder / (figure.file + ".svg"), figure.svg);
    write_file_atomic(folder / (figure.file + ".csv"), figure.csv);
  }
  for (const TextTable& table : data.samples) {
    if (!table.file.empty()) write_file_atomic(folder / table.file, text_csv(table));
  }
}

}  // namespace lvtext
