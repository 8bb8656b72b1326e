// The report as one page.
#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {
namespace {

std::string page_style() {
  static const std::string style = std::string(R"(
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#59636e;--rule:#d1d9e0;--band:#f5f7f9;
--good:#116329;--bad:#b3261e;)") + kPlotColors +
                                   R"(}
@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e9ec;--soft:#9aa5b1;--rule:#363d45;
--band:#1c2024;--good:#56d364;--bad:#ff7b72;)" +
                                   kDarkPlotColors + R"(}}
body{margin:0 auto;max-width:1400px;box-sizing:border-box;padding:1rem;background:var(--bg);color:var(--fg);
font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2rem}h3{font-size:1rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .4rem;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top;
overflow-wrap:normal}thead th{background:var(--band)}tbody th{min-width:min(12em,30vw)}
.scores tbody th,.scores thead th:first-child{position:sticky;left:0}.scores tbody th{background:var(--bg)}
.claim{min-width:15em}.text td{overflow-wrap:anywhere}p,dd{max-width:60em}
.n{text-align:right}.n,.label{white-space:nowrap}
.paper,.note,footer{color:var(--soft)}.holds{color:var(--good)}.fails{color:var(--bad)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:var(--soft)}dd{margin:0}
code{font-size:.9em}.plots{display:grid;gap:1rem;
grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr))}
svg{width:100%;height:auto}svg text{fill:var(--fg);font:12px system-ui,sans-serif}
svg .title{font-weight:600;font-size:14px})" +
                                   kPlotClasses + R"(
footer{margin-top:2rem;border-top:1px solid var(--rule);padding-top:.5rem}
@media(max-width:600px){dl{grid-template-columns:6.5em 1fr}.text thead{display:none}
.text tr{display:block;padding:.4rem 0;border-bottom:1px solid var(--rule)}
.text td{display:block;border:0;padding:0 0 0 6.5em;min-width:0;white-space:normal}
.text td::before{content:attr(data-label);float:left;margin-left:-6.5em;width:6em;color:var(--soft)}
.text td:empty{display:none}}
@media(min-width:601px){.narrow{display:none}}
)";
  return style;
}

using Rows = std::vector<std::vector<std::string>>;

std::string element(const std::string& name, const std::string& text) {
  return "<" + name + ">" + escape_html(text) + "</" + name + ">";
}

/// A cell that names its column where a narrow page shows rows as blocks.
std::string labeled(const std::string& column, const std::string& html,
                    const std::string& style = "") {
  return "<td" + (style.empty() ? "" : " class=\"" + style + "\"") + " data-label=\"" +
         escape_html(column) + "\">" + html + "</td>";
}

std::string text_head(const std::vector<std::string>& columns) {
  std::string out = "<div class=\"scroll\"><table class=\"text\"><thead><tr>";
  for (const std::string& column : columns) out += element("th", column);
  return out + "</tr></thead>\n<tbody>\n";
}

