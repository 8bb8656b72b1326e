#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/page/embedded.h"
#include "framework/pipeline/report/report.h"
#include "framework/pipeline/report/template.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

Table small_table() {
  Table table;
  table.columns = {{"fid", "FID", Direction::kLower, "", 2},
                   {"bleu", "BLEU_3", Direction::kHigher, "", 1}};
  table.rows = {{"a", "A, \"one\"", ""}, {"b", "B & <b>", ""}, {"c", "C", ""}};
  table.resize();
  table.cell("a", "fid") = {1.0, 0.25, 3, 0.5, 1.5, 2.0, ""};
  table.cell("b", "fid") = {3.0, {}, 1, {}, {}, 4.0, ""};
  table.cell("c", "fid") = {-0.001, {}, 1, {}, {}, 1.0, ""};
  table.cell("b", "bleu") = {{}, {}, 0, {}, {}, 7.25, "diverged"};
  return table;
}

ReportData small_report() {
  ReportData data;
  data.recipe = "eval-all/table1";
  data.profile = "cpu";
  data.tables.front().table = small_table();
  data.samples = {{"Samples", "", {"text"}, {{"<script>alert(1)</script> & \"x\""}}}};
  data.curves = {{"loss <1", "updates", "nats", false, {{"a & b", {0, 1, 2}, {3, 2, 1}, false}}}};
  data.version = "lvtext 0.1.0";
  return data;
}

// Handmade seeds and resamples.
struct Scores : ScoreSource {
  struct Entry {
    std::optional<double> value;
    std::vector<SeedValue> seeds;
    std::vector<double> resampled;
  };
  std::map<std::string, Entry> entries;
  int count = 0;

  const Entry& entry(const std::string& row) const { return entries.at(row); }
  std::vector<std::string> rows() const override {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries) names.push_back(name);
    return names;
  }
  std::vector<std::string> metrics() const override { return {"bleu"}; }
  std::optional<double> value(const std::string& row, const std::string&) const override {
    return entry(row).value;
  }
  std::vector<SeedValue> per_seed(const std::string& row, const std::string&) const override {
    return entry(row).seeds;
  }
  int resamples() const override { return count; }
  std::optional<double> resampled(const std::string& row, const std::string&,
                                  int index) const override {
    const Entry& found = entry(row);
    if (found.resampled.empty()) return std::nullopt;
    return found.resampled.at(static_cast<size_t>(index));
  }
};

Scores three_seeds() {
  Scores scores;
  scores.entries["one"] = {20.0, {{1, 19}, {2, 20}, {3, 21}}, {}};
  // one - two by seed: 9, 10, 11; mean 10, standard deviation 1.
  scores.entries["two"] = {10.0, {{1, 10}, {2, 10}, {3, 10}}, {}};
  scores.entries["gone"] = {};
  return scores;
}

/// Values of all attributes `name` of the page.
std::vector<std::string> attributes(const std::string& page, const std::string& name) {
  std::vector<std::string> found;
  const std::string open = " " + name + "=\"";
  for (size_t at = page.find(open); at != page.npos; at = page.find(open, at + 1)) {
    const size_t start = at + open.size();
    found.push_back(page.substr(start, page.find('"', start) - start));
  }
  return found;
}

std::vector<std::string> links_of(const std::string& page) {
  return attributes(page, "href");
}

/// Each element of that name, without attributes of its own.
std::vector<std::string> elements(const std::string& page, const std::string& name) {
  std::vector<std::string> found;
  for (size_t at = page.find("<" + name); at != page.npos; at = page.find("<" + name, at + 1)) {
    const size_t start = page.find('>', at) + 1;
    found.push_back(page.substr(start, page.find("</" + name + ">", start) - start));
  }
  return found;
}

/// A report with every kind of section.
ReportData full_report() {
  ReportData data = small_report();
  data.tables.front().checks = {
      judge({"x", "one is better", "one.bleu > two.bleu", false}, "cpu", three_seeds())};
  data.substitutions = {{"data", "theirs", "ours", "not public"}};
  data.ratings = {{"Ratings", "Not rated.", small_table()}};
  for (Row& row : data.ratings[0].table.rows) row.label += " rated";
  data.scores = {{"fid", "Distance of distributions", small_table()}};
  data.scores[0].table.columns[0].id = "distance";
  data.figures = {
      {.title = "Curve", .file = "curve", .svg = "<svg/>", .csv = "x\n", .html = "<p>drawn</p>"}};
  data.samples.push_back({"Ways", "", {"row", "text"}, {{"a", "b"}}, "ways.csv"});
  data.data_counts = {{"Data", "", {"what", "count"}, {{"train", "7"}}}};
  return data;
}

