#include <cmath>
#include <filesystem>
#include <map>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/report.h"
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
  data.curves = {
      {"loss <1", "updates", "nats", false, false, {{"a & b", {0, 1, 2}, {3, 2, 1}, false}}}};
  data.version = "lvtext 0.1.0";
  return data;
}

// Seeds and resamples given by hand.
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
  // one - two by seed: 9, 10, 11; mean 10, deviation 1.
  scores.entries["two"] = {10.0, {{1, 10}, {2, 10}, {3, 10}}, {}};
  scores.entries["gone"] = {};
  return scores;
}

std::string mistake(const std::string& expression) {
  return message_of([&] { CheckExpression::parse(expression); });
}

}  // namespace

TEST_CASE("Side tables of ratings stand in the page and in the Markdown report") {
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

TEST_CASE("table: CSV has the contract's header, bare numbers and reasons", "[report]") {
  CHECK(table_csv(small_table()) ==
        "row,label,fid,fid_sd,fid_n,fid_lo,fid_hi,fid_paper,bleu,bleu_sd,bleu_n,bleu_lo,bleu_hi,"
        "bleu_paper,reason\n"
        "a,\"A, \"\"one\"\"\",1.0000,0.2500,3,0.5000,1.5000,2.0000,,,,,,,\n"
        "b,B & <b>,3.0000,,1,,,4.0000,,,,,,7.250,bleu: diverged\n"
        "c,C,-0.0010,,1,,,1.0000,,,,,,,\n");
}

TEST_CASE("table: Markdown shows ours, the paper's and the rank correlation", "[report]") {
  const std::string text = table_markdown(small_table());
  CHECK(contains(
      text, "| model | FID ↓ | *paper* | BLEU\\_3 ↑ | *paper* |\n|---|---:|---:|---:|---:|\n"));
  CHECK(contains(text, "| 1.00 ± 0.25 (3) | *2* |"));
  CHECK(contains(text, "| B &amp; &lt;b> |"));
  CHECK(contains(text, "| 0.00 | *1* |"));
  CHECK(contains(text, "| rank correlation with the paper | 1.00 (3 rows) | |"));
  CHECK_FALSE(rank_correlation(small_table(), 1));
}

TEST_CASE("table: LaTeX escapes its special characters", "[report]") {
  const std::string text = table_latex(small_table());
  CHECK(contains(text, "BLEU\\_3 $\\uparrow$"));
  CHECK(contains(text, "B \\& \\textless{}b\\textgreater{}"));
  CHECK(contains(text, "1.00 $\\pm$ 0.25 (3)"));
  CHECK(escape_latex("σ → 0 \\ 5% {x}^2") ==
        "$\\sigma$ $\\rightarrow$ 0 \\textbackslash{} 5\\% \\{x\\}\\textasciicircum{}2");
}

TEST_CASE("table: rows of different signatures and units are told apart", "[report]") {
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
  for (const auto& text : {report_html(data), report_markdown(data)}) {
    CHECK(contains(text, "fid: rows differ in how they were measured (see Signatures)"));
    CHECK(contains(text, "1.00 ± 0.25 (3) of 16"));
    CHECK(contains(text, "3.00 of 4"));
    CHECK(contains(text, "C)"));
  }
  CHECK(contains(report_html(data), "<dt>fid (B &amp; &lt;b&gt;)</dt><dd>fid|n:7</dd>"));
  const std::string json = table_json(table);
  CHECK(contains(json, "\"signature\": \"fid|n:7\",\n          \"rows\": [\n            \"b\""));
  CHECK(contains(json, "\"unit\": \"of 4\""));
}

TEST_CASE("table: labels that LaTeX would take for an option of the row above", "[report]") {
  Table table = small_table();
  table.rows[0].label = "[0.1] VAE";
  table.rows[1].label = " *VAE";
  const std::string text = table_latex(table);
  CHECK(contains(text, "\\midrule\n{}[0.1] VAE & "));
  CHECK(contains(text, "\\\\\n{} *VAE & "));
  CHECK(escape_latex("VAE [0.1]*") == "VAE [0.1]*");
}

TEST_CASE("escape: control characters of labels reach no terminal", "[report]") {
  CHECK(escape_markdown("a\x1b[31m\x7f\tb") == "a\xEF\xBF\xBD\\[31m\xEF\xBF\xBD\tb");
  CHECK(escape_latex("a\x1b[31mb") == "a?[31mb");
}

TEST_CASE("escape: what a spreadsheet would compute is text", "[report]") {
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

TEST_CASE("report: texts of models cannot become markup", "[report]") {
  const std::string page = report_html(small_report());
  CHECK_FALSE(contains(page, "<script"));
  CHECK(contains(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;"));
  CHECK(contains(page, "a &amp; b"));
  // Nothing is loaded from outside; the name space of SVG is no address.
  CHECK_FALSE(contains(page, "src="));
  CHECK_FALSE(contains(page, "href="));
  CHECK(escape_html("a\xFF\x01z") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
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

TEST_CASE("report: an empty table never replaces a full one", "[report]") {
  const TemporaryFolder folder;
  ReportData empty = small_report();
  for (auto& row : empty.tables.front().table.cells) {
    for (Cell& cell : row) cell.value.reset();
  }
  write_report(folder / "a", empty);  // where there is none, it may be written
  write_report(folder / "a", empty);
  write_report(folder / "a", small_report());
  const std::string full = read_file(folder / "a" / "table.csv");
  try {
    write_report(folder / "a", empty);
    FAIL("an empty table replaced a full one");
  } catch (const Error& error) {
    CHECK(error.code() == Exit::kCannotWrite);
    CHECK(contains(error.what(), "it is kept"));
  }
  CHECK(read_file(folder / "a" / "table.csv") == full);
  write_file_synced(folder / "a" / "table.json", "damaged");
  write_report(folder / "a", empty);
}

TEST_CASE("checks: Student's interval over three seeds decides", "[report]") {
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

TEST_CASE("checks: one seed uses the paired bootstrap and says so", "[report]") {
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
  const auto e =
      CheckExpression::parse("2 * (a.x - 1) / 4 < max(a.x, b.y, -3) <= abs(-a.x) + min(1, 2)");
  REQUIRE(e.comparisons().size() == 2);
  REQUIRE(e.terms().size() == 2);
  CHECK(e.difference(e.comparisons()[0], {5, 7}) == Approx(2 - 7));
  CHECK(e.difference(e.comparisons()[1], {5, 7}) == Approx(7 - 6));
  CHECK(e.comparisons()[1].text == "max(a.x, b.y, -3) <= abs(-a.x) + min(1, 2)");
}

TEST_CASE("checks: mistakes show column, caret and the nearest name", "[report]") {
  CHECK(contains(mistake("a.x >> b.x"), "column 6"));
  CHECK(contains(mistake("a.x > b"), "a row, a point and a metric\n  a.x > b\n        ^"));
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
      plot_svg({"t", "x", "y", false, false, {{"a", {0, 1, 2, 3}, {1, 2, nan, 4}, false}}});
  const size_t path = svg.find(" d=\"M");
  REQUIRE(path != std::string::npos);
  CHECK(svg.find('M', path + 5) < svg.find('"', path + 5));
  CHECK_FALSE(contains(svg, "nan"));
}