std::string text_table(const std::vector<std::string>& columns, const Rows& rows) {
  std::string out = text_head(columns);
  for (const std::vector<std::string>& row : rows) {
    out += "<tr>";
    for (size_t c = 0; c < row.size(); ++c) {
      out += labeled(columns.at(c), escape_html(row[c]), c == 0 ? "label" : "");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string text_tables(const std::string& heading, const std::vector<TextTable>& tables) {
  if (tables.empty()) return "";
  std::string out = element("h2", heading) + "\n";
  for (const TextTable& table : tables) {
    out += element("h3", table.title) + "\n";
    if (!table.note.empty()) out += "<p class=\"note\">" + escape_html(table.note) + "</p>\n";
    out += text_table(table.columns, table.rows);
  }
  return out;
}

std::string facts(const std::vector<Fact>& list) {
  std::string out = "<dl>";
  for (const Fact& fact : list) out += element("dt", fact.name) + element("dd", fact.value) + "\n";
  return out + "</dl>\n";
}

std::string head(const ReportData& data) {
  std::string out = "<h1>" + escape_html(data.recipe) + "</h1>\n";
  std::vector<Fact> list;
  if (!data.paper_title.empty()) {
    list.push_back({"paper", data.paper_title + ", " + data.paper_id + ", " + data.paper_item});
  }
  const bool smoke = data.profile == "smoke";
  list.push_back(
      {"profile", data.profile + (smoke ? ": shows that it runs; its numbers mean nothing" : "")});
  list.insert(list.end(), data.facts.begin(), data.facts.end());
  out += facts(list) + element("p", outcome(data)) + "\n";
  return data.summary.empty() ? out : out + element("p", data.summary) + "\n";
}

const char* arrow(Direction direction) {
  switch (direction) {
    case Direction::kHigher: return " <span title=\"higher is better\">↑</span>";
    case Direction::kLower: return " <span title=\"lower is better\">↓</span>";
    case Direction::kNone: break;
  }
  return "";
}

std::string score_cell(const Table& table, size_t row, size_t column) {
  const Cell& cell = table.cells[row][column];
  const int decimals = table.columns[column].decimals;
  std::string title = cell.reason;
  if (cell.lo && cell.hi) {
    title = "95 % interval " + fixed(*cell.lo, decimals) + " to " + fixed(*cell.hi, decimals);
  }
  std::string out = "<td class=\"n\"";
  if (!title.empty()) out += " title=\"" + escape_html(title) + "\"";
  return out + ">" + escape_html(cell_text(table, row, column)) + "</td>";
}

std::string score_head(const Table& table) {
  std::string out = "<thead><tr><th>model</th>";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    out += "<th class=\"n\" title=\"" + escape_html(column.note) + "\">" +
           escape_html(column.title) + arrow(column.direction);
    const std::string unit = column_unit(table, c);
    if (!unit.empty()) out += "<br><small>" + escape_html(unit) + "</small>";
    out += "</th>";
    if (has_paper(table, c)) out += "<th class=\"n paper\">paper</th>";
  }
  return out + "</tr></thead>\n";
}

/// The last row; empty if no column has enough of the paper's numbers.
std::string rank_row(const Table& table) {
  std::string out;
  bool any = false;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const auto rank = rank_correlation(table, c);
    any = any || rank.has_value();
    out += "<td class=\"n\">";
    if (rank) {
      out += fixed(rank->rho, 2) + "<br><small>" + std::to_string(rank->n_rows) + " rows</small>";
    }
    out += has_paper(table, c) ? "</td><td></td>" : "</td>";
  }
  if (!any) return "";
  return "<tr class=\"note\"><th scope=\"row\">rank correlation with the paper</th>" + out +
         "</tr>\n";
}

/// Why cells are empty, below the table: a column of sentences would squeeze the numbers.
std::string reasons(const Table& table) {
  std::string list;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const std::string reason = row_reason(table, r);
    if (!reason.empty()) list += element("dt", table.rows[r].label) + element("dd", reason) + "\n";
  }
  return list.empty() ? ""
                      : "<h3>Not computed, and why</h3>\n<dl class=\"note\">" + list + "</dl>\n";
}

std::string score_table(const Table& table, const std::vector<std::string>& notes = {}) {
  std::string out =
      "<div class=\"scroll\"><table class=\"scores\">" + score_head(table) + "<tbody>\n";
  bool several_seeds = false;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    out += "<tr><th scope=\"row\">" + escape_html(table.rows[r].label) + "</th>";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = table.cells[r][c];
      several_seeds = several_seeds || cell.n_seeds > 1;
      out += score_cell(table, r, c);
      if (!has_paper(table, c)) continue;
      out += "<td class=\"n paper\">" + (cell.paper ? format_number(*cell.paper) : "") + "</td>";
    }
    out += "</tr>\n";
  }
  out += rank_row(table) + "</tbody></table></div>\n<p class=\"note\">";
  out += "<span class=\"narrow\">The table scrolls sideways. </span>";
  if (several_seeds) out += "Mean ± deviation over seeds (number of seeds). ";
  out += "95 % intervals stand in the tooltips and in table.csv.";
  const std::string mixed = mixed_columns(table);
  if (!mixed.empty()) out += " " + escape_html(mixed) + ".";
  out += "</p>\n";
  for (const std::string& note : notes) out += "<p class=\"note\">" + escape_html(note) + "</p>\n";
  return out + reasons(table);
}