std::string mistake(const std::string& expression) {
  return message_of([&] { CheckExpression::parse(expression, "check"); });
}

}  // namespace

TEST_CASE("Side tables of ratings are in the page and in the Markdown report") {
  ReportData data = small_report();
  CHECK_FALSE(contains(report_html(data), "Human ratings"));
  CHECK_FALSE(contains(report_markdown(data), "Human ratings"));
  data.ratings = {{"Table 3: sampling", "Not rated.", small_table()}};
  data.ratings[0].table.rows[0].label = "only here";
  for (const auto& text : {report_html(data), report_markdown(data)}) {
    CHECK(contains(text, "Table 3: sampling"));
    CHECK(contains(text, "Not rated."));
    CHECK(contains(text, "only here"));
  }
}

TEST_CASE("table: CSV has the specified header, plain numbers and reasons", "[report]") {
  CHECK(table_csv(small_table()) ==
        "row,label,fid,fid_sd,fid_n,fid_lo,fid_hi,fid_paper,bleu,bleu_sd,bleu_n,bleu_lo,bleu_hi,"
        "bleu_paper,reason\n"
        "a,\"A, \"\"one\"\"\",1.0000,0.2500,3,0.5000,1.5000,2,,,,,,,\n"
        "b,B & <b>,3.0000,,1,,,4,,,,,,7.25,bleu: diverged\n"
        "c,C,-0.0010,,1,,,1,,,,,,,\n");
}

TEST_CASE("table: Markdown contains ours, the paper's and the rank correlation", "[report]") {
  const std::string text = table_markdown(small_table());
  CHECK(contains(
      text, "| model | FID ↓ | *paper* | BLEU\\_3 ↑ | *paper* |\n|---|---:|---:|---:|---:|\n"));
  CHECK(contains(text, "| 1.00 ± 0.25 (3) | *2* |"));
  CHECK(contains(text, "| B &amp; &lt;b> |"));
  CHECK(contains(text, "| 0.00 | *1* |"));
  CHECK(contains(text, "| rank correlation with the paper | 1.00 (3 rows) | |"));
  CHECK_FALSE(rank_correlation(small_table(), 1));
}

TEST_CASE("table: values on another scale have a note and no rank correlation", "[report]") {
  ReportData data = small_report();
  Column& fid = data.tables.front().table.columns[0];
  fid.comparable = false;
  fid.definition = "A distance";
  fid.note = "another scale";
  CHECK_FALSE(rank_correlation(data.tables.front().table, 0));
  CHECK_FALSE(contains(table_markdown(data.tables.front().table), "rank correlation"));
  CHECK(contains(report_markdown(data), "- fid: another scale\n"));
  CHECK(contains(report_html(data), "A distance. another scale."));
}

TEST_CASE("table: LaTeX escapes its special characters", "[report]") {
  const std::string text = table_latex(small_table());
  CHECK(contains(text, "BLEU\\_3 $\\uparrow$"));
  CHECK(contains(text, "B \\& \\textless{}b\\textgreater{}"));
  CHECK(contains(text, "1.00 $\\pm$ 0.25 (3)"));
  CHECK(escape_latex("σ → 0 \\ 5% {x}^2") ==
        "$\\sigma$ $\\rightarrow$ 0 \\textbackslash{} 5\\% \\{x\\}\\textasciicircum{}2");
}

