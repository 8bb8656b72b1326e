#include "framework/pipeline/report/html_tables.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"

namespace lvtext {
namespace {

/// Maximum number of text columns on a wide page; with more, each row is shown as a block.
constexpr size_t kBesideEachOther = 6;

const char* direction_text(Direction direction) {
  switch (direction) {
    case Direction::kHigher: return "Higher is better.";
    case Direction::kLower: return "Lower is better.";
    case Direction::kNone: break;
  }
  return "Neither direction is better.";
}

/// How to compare the values of a column.
std::string comparison_hint(const Table& table, size_t column) {
  const Column& each = table.columns[column];
  if (!each.real_is_best) return direction_text(each.direction);
  const bool is_higher = each.direction == Direction::kHigher;
  if (real_value(table, column)) {
    return std::string(
               "The closer to real data the better; values below it indicate a collapsed "
               "model") +
           (is_higher ? ", values above it noise" : "") +
           ". In small print: the difference to real data.";
  }
  return std::string(is_higher ? "Higher is better, up" : "Lower is better, down") +
         " to the value of real data, which this table does not have.";
}

std::string arrow(Direction direction) {
  if (direction == Direction::kNone) return "";
  const bool is_higher = direction == Direction::kHigher;
  return std::string(" <span aria-hidden=\"true\">") + (is_higher ? "↑" : "↓") +
         "</span><span class=\"hidden\">(" + (is_higher ? "higher" : "lower") +
         " is better)</span>";
}

/// Title of a column with direction and unit.
std::string column_name(const Table& table, size_t column) {
  const std::string unit = column_unit(table, column);
  const bool has_real = real_value(table, column).has_value();
  return escape_html(table.columns[column].title) +
         arrow(has_real ? Direction::kNone : table.columns[column].direction) +
         (unit.empty() ? "" : "<br><small>" + escape_html(unit) + "</small>");
}

/// Label of a row with its note.
std::string row_name(const Row& row) {
  return escape_html(row.label) +
         (row.note.empty() ? "" : "<small class=\"warning\">" + escape_html(row.note) + "</small>");
}

std::string score_cell(const Table& table, size_t row, size_t column) {
  const Cell& cell = table.cells[row][column];
  const int decimals = table.columns[column].decimals;
  std::string out = escape_html(cell_text(table, row, column));
  if (out.empty() && !cell.reason.empty()) out = "–";
  if (cell.lo && cell.hi) {
    out += "<small class=\"interval\">[" + fixed(*cell.lo, decimals) + ", " +
           fixed(*cell.hi, decimals) + "]</small>";
  }
  if (const std::string distance = distance_text(table, row, column); !distance.empty()) {
    out += "<small class=\"interval\">" + distance + " to real</small>";
  }
  return "<td class=\"number\">" + out + "</td>";
}

std::string paper_cell(const Cell& cell) {
  return "<td class=\"number paper\">" + marked_paper_text(cell) + "</td>";
}

/// The last row of the table; empty if no column has enough numbers from the paper.
std::string rank_line(const Table& table) {
  std::string out;
  bool any = false;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const auto rank = rank_correlation(table, c);
    any = any || rank.has_value();
    out += "<td class=\"number\">";
    if (rank) {
      out += fixed(rank->rho, 2) + "<small class=\"interval\">" + std::to_string(rank->n_rows) +
             " rows</small>";
    }
    out += has_paper(table, c) ? "</td><td></td>" : "</td>";
  }
  if (!any) return "";
  return "<tr class=\"note\"><th scope=\"row\">rank correlation with the paper</th>" + out +
         "</tr>\n";
}

std::string score_lines(const Table& table) {
  std::string out = "<thead><tr><th scope=\"col\">model</th>";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    out += "<th scope=\"col\" class=\"number\">" + column_name(table, c) + "</th>";
    if (has_paper(table, c)) out += "<th scope=\"col\" class=\"number paper\">paper</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    out += "<tr><th scope=\"row\">" + row_name(table.rows[r]) + "</th>";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      out += score_cell(table, r, c);
      if (has_paper(table, c)) out += paper_cell(table.cells[r][c]);
    }
    out += "</tr>\n";
  }
  return out + rank_line(table) + "</tbody>";
}

std::string transposed_lines(const Table& table) {
  std::vector<bool> has_paper_number;
  for (const std::vector<Cell>& row : table.cells) {
    has_paper_number.push_back(
        std::any_of(row.begin(), row.end(), [](const Cell& cell) { return !!cell.paper; }));
  }
  std::string out = "<thead><tr><th scope=\"col\">metric</th>";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    out += "<th scope=\"col\" class=\"number\">" + row_name(table.rows[r]) + "</th>";
    if (has_paper_number[r]) out += "<th scope=\"col\" class=\"number paper\">paper</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    out += "<tr><th scope=\"row\">" + column_name(table, c) + "</th>";
    for (size_t r = 0; r < table.rows.size(); ++r) {
      out += score_cell(table, r, c);
      if (has_paper_number[r]) out += paper_cell(table.cells[r][c]);
    }
    out += "</tr>\n";
  }
  return out + "</tbody>";
}

