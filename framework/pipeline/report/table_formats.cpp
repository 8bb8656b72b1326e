// Renders tables as Markdown, LaTeX and JSON.
#include <cmath>
#include <nlohmann/json.hpp>

#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/table.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN or infinity; they become null, as missing values do.
Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

const char* latex_arrow(Direction direction) {
  switch (direction) {
    case Direction::kHigher: return " $\\uparrow$";
    case Direction::kLower: return " $\\downarrow$";
    case Direction::kNone: break;
  }
  return "";
}

Json signatures_json(const Table& table, size_t column) {
  Json list = Json::array();
  for (const SignatureRows& each : column_signatures(table, column)) {
    Json rows = Json::array();
    for (const size_t row : each.rows) rows.push_back(table.rows[row].id);
    list.push_back({{"signature", each.signature}, {"rows", std::move(rows)}});
  }
  return list;
}

}  // namespace

std::string table_markdown(const Table& table) {
  std::string head = "| model |";
  std::string rule = "|---|";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    head += " " + escape_markdown(column_text(table, c)) + " |";
    rule += "---:|";
    if (has_paper(table, c)) {
      head += " *paper* |";
      rule += "---:|";
    }
  }
  std::string out = head + "\n" + rule + "\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    out += "| " + escape_markdown(table.rows[r].label) + " |";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = table.cells[r][c];
      out += " " + compared_text(table, r, c) + " |";
      if (!has_paper(table, c)) continue;
      out += cell.paper ? " *" + marked_paper_text(cell) + "* |" : " |";
    }
    out += "\n";
  }
  std::string ranks = "| rank correlation with the paper |";
  bool any = false;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const auto rank = rank_correlation(table, c);
    any = any || rank.has_value();
    ranks +=
        rank ? " " + fixed(rank->rho, 2) + " (" + std::to_string(rank->n_rows) + " rows) |" : " |";
    if (has_paper(table, c)) ranks += " |";
  }
  return any ? out + ranks + "\n" : out;
}

std::string table_latex(const Table& table) {
  std::string spec = "l";
  std::string head = "Model";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    spec += "r";
    const bool has_real = real_value(table, c).has_value();
    head += " & " + escape_latex(table.columns[c].title) +
            latex_arrow(has_real ? Direction::kNone : table.columns[c].direction);
    if (!has_paper(table, c)) continue;
    spec += "r";
    head += " & \\emph{paper}";
  }
  std::string out = "\\begin{tabular}{" + spec + "}\n\\toprule\n" + head + " \\\\\n\\midrule\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    out += escape_latex(table.rows[r].label);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = table.cells[r][c];
      const std::string text = escape_latex(compared_text(table, r, c));
      out += " & " + (text.empty() ? "--" : text);
      if (!has_paper(table, c)) continue;
      out += " & ";
      out += cell.paper ? "\\emph{" + escape_latex(marked_paper_text(cell)) + "}" : "--";
    }
    out += " \\\\\n";
  }
  out += "\\bottomrule\n\\end{tabular}\n";
  for (const std::string& note : paper_notes(table)) out += "% " + escape_latex(note) + "\n";
  return out;
}

std::string table_json(const Table& table) {
  Json columns = Json::array();
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    Json entry = {{"id", column.id},
                  {"title", column.title},
                  {"unit", column_unit(table, c)},
                  {"direction", direction_name(column.direction)},
                  {"signatures", signatures_json(table, c)},
                  {"note", column.note}};
    if (column.real_is_best) entry["real_is_best"] = true;
    const auto rank = rank_correlation(table, c);
    entry["rank_correlation"] =
        rank ? Json{{"rho", rank->rho}, {"rows", rank->n_rows}} : Json(nullptr);
    columns.push_back(std::move(entry));
  }
  Json rows = Json::array();
  for (size_t r = 0; r < table.rows.size(); ++r) {
    Json cells = Json::object();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = table.cells[r][c];
      cells[table.columns[c].id] = {{"value", number(cell.value)}, {"sd", number(cell.sd)},
                                    {"n", cell.n_seeds},           {"lo", number(cell.lo)},
                                    {"hi", number(cell.hi)},       {"paper", number(cell.paper)},
                                    {"unit", cell.unit},           {"reason", cell.reason}};
      if (!cell.text.empty()) cells[table.columns[c].id]["text"] = cell.text;
      if (!cell.paper_note.empty()) cells[table.columns[c].id]["paper_note"] = cell.paper_note;
    }
    rows.push_back({{"row", table.rows[r].id},
                    {"label", table.rows[r].label},
                    {"cells", std::move(cells)},
                    {"reason", row_reason(table, r)}});
  }
  const Json json = {{"schema", "lvtext.table/1"}, {"columns", columns}, {"rows", rows}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lvtext