TEST_CASE("table: rows with different signatures and units are distinguished", "[report]") {
  ReportData data = small_report();
  Table& table = data.tables.front().table;
  for (const char* row : {"a", "b", "c"}) table.cell(row, "fid").signatures = {"fid|n:100"};
  CHECK(mixed_columns(table).empty());
  CHECK(contains(report_markdown(data), "- fid: fid\\|n:100\n"));
  table.cell("b", "fid").signatures = {"fid|n:7"};
  table.cell("a", "fid").unit = "of 16";
  table.cell("b", "fid").unit = "of 4";
  table.cell("c", "fid").unit = "of 16";
  CHECK(column_unit(table, 0).empty());
  CHECK(mixed_columns(table) == "fid: rows differ in how they were measured");
  CHECK(contains(report_markdown(data), mixed_columns(table) + " (see Signatures)"));
  CHECK(contains(report_html(data), mixed_columns(table) + " (see the signatures below)"));
  for (const auto& text : {report_html(data), report_markdown(data)}) {
    CHECK(contains(text, "1.00 ± 0.25 (3) of 16"));
    CHECK(contains(text, "3.00 of 4"));
  }
  CHECK(contains(report_html(data), ", C: <code>fid|<wbr>n:100</code>"));
  CHECK(contains(report_html(data), "B &amp; &lt;b&gt;: <code>fid|<wbr>n:7</code>"));
  CHECK(contains(report_markdown(data), ", C): fid\\|n:100"));
  const std::string json = table_json(table);
  CHECK(contains(json, "\"signature\": \"fid|n:7\",\n          \"rows\": [\n            \"b\""));
  CHECK(contains(json, "\"unit\": \"of 4\""));
}

TEST_CASE("table: labels that LaTeX would parse as an option of the row above", "[report]") {
  Table table = small_table();
  table.rows[0].label = "[0.1] VAE";
  table.rows[1].label = " *VAE";
  const std::string text = table_latex(table);
  CHECK(contains(text, "\\midrule\n{}[0.1] VAE & "));
  CHECK(contains(text, "\\\\\n{} *VAE & "));
  CHECK(escape_latex("VAE [0.1]*") == "VAE [0.1]*");
}

TEST_CASE("escape: control characters of labels are not printed to a terminal", "[report]") {
  CHECK(escape_markdown("a\x1b[31m\x7f\tb") == "a\xEF\xBF\xBD\\[31m\xEF\xBF\xBD\tb");
  CHECK(escape_latex("a\x1b[31mb") == "a?[31mb");
}

TEST_CASE("escape: bytes that are not UTF-8 are replaced in all formats", "[report]") {
  for (const auto escape : {escape_html, escape_latex, escape_markdown, escape_csv}) {
    CHECK(escape("a\xC3 b\xFF") == "a\xEF\xBF\xBD b\xEF\xBF\xBD");
    CHECK(escape("caf\xC3\xA9") == "caf\xC3\xA9");
  }
}

TEST_CASE("escape: spreadsheet formulas become text", "[report]") {
  for (const char* text :
       {"=1+2", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)", "\tx", "- a dog", "'=1", "''-x"}) {
    INFO(text);
    CHECK(escape_formula(text) == "'" + std::string(text));
    CHECK(unescape_formula(escape_formula(text)) == text);
  }
  for (const char* text : {"", "a", "-1.5", "+3e5", "'quoted'", "'", "5 = x", "1-2"}) {
    INFO(text);
    CHECK(escape_formula(text) == text);
    CHECK(unescape_formula(text) == text);
  }
  CHECK(escape_csv("=A1,\"b\"") == "\"'=A1,\"\"b\"\"\"");
  CHECK(escape_csv("-0.25") == "-0.25");
}