/// A signature with line break opportunities after its parts.
std::string signature_code(const std::string& signature) {
  std::string out = "<code>";
  for (const char c : escape_html(signature)) {
    out += c;
    if (c == '|') out += "<wbr>";
  }
  return out + "</code>";
}

/// "Signature: x" or, if rows differ, "Signatures: A, B: x; C: y".
std::string signature_text(const Table& table, size_t column) {
  auto signatures = column_signatures(table, column);
  std::erase_if(signatures, [](const SignatureRows& each) { return each.signature.empty(); });
  if (signatures.empty()) return "";
  if (signatures.size() == 1) return "Signature: " + signature_code(signatures[0].signature);
  std::string out;
  for (const SignatureRows& each : signatures) {
    std::vector<std::string> labels;
    for (const size_t row : each.rows) labels.push_back(table.rows[row].label);
    out += (out.empty() ? "Signatures: " : "; ") + escape_html(join(labels)) + ": " +
           signature_code(each.signature);
  }
  return out;
}

/// True if there are several columns and all have the same signatures in the same rows.
bool has_one_signature(const Table& table) {
  for (size_t c = 1; c < table.columns.size(); ++c) {
    if (signature_text(table, c) != signature_text(table, 0)) return false;
  }
  return table.columns.size() > 1 && !signature_text(table, 0).empty();
}

std::string column_definition(const Table& table, size_t column, bool with_signature) {
  const Column& each = table.columns[column];
  const std::string unit = column_unit(table, column);
  std::string name = escape_html(each.title);
  if (each.title != each.id) name += " <code>" + escape_html(each.id) + "</code>";
  std::vector<std::string> parts;
  for (const std::string& text : {each.definition, each.note}) {
    if (!text.empty()) parts.push_back(escape_html(text) + ".");
  }
  if (!unit.empty()) parts.push_back("Unit: " + escape_html(unit) + ".");
  parts.push_back(comparison_hint(table, column));
  if (with_signature) parts.push_back(signature_text(table, column));
  if (parts.back().empty()) parts.pop_back();
  return "<dt>" + name + "</dt><dd>" + join(parts, " ") + "</dd>\n";
}

/// Explains the notation used in the cells.
std::string reading_note(const Table& table, bool is_transposed) {
  bool has_seeds = false, has_intervals = false, has_gaps = false, has_papers = false;
  for (const std::vector<Cell>& row : table.cells) {
    for (const Cell& cell : row) {
      has_seeds = has_seeds || cell.n_seeds > 1;
      has_intervals = has_intervals || (cell.lo && cell.hi);
      has_gaps = has_gaps || (!cell.value && cell.text.empty() && !cell.reason.empty());
      has_papers = has_papers || cell.paper;
    }
  }
  std::vector<std::string> parts;
  if (has_seeds) parts.emplace_back("Mean ± standard deviation over seeds (number of seeds).");
  if (has_intervals) {
    parts.emplace_back(has_seeds ? "[a, b]: 95 % interval: Student's t over several seeds, "
                                   "bootstrap over sentences for one seed."
                                 : "[a, b]: 95 % interval, bootstrap over sentences.");
  }
  if (has_gaps) parts.emplace_back("–: not computed.");
  if (has_papers) parts.emplace_back("paper: the number reported in the paper.");
  if (!is_transposed && !rank_line(table).empty()) {
    parts.emplace_back("Rank correlation: Spearman's rho over the rows that have both numbers.");
  }
  return join(parts, " ");
}

/// Reasons of empty cells, as a list below the table: a column of text would make it too wide.
std::string reasons(const Table& table) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const std::string reason = row_reason(table, r, /*with_note=*/false);
    if (reason.empty()) continue;
    auto same = std::find_if(by_reason.begin(), by_reason.end(),
                             [&reason](const auto& entry) { return entry.first == reason; });
    if (same == by_reason.end()) same = by_reason.insert(same, {reason, {}});
    same->second.push_back(table.rows[r].label);
  }
  if (by_reason.empty()) return "";
  std::string out = "<h3>Not computed</h3>\n<ul class=\"reasons\">\n";
  for (const auto& [reason, rows] : by_reason) {
    out += html_element("li", join(rows) + ": " + reason) + "\n";
  }
  return out + "</ul>\n";
}

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : "<p class=\"note\">" + escape_html(text) + "</p>\n";
}