std::string rating_tables(const std::vector<SideTable>& tables) {
  std::string out = tables.empty() ? "" : "<h2>Human ratings</h2>\n";
  for (const SideTable& each : tables) {
    out += element("h3", each.title) + "\n<p class=\"note\">" + escape_html(each.note) + "</p>\n" +
           score_table(each.table);
  }
  return out;
}

std::string checks(const std::string& heading, const std::vector<CheckResult>& results) {
  if (results.empty()) return "";
  const std::vector<std::string> columns = {"claim", "expression", "verdict",
                                            "difference, 95 % interval"};
  std::string out = heading + "\n" + text_head(columns);
  for (const CheckResult& result : results) {
    const std::string verdict = verdict_name(result.verdict);
    const Check& check = result.check;
    const std::string claim = check.claim.empty() ? check.id : check.claim;
    out += "<tr>" + labeled(columns[0], escape_html(claim), "claim") +
           labeled(columns[1], element("code", check.expr)) +
           labeled(columns[2], "<strong class=\"" + verdict + "\">" + verdict + "</strong>") +
           labeled("difference", escape_html(check_figures(result))) + "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string figures(const std::vector<Figure>& list) {
  std::string out;
  for (const Figure& figure : list) {
    out += element("h2", figure.title) + "\n";
    if (!figure.note.empty()) out += "<p class=\"note\">" + escape_html(figure.note) + "</p>\n";
    out += figure.html;
    if (figure.texts) out += text_table(figure.texts->columns, figure.texts->rows);
    if (figure.missing.empty()) continue;
    std::string reasons;
    for (const MissingPart& part : figure.missing) {
      reasons += element("dt", part.what) + element("dd", part.reason) + "\n";
    }
    out += "<h3>Not shown, and why</h3>\n<dl class=\"note\">" + reasons + "</dl>\n";
  }
  return out;
}

/// The styles of the figures' own classes, each once.
std::string figure_styles(const std::vector<Figure>& list) {
  std::vector<std::string> styles;
  for (const Figure& figure : list) {
    if (std::find(styles.begin(), styles.end(), figure.style) == styles.end()) {
      styles.push_back(figure.style);
    }
  }
  return join(styles, "");
}

}  // namespace

std::string report_html(const ReportData& data) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";
  out += element("title", data.recipe + " (" + data.profile + ")");
  out += "\n<style>" + page_style() + figure_styles(data.figures) +
         "</style>\n</head>\n<body>\n<main>\n" + head(data);
  for (size_t i = 0; i < data.tables.size(); ++i) {
    const ReportTable& each = data.tables[i];
    out += element("h2", table_title(data, i)) + "\n" +
           checks("<h3>Conditions on the judges</h3>", each.checks_that(true)) +
           score_table(shown_table(each), each.notes) +
           checks("<h2>Checks</h2>", each.checks_that(false));
  }
  out += rating_tables(data.ratings);
  out += text_tables("All scores", data.scores);
  if (!data.substitutions.empty()) {
    Rows rows;
    for (const Substitution& s : data.substitutions) {
      rows.push_back({s.what, s.paper, s.ours, s.reason});
    }
    out += "<h2>What differs from the paper</h2>\n" +
           text_table({"what", "paper", "ours", "reason"}, rows);
  }
  if (!data.curves.empty()) {
    out +=
        "<h2>Training</h2>\n<p class=\"note\">Each row's first seed. Losses are means; those that "
        "are log probabilities are in nats.</p>\n<div class=\"plots\">\n";
    for (const Plot& plot : data.curves) out += plot_svg(plot);
    out += "</div>\n";
  }
  out += figures(data.figures) + text_tables("Samples", data.samples) +
         text_tables("Data and training", data.data_counts);
  std::vector<Fact> signatures;
  for (const ReportTable& each : data.tables) {
    const auto own = signature_facts(each.table);
    signatures.insert(signatures.end(), own.begin(), own.end());
  }
  signatures.insert(signatures.end(), data.signatures.begin(), data.signatures.end());
  if (!signatures.empty()) out += "<h2>Signatures</h2>\n" + facts(signatures);
  return out + "</main>\n<footer>" + escape_html(data.version) + "</footer>\n</body>\n</html>\n";
}

}  // namespace lvtext