TEST_CASE("report: texts of models are not interpreted as markup", "[report]") {
  const std::string page = report_html(small_report());
  CHECK_FALSE(contains(page, "<script"));
  CHECK(contains(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;"));
  CHECK(contains(page, "a &amp; b"));
  // Nothing is loaded from outside; the SVG namespace is not a URL that is loaded.
  CHECK_FALSE(contains(page, "src="));
  CHECK_FALSE(contains(page, "<link"));
  for (const std::string& link : links_of(page)) CHECK_FALSE(contains(link, ":"));
  CHECK(escape_html("a\xFF\x01z") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
}

TEST_CASE("report: links of the contents lead to sections and to files", "[report]") {
  const TemporaryFolder folder;
  const ReportData data = full_report();
  write_report(folder.path, data);
  const std::string page = read_file(folder / "index.html");
  const auto ids = attributes(page, "id");
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size());
  std::set<std::string> linked;
  for (const std::string& link : links_of(page)) {
    INFO(link);
    if (link.starts_with('#')) {
      CHECK(std::count(ids.begin(), ids.end(), link.substr(1)) == 1);
    } else {
      CHECK(std::filesystem::is_regular_file(folder / link));
    }
    linked.insert(link);
  }
  for (const auto& file : std::filesystem::directory_iterator(folder.path)) {
    const std::string name = file.path().filename().string();
    CHECK((name == "index.html" || linked.contains(name)));
  }
  for (const std::string& heading : elements(page, "h2")) {
    INFO(heading);
    CHECK(contains(page, "\">" + heading + "</a></li>"));
  }
  CHECK(elements(page, "h2").size() == 9);
}

TEST_CASE("report: differences from the paper stand before scores and curves", "[report]") {
  const std::string page = report_html(full_report());
  const size_t differences = page.find("<h2>What differs from the paper");
  REQUIRE(differences != page.npos);
  CHECK(page.find("<h2>Checks") < differences);
  CHECK(differences < page.find("<h2>All scores"));
  CHECK(differences < page.find("<h2>Training"));
}

TEST_CASE("report: a recipe of figures alone has no table to show", "[report]") {
  ReportData data = full_report();
  ReportTable& table = data.tables.front();
  table.table.columns.clear();
  for (auto& row : table.table.cells) row.clear();
  const auto has_heading = [&data] { return contains(report_markdown(data), "\n## Table\n"); };
  CHECK(has_heading());  // its checks
  table.checks.clear();
  CHECK_FALSE(has_heading());
  CHECK(contains(report_markdown(data), "Figures only: the recipe has no metrics."));
  for (const std::string& heading : elements(report_html(data), "h2")) CHECK(heading != "Table");
}

TEST_CASE("report: intervals are text of the cells", "[report]") {
  const std::string page = report_html(small_report());
  CHECK(contains(page, "1.00 ± 0.25 (3)<small class=\"interval\">[0.50, 1.50]</small></td>"));
  CHECK(contains(page, "[a, b]: 95 % interval"));
  CHECK(contains(page, "±"));
  CHECK_FALSE(contains(page, "<td class=\"number\" title="));
  // A cell that was not computed is marked, and its reason is given below the table.
  CHECK(contains(page, "<td class=\"number\">–</td>"));
  CHECK(contains(page, "<li>B &amp; &lt;b&gt;: bleu: diverged</li>"));
}

TEST_CASE("report: each column of each table of scores is defined below it", "[report]") {
  ReportData data = full_report();
  Table& table = data.tables.front().table;
  table.columns[0].definition = "Distance of <samples> and test sentences";
  table.columns[1].note = "Overlap with a reference";
  table.cell("a", "fid").unit = table.cell("b", "fid").unit = table.cell("c", "fid").unit = "nats";
  table.cell("a", "fid").signatures = {"fid|n:100"};
  for (const bool is_transposed : {false, true}) {
    data.tables.front().is_transposed = is_transposed;
    const std::string page = report_html(data);
    CHECK(contains(page,
                   "<dt>FID <code>fid</code></dt><dd>Distance of &lt;samples&gt; and test "
                   "sentences. Unit: nats. Lower is better. Signature: "
                   "<code>fid|<wbr>n:100</code></dd>"));
    CHECK(contains(page,
                   "<dt>BLEU_3 <code>bleu</code></dt><dd>Overlap with a reference. Higher is "
                   "better.</dd>"));
    CHECK(contains(page, "<code>distance</code>"));  // of the table of all scores
    CHECK(contains(page, "Distance of distributions. Scores of each row&#39;s first seed."));
  }
  // One signature of all columns is written once.
  for (Column& column : table.columns) table.cell("b", column.id).value = 1;
  for (Column& column : table.columns) table.cell("b", column.id).signatures = {"same|1"};
  table.cell("a", "fid").signatures.clear();
  CHECK(contains(report_html(data),
                 "<dt>all columns</dt><dd>Signature: <code>same|<wbr>1</code></dd>"));
}

TEST_CASE("report: no table is shown twice, and columns are named", "[report]") {
  ReportData data = full_report();
  const size_t tables = elements(report_html(data), "table").size();
  data.tables.push_back({.id = "second", .item = "Table 2", .table = small_table()});
  data.scores.push_back({"bleu", "", small_table()});
  data.data_counts.push_back({"Data again", "", {"what", "count"}, {{"train", "7"}}});
  data.data_counts.push_back({"Other data", "", {"what", "count"}, {{"train", "8"}}});
  const std::string page = report_html(data);
  const auto shown = elements(page, "table");
  CHECK(shown.size() == tables + 1);
  std::set<std::string> different;
  for (const std::string& table : shown) {
    const size_t caption = table.find("</caption>");
    REQUIRE(caption != table.npos);
    different.insert(table.substr(caption));
    CHECK(contains(table, "<th scope=\"col\""));
    CHECK(contains(table, "<th scope=\"row\""));
  }
  CHECK(different.size() == shown.size());
  CHECK(contains(page, "The same table as <a href=\"#content-1\">Table</a>."));
  CHECK(contains(page, "The same table as <a href="));
}

TEST_CASE("report: texts of the same sentence stand side by side", "[report]") {
  TextTable table{"Reconstructions", "first ones", {"row", "source", "text"}, {}};
  table.rows = {{"A", "s1", "a1"}, {"A", "s2", "a2"}, {"B", "s1", "b1"}, {"B", "s3", "b3"}};
  table.side_by_side = SideBySide{.label = 0, .keys = {1}};
  const TextTable beside = texts_side_by_side(table);
  CHECK(beside.columns == std::vector<std::string>{"source", "A", "B"});
  REQUIRE(beside.rows.size() == 3);
  CHECK(beside.rows[0] == std::vector<std::string>{"s1", "a1", "b1"});
  CHECK(beside.rows[1] == std::vector<std::string>{"s2", "a2", ""});
  CHECK(beside.rows[2] == std::vector<std::string>{"s3", "", "b3"});

  // Without keys the first texts stand together; several texts share a cell.
  table.side_by_side = SideBySide{.label = 0, .keys = {}};
  const TextTable numbered = texts_side_by_side(table);
  CHECK(numbered.columns == std::vector<std::string>{"no.", "A", "B"});
  CHECK(numbered.rows[1] == std::vector<std::string>{"2", "s2: a2", "s3: b3"});
  CHECK(numbered.note == "first ones. In each cell: source: text");

  ReportData data = small_report();
  data.samples = {table};
  CHECK(contains(report_markdown(data), "| A | s1 | a1 |"));  // the file keeps its rows
  data.samples[0].side_by_side = SideBySide{.label = 0, .keys = {1}};
  CHECK(contains(report_html(data), "data-label=\"A\">a1</td>"));
  CHECK_FALSE(contains(report_html(data), "class=\"text beside stacked\""));
  for (const char* row : {"C", "D", "E", "F"}) data.samples[0].rows.push_back({row, "s1", "t"});
  CHECK(contains(report_html(data), "class=\"text beside stacked\""));
}

TEST_CASE("template: names are replaced once, and mistakes are errors", "[report]") {
  CHECK(fill_template("a {{x}} {{y}}{{x}} }}", {{"x", "{{y}}"}, {"y", "2"}}) ==
        "a {{y}} 2{{y}} }}");
  CHECK(fill_template("{ {{", {}) == "{ {{");
  CHECK_THROWS_AS(fill_template("{{x}}", {}), std::logic_error);
  CHECK_THROWS_AS(fill_template("x", {{"x", ""}}), std::logic_error);
}

TEST_CASE("report: SVG files may contain styles", "[report]") {
  for (const std::string_view style :
       {kColorsCss, kChartsCss, kSvgFileCss, kHeatMapCss, kPanelsCss}) {
    CHECK_FALSE(style.empty());
    CHECK(style.find_first_of("<&") == style.npos);
  }
}

TEST_CASE("report: the same data give the same bytes in all six files", "[report]") {
  const TemporaryFolder folder;
  write_report(folder / "a", small_report());
  write_report(folder / "b", small_report());
  for (const char* name :
       {"index.html", "table.csv", "table.md", "table.tex", "table.json", "checks.json"}) {
    INFO(name);
    CHECK(read_file(folder / "a" / name) == read_file(folder / "b" / name));
    CHECK_FALSE(read_file(folder / "a" / name).empty());
  }
}

TEST_CASE("report: an empty table does not replace a full one", "[report]") {
  const TemporaryFolder folder;
  ReportData empty = small_report();
  for (auto& row : empty.tables.front().table.cells) {
    for (Cell& cell : row) cell.value.reset();
  }
  write_report(folder / "a", empty);  // without an existing one, it may be written
  write_report(folder / "a", empty);
  write_report(folder / "a", small_report());
  const std::string full = read_file(folder / "a" / "table.csv");
  try {
    write_report(folder / "a", empty);
    FAIL("an empty table replaced a full one");
  } catch (const Error& error) {
    CHECK(error.code() == Exit::kCannotWrite);
    CHECK(contains(error.what(), "the existing report is kept"));
  }
  CHECK(read_file(folder / "a" / "table.csv") == full);
  write_file_synced(folder / "a" / "table.json", "damaged");
  write_report(folder / "a", empty);
}

TEST_CASE("checks: decided by Student's interval over three seeds", "[report]") {
  const Scores scores = three_seeds();
  const CheckResult holds = judge({"x", "", "one.bleu > two.bleu", false}, "cpu", scores);
  CHECK(holds.verdict == Verdict::kHolds);
  CHECK(holds.comparisons[0].difference == Approx(10));
  CHECK(*holds.comparisons[0].lo == Approx(10 - 4.302652730 / std::sqrt(3.0)));
  CHECK(holds.comparisons[0].n_seeds == 3);
  CHECK_FALSE(holds.sentence_noise_only);
  CHECK(judge({"x", "", "one.bleu < two.bleu", false}, "cpu", scores).verdict == Verdict::kFails);
  CHECK(judge({"x", "", "one.bleu > two.bleu + 9", false}, "cpu", scores).verdict ==
        Verdict::kUndecided);
  CHECK(judge({"x", "", "one.bleu > two.bleu and two.bleu > 11", false}, "cpu", scores).verdict ==
        Verdict::kFails);
}

TEST_CASE("checks: one seed uses the paired bootstrap and reports it", "[report]") {
  Scores scores;
  scores.count = 3;
  scores.entries["one"] = {5.0, {{1, 5}}, {4, 5, 6}};
  scores.entries["two"] = {3.0, {{1, 3}}, {3, 3, 3}};
  scores.entries["dumb"] = {3.0, {{1, 3}}, {}};
  const CheckResult result = judge({"x", "", "one.bleu > two.bleu", false}, "cpu", scores);
  CHECK(result.verdict == Verdict::kHolds);
  CHECK(*result.comparisons[0].lo == Approx(1.05));
  CHECK(*result.comparisons[0].hi == Approx(2.95));
  CHECK(result.sentence_noise_only);
  const CheckResult blind = judge({"x", "", "one.bleu > dumb.bleu", false}, "cpu", scores);
  CHECK(blind.verdict == Verdict::kUndecided);
  CHECK(contains(blind.reason, "no interval"));
}

TEST_CASE("checks: not run and not applicable", "[report]") {
  const Scores scores = three_seeds();
  const CheckResult missing = judge({"x", "", "one.bleu > gone.bleu", false}, "cpu", scores);
  CHECK(missing.verdict == Verdict::kNotRun);
  CHECK(missing.reason == "not computed: gone.bleu");
  const Check absolute{"x", "", "one.bleu > 15", true};
  CHECK(judge(absolute, "cpu", scores).verdict == Verdict::kNotApplicable);
  CHECK(judge(absolute, "gpu", scores).verdict == Verdict::kHolds);
}

TEST_CASE("checks: arithmetic, functions and chains", "[report]") {
  const auto e = CheckExpression::parse(
      "2 * (a.x - 1) / 4 < max(a.x, b.y, -3) <= abs(-a.x) + min(1, 2)", "check");
  REQUIRE(e.comparisons().size() == 2);
  REQUIRE(e.terms().size() == 2);
  CHECK(e.difference(e.comparisons()[0], {5, 7}) == Approx(2 - 7));
  CHECK(e.difference(e.comparisons()[1], {5, 7}) == Approx(7 - 6));
  CHECK(e.comparisons()[1].text == "max(a.x, b.y, -3) <= abs(-a.x) + min(1, 2)");
}

TEST_CASE("checks: errors contain column, caret and the nearest name", "[report]") {
  CHECK(contains(mistake("a.x >> b.x"), "column 6"));
  CHECK(contains(mistake("a.x > b"), "not of the form row.metric\n  a.x > b\n        ^"));
  CHECK(contains(mistake("a.x + 1"), "expected one of"));
  CHECK(contains(mistake("mix(a.x) > 1"), "unknown function \"mix\""));
  CHECK(contains(mistake(std::string(5000, '(')), "nested"));
  try {
    judge({"x", "", "ome.bleu > two.blue", false}, "cpu", three_seeds());
    FAIL("unknown names were accepted");
  } catch (const ConfigError& error) {
    CHECK(contains(error.what(), "did you mean 'one'"));
    CHECK(contains(error.what(), "did you mean 'bleu'"));
  }
}

TEST_CASE("plot: round ticks, also far from zero and on logarithmic axes", "[report]") {
  CHECK(nice_ticks(0, 1, 5) == std::vector<double>{0, 0.2, 0.4, 0.6, 0.8, 1});
  CHECK(nice_ticks(1e20, 1e20 + 20000, 6).size() < 20);
  CHECK(log_ticks(1, 1000) == std::vector<double>{1, 10, 100, 1000});
  CHECK(log_ticks(1, 10) == std::vector<double>{1, 2, 5, 10});
}

TEST_CASE("plot: a value that is not finite is a gap", "[report]") {
  const double nan = std::nan("");
  const std::string svg =
      plot_svg({"t", "x", "y", false, {{"a", {0, 1, 2, 3}, {1, 2, nan, 4}, false}}});
  const size_t path = svg.find(" d=\"M");
  REQUIRE(path != std::string::npos);
  CHECK(svg.find('M', path + 5) < svg.find('"', path + 5));
  CHECK_FALSE(contains(svg, "nan"));
}

TEST_CASE("checks: estimate and interval over seeds are those of the same statistic", "[report]") {
  Scores scores;
  scores.entries["a"] = {20.0, {{1, 10}, {2, 20}, {3, 30}}, {}};
  scores.entries["b"] = {20.0, {{1, 30}, {2, 20}, {3, 10}}, {}};
  // The minimum of the means is 20, the mean of the minima 40 / 3.
  const CheckResult least = judge({"x", "", "min(a.bleu, b.bleu) > 60", false}, "cpu", scores);
  const ComparisonResult& of_minima = least.comparisons[0];
  CHECK(of_minima.difference == Approx(40.0 / 3 - 60));
  CHECK((*of_minima.lo + *of_minima.hi) / 2 == Approx(of_minima.difference));
  // The cell of `b` has a fourth seed, which `a` lacks.
  scores.entries["b"] = {40.0, {{1, 30}, {2, 20}, {3, 10}, {4, 100}}, {}};
  const CheckResult common = judge({"x", "", "a.bleu > b.bleu", false}, "cpu", scores);
  CHECK(common.comparisons[0].difference == Approx(0).margin(1e-12));
  CHECK((*common.comparisons[0].lo + *common.comparisons[0].hi) / 2 == Approx(0).margin(1e-12));
  CHECK(contains(common.reason, "only seeds that all terms have"));
}

TEST_CASE("table: numbers of the paper keep the form that the recipe has", "[report]") {
  Table table = small_table();
  table.cell("a", "fid").paper_text = "2.00";
  CHECK(contains(table_markdown(table), "| *2.00* |"));
  CHECK(contains(table_csv(table), ",1.5000,2.00,"));
  CHECK(contains(table_latex(table), "\\emph{2.00}"));
  ReportData data = small_report();
  data.tables.front().table = table;
  CHECK(contains(report_html(data), ">2.00</td>"));
}

TEST_CASE("report: where real data has a value, a score shows its distance to it", "[report]") {
  ReportData data = small_report();
  Table& table = data.tables.front().table;
  table.columns[0].real_is_best = true;
  CHECK(contains(report_html(data), "which this table does not have"));
  CHECK(column_text(table, 0) == "FID ↓");
  table.rows[1].is_real = true;
  CHECK(distance_text(table, 0, 0) == "-2.00");
  CHECK(distance_text(table, 1, 0).empty());
  CHECK(distance_text(table, 0, 1).empty());
  CHECK(column_text(table, 0) == "FID");
  CHECK(contains(table_markdown(table), cell_text(table, 0, 0) + " (-2.00 to real) |"));
  CHECK(contains(table_latex(table), "(-2.00 to real)"));
  CHECK(contains(terminal_table(table).rows[0][1], "(-2.00 to real)"));
  const std::string page = report_html(data);
  CHECK(contains(page, "<small class=\"interval\">-2.00 to real</small>"));
  CHECK(contains(page, "values below it indicate a collapsed model"));
  CHECK_FALSE(contains(page, "Lower is better"));
  table.columns[0].direction = Direction::kHigher;
  CHECK(contains(report_html(data), "indicate a collapsed model, values above it noise"));
}

TEST_CASE("report: warnings are the first text, notes of a row are beside its label", "[report]") {
  ReportData data = small_report();
  data.warnings = {"B, seed 1: 29 of 30 steps were skipped"};
  data.tables.front().table.rows[1].note = "seed 1: 29 of 30 steps were skipped";
  const std::string page = report_html(data);
  CHECK(page.find("B, seed 1: 29 of 30") < page.find("cells computed in"));
  CHECK(contains(page, "B &amp; &lt;b&gt;<small class=\"warning\">seed 1: 29 of 30"));
  const std::string text = report_markdown(data);
  CHECK(text.find("29 of 30") < text.find("cells computed in"));
  CHECK(contains(table_csv(data.tables.front().table),
                 "seed 1: 29 of 30 steps were skipped; bleu: diverged"));
}

TEST_CASE("report: the terminal's table has units, intervals and the paper's numbers", "[report]") {
  Table table = small_table();
  for (auto& row : table.cells) row[0].unit = "nats";
  const TextTable texts = terminal_table(table);
  CHECK(texts.columns == std::vector<std::string>{"model", "FID, nats ↓", "BLEU_3 ↑"});
  REQUIRE(texts.rows.size() == 3);
  CHECK(texts.rows[0] ==
        std::vector<std::string>{"A, \"one\"", "1.00 ± 0.25 (3) [0.50, 1.50] (paper 2)", ""});
  CHECK(texts.rows[1] == std::vector<std::string>{"B & <b>", "3.00 (paper 4)", "- (paper 7.25)"});
  CHECK(table_notes(table, {"dropped"}) ==
        std::vector<std::string>{"dropped", "B & <b>: bleu: diverged"});
  table.cells[1][0].paper_note = "a misprint";
  CHECK(terminal_table(table).rows[1][1] == "3.00 (paper 4†)");
  CHECK(table_notes(table, {}) ==
        std::vector<std::string>{"† B & <b>, FID: a misprint", "B & <b>: bleu: diverged"});
  CHECK(contains(table_markdown(table), " *4†* |"));
  CHECK(contains(table_json(table), "\"paper_note\": \"a misprint\""));
  CHECK(contains(table_latex(table), "\\emph{4†}"));
  CHECK(contains(table_latex(table), "\n% † B "));
  CHECK_FALSE(contains(table_csv(table), "†"));
  table.cells[1][0].paper_note.clear();
  // Narrower with the rows as columns.
  for (const char* id : {"d", "e", "f", "g", "h"}) {
    table.columns.push_back(
        {.id = id, .title = std::string("a long title of the metric ") + id, .note = ""});
  }
  table.resize();
  const TextTable turned = terminal_table(table);
  CHECK(turned.columns == std::vector<std::string>{"model", "A, \"one\"", "B & <b>", "C"});
  CHECK(turned.rows[0] == std::vector<std::string>{"FID, nats ↓",
                                                   "1.00 ± 0.25 (3) [0.50, 1.50] (paper 2)",
                                                   "3.00 (paper 4)", "0.00 (paper 1)"});
}

TEST_CASE("plot: a series keeps the color of its row, and the last tick is not cut off",
          "[report]") {
  Plot plot{"t", "x", "y", false, {{"second", {0, 25000}, {1, 2}}}};
  CHECK(contains(plot_svg(plot), "class=\"l s0\""));
  plot.series[0].color = 1;
  const std::string svg = plot_svg(plot);
  CHECK(contains(svg, "class=\"l s1\""));
  CHECK_FALSE(contains(svg, "s0"));
  const size_t text = svg.find(">25000</text>");
  const size_t open = svg.rfind("<text x=\"", text);
  const double middle = std::stod(svg.substr(open + 9));
  CHECK(middle + 5 * 7.5 / 2 <= plot_width());
}
