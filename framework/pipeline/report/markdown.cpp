// The report in Markdown.
#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {
namespace {

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) {
    std::vector<std::string> lines = split(cell, '\n');
    for (std::string& line : lines) line = escape_markdown(line);
    out += " " + join(lines, "<br>") + " |";
  }
  return out + "\n";
}

std::string markdown_table(const std::vector<std::string>& columns,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string out = markdown_row(columns) + "|";
  for (size_t c = 0; c < columns.size(); ++c) out += "---|";
  out += "\n";
  for (const std::vector<std::string>& row : rows) out += markdown_row(row);
  return out + "\n";
}

std::string markdown_texts(const std::string& heading, const std::vector<TextTable>& tables) {
  if (tables.empty()) return "";
  std::string out = "## " + heading + "\n\n";
  for (const TextTable& table : tables) {
    out += "### " + escape_markdown(table.title) + "\n\n";
    if (!table.note.empty()) out += escape_markdown(table.note) + "\n\n";
    out += markdown_table(table.columns, table.rows);
  }
  return out;
}

std::string markdown_checks(const std::string& heading, const std::vector<CheckResult>& checks) {
  if (checks.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const CheckResult& check : checks) {
    rows.push_back({check.check.claim.empty() ? check.check.id : check.check.claim,
                    check.check.expr, verdict_name(check.verdict), comparison_text(check)});
  }
  return heading + "\n\n" + markdown_table({"claim", "expression", "verdict", "figures"}, rows);
}

/// A table of scores, followed by table_notes().
std::string markdown_scores(const Table& table, const std::vector<std::string>& notes = {}) {
  std::string out = table_markdown(table) + "\n";
  for (const std::string& note : table_notes(table, notes)) {
    out += "- " + escape_markdown(note) + "\n";
  }
  return out;
}

std::string markdown_figures(const std::vector<Figure>& figures) {
  std::string out;
  for (const Figure& figure : figures) {
    out += "## " + escape_markdown(figure.title) + "\n\n";
    if (!figure.texts) {
      out += "![" + escape_markdown(figure.title) + "](" + figure.file + ".svg)\n\n";
    }
    if (!figure.note.empty()) out += escape_markdown(figure.note) + "\n\n";
    if (figure.texts) out += markdown_table(figure.texts->columns, figure.texts->rows);
    for (const MissingPart& part : figure.missing) {
      out += "- " + escape_markdown(part.what) + ": " + escape_markdown(part.reason) + "\n";
    }
    if (!figure.missing.empty()) out += "\n";
  }
  return out;
}

}  // namespace

std::string report_markdown(const ReportData& data) {
  std::string out =
      "# " + escape_markdown(data.recipe) + " (" + escape_markdown(data.profile) + ")\n\n";
  if (!data.paper_title.empty()) {
    out +=
        escape_markdown(data.paper_title + ", " + data.paper_id + ", " + data.paper_item) + "\n\n";
  }
  for (const MetadataEntry& entry : data.metadata) {
    out += "- " + escape_markdown(entry.name) + ": " + escape_markdown(entry.value) + "\n";
  }
  for (const std::string& warning : data.warnings) {
    out += "- **warning**: " + escape_markdown(warning) + "\n";
  }
  out += "\n" + outcome(data) + "\n\n";
  for (size_t i = 0; i < data.tables.size(); ++i) {
    const ReportTable& each = data.tables[i];
    if (!each.is_shown()) continue;
    out += (i ? "\n## " : "## ") + escape_markdown(table_title(data, i)) + "\n\n" +
           markdown_checks("### Checks of the evaluation models", each.checks_that(true)) +
           markdown_scores(shown_table(each), each.notes) +
           markdown_checks(i ? "\n### Checks" : "\n## Checks", each.checks_that(false));
  }
  if (!data.ratings.empty()) out += "\n## Human ratings\n";
  for (const SideTable& each : data.ratings) {
    out += "\n### " + escape_markdown(each.title) + "\n\n" + escape_markdown(each.note) + "\n\n" +
           markdown_scores(each.table);
  }
  std::vector<TextTable> scores;
  for (const SideTable& each : data.scores) scores.push_back(score_texts(each));
  out += markdown_texts("All scores", scores);
  if (!data.substitutions.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const Substitution& s : data.substitutions)
      rows.push_back({s.what, s.paper, s.ours, s.reason});
    out += "\n## What differs from the paper\n\n" +
           markdown_table({"what", "paper", "ours", "reason"}, rows);
  }
  out += markdown_figures(data.figures);
  out += markdown_texts("Samples", data.samples) +
         markdown_texts("Data and training", data.data_counts);
  std::string signatures;
  for (const ReportTable& each : data.tables) {
    for (const MetadataEntry& entry : signature_metadata(each.table)) {
      signatures += "- " + escape_markdown(entry.name + ": " + entry.value) + "\n";
    }
  }
  if (!signatures.empty()) out += "\n## Signatures\n\n" + signatures;
  return out + "\n" + escape_markdown(data.version) + "\n";
}

}  // namespace lvtext
