// The report of a recipe: all that a reader needs to judge our numbers beside the paper's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/report/checks.h"
#include "framework/pipeline/report/figure.h"
#include "framework/pipeline/report/svg_plot.h"
#include "framework/pipeline/report/table.h"
#include "framework/pipeline/report/text_table.h"

namespace lvtext {

/// A name and what it is, for the head and for signatures.
struct Fact {
  std::string name, value;
};

/// Something that differs from the paper: its data, sizes, tools.
struct Substitution {
  std::string what, paper, ours, reason;
};

/// One number behind a cell: a seed's score, or why there is none.
struct TableMember {
  std::string line, column;
  std::string seed;        ///< empty where no training plays a part
  std::string checkpoint;  ///< the step of a kept checkpoint; empty: none was chosen
  std::optional<double> value;
  std::string reason;
};

/// A table of the recipe with what is claimed of it.
struct ReportTable {
  std::string id;    ///< names its files; of the first one these are called "table"
  std::string item;  ///< the paper's table; empty: the recipe's
  Table table;
  std::vector<CheckResult> checks;
  std::vector<TableMember> members = {};
  bool is_transposed = false;           ///< where people read
  std::vector<std::string> notes = {};  ///< below the table: which runs were left out

  /// The checks that are guards, or those that are not.
  std::vector<CheckResult> checks_that(bool guard) const;
};

/// Another table of the paper, such as people's ratings.
struct SideTable {
  std::string title, note;
  Table table;
};

/// All scores of one metric, of each row's first seed.
struct MetricScores {
  std::string metric;
  std::string definition;  ///< what is measured
  Table table;             ///< a column for each score
};

/// The scores as text: a column for each score, with its unit or, where units differ, with that of
/// each cell.
TextTable score_texts(const MetricScores& scores);

/// What a report shows. Must hold no times, dates or absolute paths: the same run gives the same
/// bytes.
struct ReportData {
  std::string recipe;
  std::string paper_title, paper_id, paper_item;
  std::string profile;
  /// Data used, devices, precision, seeds: one line each in the head.
  std::vector<Fact> metadata;
  /// What came out, in sentences of the author; may be empty, counts are always given.
  std::string summary;
  std::vector<ReportTable> tables = {{}};  ///< at least one; the first one is the recipe's own
  std::vector<SideTable> ratings;
  std::vector<MetricScores> scores;
  std::vector<Substitution> substitutions;
  /// Training curves; each plot holds several runs.
  std::vector<Plot> curves;
  std::vector<Figure> figures;
  std::vector<TextTable> samples;
  std::vector<TextTable> data_counts;
  /// "lvtext 0.1.0 (commit)".
  std::string version;
};

/// Sentences that count what was computed: rows, cells, verdicts.
std::string outcome(const ReportData& data);

/// The figures behind a verdict: "3.210 [1.100, 5.300] over 3 seeds".
std::string check_figures(const CheckResult& check);

/// "bleu, fid: rows differ in how they were measured" for the columns with more than one
/// signature; empty if there is none.
std::string mixed_columns(const Table& table);
/// The signature of each column; where there are several, each with its rows' labels.
std::vector<Fact> signature_metadata(const Table& table);

/// Files of a report with a common name.
struct ReportFiles {
  std::string title;
  std::vector<std::string> names;
};
/// All files that write_report() writes beside the page.
std::vector<ReportFiles> report_files(const ReportData& data);

/// One self-contained page: no scripts, no external resources but links to report_files(), light
/// and dark, readable on a phone and on paper. A table that equals an earlier one is replaced by a
/// link to it.
std::string report_html(const ReportData& data);
/// The same content as Markdown, without curves.
std::string report_markdown(const ReportData& data);

/// What a table is called: the paper's item, or its id.
std::string table_title(const ReportData& data, size_t table);
/// A table as people read it: transposed where that is asked for.
Table shown_table(const ReportTable& table);
/// A table's members in long form: line,column,seed,checkpoint,value,reason.
std::string members_csv(const ReportTable& table);

/// Writes index.html, table.csv, table.md, table.tex, table.json and checks.json into `folder`,
/// each atomically, of further tables ID.csv, .md, .tex and .json, of each ID-members.csv, and the
/// files of figures and of samples' tables that have one. table.md is the Markdown report. Throws
/// io_error, and Error(73) rather than lay an empty table on one that is not.
void write_report(const std::filesystem::path& folder, const ReportData& data);

}  // namespace lvtext