/// A cell with its column name as a label, for rows shown as blocks. The first cell is the row
/// header.
std::string text_cell(bool is_first, const std::string& column, const std::string& html) {
  const std::string label = " data-label=\"" + escape_html(column) + "\">";
  return is_first ? "<th scope=\"row\" role=\"rowheader\"" + label + html + "</th>"
                  : "<td role=\"cell\"" + label + html + "</td>";
}

std::string text_head(const std::vector<std::string>& columns) {
  std::string out = "<thead role=\"rowgroup\"><tr role=\"row\">";
  for (const std::string& column : columns) {
    out += "<th scope=\"col\" role=\"columnheader\">" + escape_html(column) + "</th>";
  }
  return out + "</tr></thead>\n<tbody role=\"rowgroup\">\n";
}

}  // namespace

std::string html_metadata(const std::vector<MetadataEntry>& metadata) {
  std::string out = "<dl>";
  for (const MetadataEntry& entry : metadata) {
    out += html_element("dt", entry.name) + html_element("dd", entry.value) + "\n";
  }
  return out + "</dl>\n";
}

std::string HtmlTables::once(const std::string& title, const std::string& what,
                             const std::string& open, const std::string& content) {
  const std::string id = "content-" + std::to_string(shown_.size() + 1);
  const auto [shown, is_new] = shown_.try_emplace(open + content, id, title);
  if (!is_new) {
    const auto& [same, same_title] = shown->second;
    return "<p class=\"note\">" + what + " <a href=\"#" + same + "\">" + escape_html(same_title) +
           "</a>.</p>\n";
  }
  return "<" + open + " id=\"" + id + "\" aria-label=\"" + escape_html(title) + "\">" + content;
}

std::string HtmlTables::add_table(const std::string& title, const std::string& style,
                                  const std::string& body) {
  // Insert the caption after the comparison: equal tables may have different titles.
  const std::string content =
      "<table role=\"table\" class=\"" + style + "\">\n" + body + "</table></div>\n";
  std::string html = once(title, "The same table as",
                          "div class=\"scroll\" role=\"region\" tabindex=\"0\"", content);
  const size_t table = html.find(content);
  if (table == html.npos) return html;
  return html.insert(html.find('\n', table),
                     "<caption class=\"hidden\">" + escape_html(title) + "</caption>");
}

std::string HtmlTables::scores(const std::string& title, const Table& table,
                               const std::vector<std::string>& notes, bool is_transposed) {
  std::string out = add_table(title, is_transposed ? "scores transposed" : "scores",
                              is_transposed ? transposed_lines(table) : score_lines(table)) +
                    paragraph(reading_note(table, is_transposed));
  const std::string mixed = mixed_columns(table);
  if (!mixed.empty()) out += paragraph(mixed + " (see the signatures below).");
  for (const std::string& note : notes) out += paragraph(note);
  for (const std::string& note : paper_notes(table)) out += paragraph(note);
  const bool has_one = has_one_signature(table);
  std::string definitions;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    definitions += column_definition(table, c, !has_one);
  }
  if (has_one) definitions += "<dt>all columns</dt><dd>" + signature_text(table, 0) + "</dd>\n";
  out += once(title + ": columns", "Columns as in", "dl class=\"columns\"",
              "\n" + definitions + "</dl>\n");
  return out + reasons(table);
}

std::string HtmlTables::texts(const TextTable& table) {
  const TextTable shown = texts_side_by_side(table);
  std::string body = text_head(shown.columns);
  for (const std::vector<std::string>& row : shown.rows) {
    body += "<tr role=\"row\">";
    for (size_t c = 0; c < row.size(); ++c) {
      body +=
          text_cell(c == 0, shown.columns.at(c), join(split(escape_html(row[c]), '\n'), "<br>"));
    }
    body += "</tr>\n";
  }
  std::string style = "text";
  if (table.side_by_side) style += " beside";
  if (table.side_by_side && shown.columns.size() > kBesideEachOther) style += " stacked";
  return paragraph(shown.note) + add_table(shown.title, style, body + "</tbody>");
}

std::string HtmlTables::checks(const std::string& title, const std::vector<CheckResult>& results) {
  const std::vector<std::string> columns = {"claim", "expression", "verdict",
                                            "difference, 95 % interval"};
  std::string body = text_head(columns);
  for (const CheckResult& result : results) {
    const std::string verdict = verdict_name(result.verdict);
    const Check& check = result.check;
    body +=
        "<tr role=\"row\">" +
        text_cell(true, columns[0], escape_html(check.claim.empty() ? check.id : check.claim)) +
        text_cell(false, columns[1], html_element("code", check.expr)) +
        text_cell(false, columns[2], "<strong class=\"" + verdict + "\">" + verdict + "</strong>") +
        text_cell(false, "difference", escape_html(comparison_text(result))) + "</tr>\n";
  }
  return add_table(title, "text checks", body + "</tbody>");
}

}  // namespace lvtext
