// The report of a recipe: tables, checks, figures and samples, with the paper's numbers for
// comparison.
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

/// A name and a value, for the head of the page and for signatures.
struct MetadataEntry {
  std::string name, value;
};

/// A difference from the paper, such as other data, sizes or tools.
struct Substitution {
  std::string what, paper, ours, reason;
};

/// One score that a cell is computed from: the score of one seed, or the reason why it is missing.
struct TableMember {
  std::string line, column;
  std::string seed;        ///< empty if the score does not depend on a training
  std::string checkpoint;  ///< step of the chosen checkpoint; empty: none was chosen
  std::optional<double> value;
  std::string reason;
};

/// A score of a row at a kept checkpoint of its training.
struct CheckpointScore {
  std::string row;
  std::string seed;
  int64_t step = 0;
  std::string metric, score;
  double value = 0;
};

/// A table of the recipe with its checks.
struct ReportTable {
  std::string id;    ///< base name of its files; the files of the first table are named "table"
  std::string item;  ///< number of the table in the paper; empty: that of the recipe
  Table table;
  std::vector<CheckResult> checks;
  std::vector<TableMember> members = {};
  bool is_transposed = false;           ///< in HTML, Markdown and LaTeX; not in CSV and JSON
  std::vector<std::string> notes = {};  ///< shown below the table: which runs were left out

  /// Whether there is anything to show: a recipe may have figures alone.
  bool is_shown() const { return !table.columns.empty() || !checks.empty(); }
  /// The checks that are guards, or those that are not.
  std::vector<CheckResult> checks_that(bool guard) const;
};

/// Another table, such as human ratings or all scores of a metric.
struct SideTable {
  std::string title, note;
  Table table;
};

/// All scores of a metric as text: one column per score. The unit is in the header, or in the cells
/// if the units of a column differ.
TextTable score_texts(const SideTable& scores);

/// A table as text for a terminal: units in the headers, 95 % intervals and the paper's numbers in
/// the cells ("3.41 ± 0.02 (3) [3.38, 3.44] (paper 3.50)"). Transposed if that is narrower.
TextTable terminal_table(const Table& table);

/// Content of a report. Must not contain times, dates or absolute paths, so that equal runs produce
/// identical files.
struct ReportData {
  std::string recipe;
  std::string paper_title, paper_id, paper_item;
  std::string profile;
  /// Data, devices, precision, seeds: one line each in the head of the page.
  std::vector<MetadataEntry> metadata;
  /// Shown before the scores: diverged and unfinished trainings. At the top.
  std::vector<std::string> warnings;
  std::vector<ReportTable> tables = {{}};  ///< at least one; the first is the recipe's main table
  std::vector<SideTable> ratings;
  /// All scores of each metric, from the first seed of each row, one column per score; the note is
  /// what is measured.
  std::vector<SideTable> scores;
  std::vector<CheckpointScore> checkpoint_scores;
  std::vector<Substitution> substitutions;
  /// Training curves; each plot shows several runs.
  std::vector<Plot> curves;
  std::vector<Figure> figures;
  std::vector<TextTable> samples;
  std::vector<TextTable> data_counts;
  /// "lvtext 0.1.0 (commit)".
  std::string version;
};

/// Summary with the numbers of computed cells, rows and verdicts.
std::string outcome(const ReportData& data);

/// Notes on a table, below it: those of the table, of the paper's numbers and of its columns, mixed
/// columns, and the reasons of empty cells.
std::vector<std::string> table_notes(const Table& table, const std::vector<std::string>& notes);

/// Difference and interval of each comparison: "3.210 [1.100, 5.300] over 3 seeds".
std::string comparison_text(const CheckResult& check);

/// "bleu, fid: rows differ in how they were measured" for the columns with more than one
/// signature; empty if there is none.
std::string mixed_columns(const Table& table);
/// The signatures of each column; if there are several, each with the labels of its rows.
std::vector<MetadataEntry> signature_metadata(const Table& table);

/// A group of files of a report.
struct ReportFiles {
  std::string title;
  std::vector<std::string> names;
};
/// All files that write_report() writes in addition to the page.
std::vector<ReportFiles> report_files(const ReportData& data);

/// The report as one self-contained page: no scripts, no external resources except links to
/// report_files(), light and dark mode, styles for small screens and print. A repeated table is
/// replaced by a link to the first one.
std::string report_html(const ReportData& data);
/// The same content as Markdown, without curves.
std::string report_markdown(const ReportData& data);

/// Title of a table: its number in the paper, or its id.
std::string table_title(const ReportData& data, size_t table);
/// The table as displayed: transposed if `is_transposed`.
Table shown_table(const ReportTable& table);
/// Members of a table in long form, as CSV: line,column,seed,checkpoint,value,reason.
std::string members_csv(const ReportTable& table);

/// All scores of kept checkpoints, as CSV: row,seed,checkpoint,metric,score,value.
std::string checkpoints_csv(const std::vector<CheckpointScore>& scores);

/// Throws Error(73) if the table.json in `folder` has computed cells and the new first table has
/// none.
void refuse_empty_report(const std::filesystem::path& folder, const ReportData& data);

/// Writes the report into `folder`, each file atomically: index.html, checks.json, NAME.csv, .md,
/// .tex, .json and NAME-members.csv for each table (NAME: "table" for the first, else the id), the
/// files of figures, checkpoints.csv if there are scores of kept checkpoints, and the CSV files of
/// sample tables. table.md is the Markdown report. Throws as refuse_empty_report(), and io_error.
void write_report(const std::filesystem::path& folder, const ReportData& data);

}  // namespace lvtext
