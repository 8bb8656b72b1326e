// Human ratings: sheets, answers and their statistics. All ratings are made up.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/rating/agreement.h"
#include "framework/pipeline/rating/answers.h"
#include "framework/pipeline/rating/delimited.h"
#include "framework/pipeline/rating/rating_summary.h"
#include "framework/pipeline/rating/rating_table.h"
#include "framework/pipeline/rating/sheet.h"
#include "framework/pipeline/rating/sheet_form.h"
#include "tests/framework/pipeline/rating/sheets_of_tests.h"

using namespace lvtext;

namespace {

/// Two rows of five sentences; both contain "shared text".
Sheet small_sheet() {
  return make_sheet(sampling(), key_of({"model_one", "real"}),
                    {sentences({"a", "b", "c, \"d\"", "tab\there", "shared text"}),
                     sentences({"e", "<script>alert(1)</script>", "shared text", "g", "h"})});
}

}  // namespace

TEST_CASE("C13: medians, their mean, the mean of ratings and the majority share", "[rating]") {
  const std::vector<std::vector<int>> rated = {
      {5, 4, 4}, {1, 3, 5}, {2, 2, 2}, {3, 4, 4}, {1, 2, 4}};
  const std::vector<double> medians = {4, 3, 2, 4, 2};
  const Sheet sheet =
      make_sheet(sampling(), key_of({"model"}), {sentences({"s0", "s1", "s2", "s3", "s4"})});
  Ratings ratings;
  for (size_t i = 0; i < rated.size(); ++i) {
    CHECK(median(rated[i]) == medians[i]);
    for (size_t r = 0; r < 3; ++r) {
      ratings[id_of(sheet, "s" + std::to_string(i))]["rater" + std::to_string(r)] = {rated[i][r]};
    }
  }
  const RatingSummary summary = summarize(ratings, sampling(), sheet.key);
  const GroupRating& row = summary.scores.at("model").at("fluency");
  const RatingEstimate& fluency = row.measures.at("fluency");
  CHECK(fluency.value == Approx(3.0).epsilon(1e-15));
  CHECK(*row.mean_of_ratings == Approx(3.06666667).margin(5e-9));
  CHECK(*row.majority == Approx(0.6).epsilon(1e-15));
  CHECK(row.sentences == 5);
  CHECK(summary.agreement.at("fluency").majority == row.majority);
  CHECK(summary.rated == 5);
  CHECK(summary.other_counts == 0);
  CHECK(summary.raters == 3);
  CHECK(summary.ratings == 15);
  // Means of 5 of the medians 4, 3, 2, 4, 2, in steps of 0.2: 2.5 % are beyond 2.2 and 3.8 each.
  CHECK(fluency.interval->lo == Approx(2.2).margin(0.21));
  CHECK(fluency.interval->hi == Approx(3.8).margin(0.21));
}

TEST_CASE("Medians of even counts and majorities of counts other than three", "[rating]") {
  CHECK(median({1, 4}) == 2.5);
  CHECK(median({5, 1, 2, 4}) == 3);
  CHECK(median({3}) == 3);
  CHECK(has_majority(std::vector{2, 2}));
  CHECK_FALSE(has_majority(std::vector{2, 3}));
  CHECK_FALSE(has_majority(std::vector{2, 2, 3, 3}));
  CHECK(has_majority(std::vector{2, 2, 2, 3, 4}));
}

TEST_CASE("Krippendorff's alpha of his example", "[rating]") {
  // Krippendorff 2011, section E: four observers, twelve units; ordinal alpha 0.815.
  const std::vector<std::vector<int>> units = {
      {1, 1, 1},    {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 3}, {2, 2, 2, 2}, {1, 2, 3, 4},
      {4, 4, 4, 4}, {1, 1, 2, 1}, {2, 2, 2, 2}, {5, 5, 5},    {1, 1},       {3}};
  CHECK(*krippendorff_alpha(units) == Approx(0.815).margin(5e-4));
  CHECK(*krippendorff_alpha(std::vector<std::vector<int>>{{1, 1}, {4, 4}}) == Approx(1));
  CHECK_FALSE(krippendorff_alpha(std::vector<std::vector<int>>{{3, 3}, {3, 3, 3}}));
  CHECK_FALSE(krippendorff_alpha(std::vector<std::vector<int>>{{1}, {2}}));
  // Section D: the same values as names; nominal alpha 0.743.
  CHECK(*krippendorff_alpha(units, Level::kNominal) == Approx(0.743).margin(5e-4));
}

TEST_CASE("Fleiss' kappa of his example, and of ten items with fourteen raters", "[rating]") {
  const auto items_of = [](const std::vector<std::vector<int>>& counts) {
    std::vector<std::vector<int>> items;
    for (const auto& of_item : counts) {
      auto& item = items.emplace_back();
      for (size_t value = 0; value < of_item.size(); ++value) {
        item.insert(item.end(), static_cast<size_t>(of_item[value]), static_cast<int>(value));
      }
    }
    return items;
  };
  // Fleiss 1971, Table 1: diagnoses of 30 patients by six psychiatrists; 0.430.
  const auto diagnoses = items_of(
      {{0, 0, 0, 6, 0}, {0, 3, 0, 0, 3}, {0, 1, 4, 0, 1}, {0, 0, 0, 0, 6}, {0, 3, 0, 3, 0},
       {2, 0, 4, 0, 0}, {0, 0, 4, 0, 2}, {2, 0, 3, 1, 0}, {2, 0, 0, 4, 0}, {0, 0, 0, 0, 6},
       {1, 0, 0, 5, 0}, {1, 1, 0, 4, 0}, {0, 3, 3, 0, 0}, {1, 0, 0, 5, 0}, {0, 2, 0, 3, 1},
       {0, 0, 5, 0, 1}, {3, 0, 0, 1, 2}, {5, 1, 0, 0, 0}, {0, 2, 0, 4, 0}, {1, 0, 2, 0, 3},
       {0, 0, 0, 0, 6}, {0, 1, 0, 5, 0}, {0, 2, 0, 1, 3}, {2, 0, 0, 4, 0}, {1, 0, 0, 4, 1},
       {0, 5, 0, 1, 0}, {4, 0, 0, 0, 2}, {0, 2, 0, 4, 0}, {1, 0, 5, 0, 0}, {0, 0, 0, 0, 6}});
  CHECK(*fleiss_kappa(diagnoses) == Approx(0.43024452006014074).epsilon(1e-12));
  // The usual worked example of the statistic: P 0.378, E 0.213.
  const auto fourteen = items_of({{0, 0, 0, 0, 14},
                                  {0, 2, 6, 4, 2},
                                  {0, 0, 3, 5, 6},
                                  {0, 3, 9, 2, 0},
                                  {2, 2, 8, 1, 1},
                                  {7, 7, 0, 0, 0},
                                  {3, 2, 6, 3, 0},
                                  {2, 5, 3, 2, 2},
                                  {6, 5, 2, 1, 0},
                                  {0, 2, 2, 3, 7}});
  CHECK(*fleiss_kappa(fourteen) == Approx(0.20993070442195522).epsilon(1e-12));
  CHECK(*fleiss_kappa(std::vector<std::vector<int>>{{1, 1}, {4, 4}, {2}}) == 1);
  CHECK_FALSE(fleiss_kappa(std::vector<std::vector<int>>{{3, 3}, {3, 3, 3}}));
  CHECK_FALSE(fleiss_kappa(std::vector<std::vector<int>>{{1}, {2}}));
}

TEST_CASE("Rows are compared by Wilcoxon's test on the sentences that both have", "[rating]") {
  const std::vector<std::string> rows = {"one", "two", "alone"};
  std::vector<std::vector<RatedSentence>> texts(3);
  Ratings ratings;
  const auto add = [&](size_t row, int64_t index) {
    texts[row].push_back({index, {rows[row] + std::to_string(index)}});
  };
  for (int64_t i = 0; i < 9; ++i) add(0, i);
  for (int64_t i = 1; i < 9; ++i) add(1, i);
  add(2, 100);
  const Sheet sheet = make_sheet(sampling(), key_of(rows), texts);
  // Medians of two raters. Differences of 1..8: 3, 0, 2.5, -1, 0, -0.5, 3, 1.5.
  const std::vector<std::vector<int>> first = {{1, 1}, {5, 5}, {3, 3}, {4, 5}, {2, 2},
                                               {3, 3}, {2, 3}, {4, 4}, {4, 5}};
  const std::vector<std::vector<int>> second = {{2, 2}, {3, 3}, {1, 3}, {3, 3},
                                                {1, 5}, {3, 3}, {1, 1}, {2, 4}};
  for (size_t i = 0; i < 9; ++i) {
    const std::string id = id_of(sheet, "one" + std::to_string(i));
    ratings[id] = {{"x", {first[i][0]}}, {"y", {first[i][1]}}};
  }
  for (size_t i = 0; i < 8; ++i) {
    const std::string id = id_of(sheet, "two" + std::to_string(i + 1));
    ratings[id] = {{"x", {second[i][0]}}, {"y", {second[i][1]}}};
  }
  ratings[id_of(sheet, "alone100")] = {{"x", {3}}};
  const RatingSummary summary = summarize(ratings, sampling(), sheet.key);
  REQUIRE(summary.differences.at("fluency").size() == 1);
  const RatingDifference& difference = summary.differences.at("fluency").front();
  CHECK(difference.id == "one_vs_two");
  CHECK(difference.sentences == 8);
  CHECK(difference.mean == Approx(8.5 / 8));
  REQUIRE(difference.test);
  // Ranks of 0.5, 1, 1.5, 2.5, 3, 3: 1, 2, 3, 4, 5.5, 5.5; the negative ones are 1 and 2. Sums of
  // at most 3: {}, 1, 2, 3, 1 + 2.
  CHECK(difference.test->n == 6);
  CHECK(difference.test->statistic == 3);
  CHECK(difference.test->p == Approx(2 * 5 / 64.0));
  const TemporaryFolder folder;
  const RatingSummary read =
      read_rating_summary(written(folder, "ratings.json", to_json(summary).dump()));
  CHECK(to_json(read) == to_json(summary));
  const std::vector<RatingRow> lines = {{"one", "One"}, {"two", "Two"}, {"alone", "Alone"}};
  const Table table = difference_table(sampling(), read, lines);
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].label == "One vs Two");
  CHECK(*table.cell("one_vs_two", "fluency").value == Approx(8.5 / 8));
  CHECK(*table.cell("one_vs_two", "fluency_p").value == Approx(2 * 5 / 64.0));
  CHECK(*table.cell("one_vs_two", "fluency_sentences").value == 8);
  CHECK(contains(rating_note(sampling(), summary), "Fleiss' kappa "));
  // Without a row whose ratings are not shown.
  CHECK(difference_table(sampling(), read, {{"one", "One"}, {"two", "Two", false, "another text"}})
            .rows.empty());
}

TEST_CASE("A sheet does not reveal rows and order", "[rating]") {
  const Sheet sheet = small_sheet();
  CHECK(sheet.items.size() == 9);
  // Other names and another order of rows give the same bytes.
  const Sheet other =
      make_sheet(sampling(), key_of({"x", "y"}),
                 {sentences({"h", "g", "e", "shared text", "<script>alert(1)</script>"}),
                  sentences({"tab\there", "a", "shared text", "b", "c, \"d\""})});
  CHECK(sheet_tsv(sheet) == sheet_tsv(other));
  CHECK(sheet_csv(sheet) == sheet_csv(other));
  CHECK(sheet_form(sheet) == sheet_form(other));
  for (const auto& text : {sheet_tsv(sheet), sheet_csv(sheet), sheet_form(sheet)}) {
    for (const char* secret : {"model_one", "Label", "tests/rating", "id-", "smoke"}) {
      CHECK_FALSE(contains(text, secret));
    }
  }
  // Rows are mixed: the sentences of a row are not in one block.
  std::vector<std::string> first, second;
  for (int i = 0; i < 200; ++i) {
    first.push_back("first " + std::to_string(i));
    second.push_back("second " + std::to_string(i));
  }
  const Sheet mixed =
      make_sheet(sampling(), key_of({"p", "q"}), {sentences(first), sentences(second)});
  int64_t changes = 0;
  for (size_t i = 1; i < mixed.items.size(); ++i) {
    changes += mixed.items[i].texts[0][0] != mixed.items[i - 1].texts[0][0] ? 1 : 0;
  }
  CHECK(changes > 160);  // 200 expected, standard deviation 10
  CHECK(changes < 240);
  // Another seed: other ids, another order.
  SheetKey reseeded = key_of({"p", "q"});
  reseeded.seed = 2;
  const Sheet again = make_sheet(sampling(), reseeded, {sentences(first), sentences(second)});
  CHECK(again.items.front().id != mixed.items.front().id);
  CHECK(again.items.front().texts != mixed.items.front().texts);
}

TEST_CASE("Ids are opaque and not numbers for a spreadsheet", "[rating]") {
  std::set<std::string> ids;
  for (const auto& item : small_sheet().items) {
    CHECK(item.id.size() == 13);
    CHECK(item.id[0] == 'i');
    ids.insert(item.id);
  }
  CHECK(ids.size() == 9);
}

TEST_CASE("The same sentences of every row are chosen", "[rating]") {
  const auto chosen = chosen_indices(1000, 200, 3);
  CHECK(chosen.size() == 200);
  CHECK(std::set<int64_t>(chosen.begin(), chosen.end()).size() == 200);
  CHECK(std::all_of(chosen.begin(), chosen.end(), [](int64_t i) { return i >= 0 && i < 1000; }));
  CHECK(chosen == chosen_indices(1000, 200, 3));
  CHECK(chosen != chosen_indices(1000, 200, 4));
  const auto fewer = chosen_indices(1000, 20, 3);  // the first ones of the same permutation
  CHECK(std::equal(fewer.begin(), fewer.end(), chosen.begin()));
  CHECK(chosen_indices(5, 200, 3).size() == 5);
}

TEST_CASE("An item applies to all sentences with its text", "[rating]") {
  const Sheet sheet = make_sheet(sampling(), key_of({"model", "real"}),
                                 {sentences({"same", "same", "same", "own"}), sentences({"same"})});
  CHECK(sheet.items.size() == 2);
  Ratings ratings;
  for (const auto& [rater, same, own] : {std::tuple("x", 5, 1), {"y", 4, 1}, {"z", 4, 2}}) {
    ratings[id_of(sheet, "same")][rater] = {same};
    ratings[id_of(sheet, "own")][rater] = {own};
  }
  const RatingSummary summary = summarize(ratings, sampling(), sheet.key);
  CHECK(value_in(summary, "model", "fluency", "fluency") == Approx((3 * 4 + 1) / 4.0));
  CHECK(summary.scores.at("model").at("fluency").sentences == 4);
  CHECK(value_in(summary, "real", "fluency", "fluency") == 4);
  CHECK_FALSE(summary.scores.at("real").at("fluency").measures.at("fluency").interval);
  CHECK(summary.rated == 2);
}

TEST_CASE("A filled sheet is read: TSV, CSV, and from the key's file", "[rating]") {
  const TemporaryFolder folder;
  SheetKey key = key_of({"model"}, "reconstruction");
  std::vector<RatedSentence> rows = {{0, {"source\\one", "tab\there \"quoted\""}},
                                     {1, {"two, with a comma", "line\nend"}},
                                     {2, {"\" open quote", ""}}};
  const Sheet sheet = make_sheet(reconstruction(), key, {rows});
  for (const bool csv : {false, true}) {
    // As a rater does: fills in the fields after the texts.
    const std::string separator = csv ? "," : "\t";
    std::string text = csv ? sheet_csv(sheet) : sheet_tsv(sheet);
    CHECK(text.starts_with(
        join({"item_id", "source", "text", "fluency", "relevance", "rater_id", "comment"},
             separator) +
        "\n"));
    const std::string blank = separator + separator + separator + separator + "\n";
    for (int filled = 0; filled < 2; ++filled) {
      const size_t at = text.find(blank);
      text.replace(at, blank.size(),
                   separator + std::to_string(4 - filled) + separator + "2" + separator + "ann" +
                       separator + "a comment\n");
    }
    const Ratings ratings = read(written(folder, csv ? "a.csv" : "a.tsv", text), sheet);
    REQUIRE(ratings.size() == 2);  // the third row has no answer
    CHECK(ratings.at(sheet.items[0].id).at("ann") == std::vector{4, 2});
    CHECK(ratings.at(sheet.items[1].id).at("ann") == std::vector{3, 2});
  }
  const auto file = written(folder, "key.json", to_json(sheet.key).dump(1));
  const SheetKey back = read_sheet_key(file.string());
  CHECK(to_json(back) == to_json(sheet.key));
  CHECK_THROWS_AS(read_sheet_key(written(folder, "no.json", "{}").string()), DataError);
  CHECK_THROWS_AS(read_sheet_key((folder / "none.json").string()), MissingError);
}

TEST_CASE("Texts and raters that a spreadsheet would evaluate as formulas", "[rating]") {
  const TemporaryFolder folder;
  const Sheet sheet = make_sheet(sampling(), key_of({"model_one"}),
                                 {sentences({"=HYPERLINK(\"x\")", "+1 a", "-5", "@a", "- b"})});
  const std::string csv = sheet_csv(sheet);
  const std::string tsv = sheet_tsv(sheet);
  CHECK(csv.find(",\"'=HYPERLINK(\"\"x\"\")\",") != std::string::npos);
  CHECK(tsv.find("\t'=HYPERLINK(\"x\")\t") != std::string::npos);
  for (const char* text : {"'+1 a", ",-5,", "'@a", "'- b"})
    CHECK(csv.find(text) != std::string::npos);
  const std::string id = sheet.items.front().id;
  const auto answers =
      written(folder, "a.csv", "item_id,rater_id,fluency\n" + id + ",'=ann,4\n" + id + ",-bob,2\n");
  const Ratings ratings = read_answers(std::vector{answers}, sheet.kind, sheet.key);
  CHECK(ratings.at(id).contains("=ann"));
  CHECK(ratings.at(id).contains("-bob"));
}

TEST_CASE("Wide answers", "[rating]") {
  const TemporaryFolder folder;
  const Sheet sheet = small_sheet();
  const std::string a = id_of(sheet, "a"), b = id_of(sheet, "b");
  const Ratings ratings =
      read(written(folder, "wide.csv",
                   "\xEF\xBB\xBFitem_id;r1;r2;r3\r\n" + a + ";5;4;4\r\n" + b + ";1;;3\r\n"),
           sheet);
  CHECK(ratings.at(a) ==
        std::map<std::string, std::vector<int>>{{"r1", {5}}, {"r2", {4}}, {"r3", {4}}});
  CHECK(ratings.at(b) == std::map<std::string, std::vector<int>>{{"r1", {1}}, {"r3", {3}}});
  CHECK(summarize(ratings, sampling(), sheet.key).other_counts == 1);
  const Sheet pairs = make_sheet(reconstruction(), key_of({"model"}, "reconstruction"),
                                 {{{0, {"source", "text"}}}});
  const Ratings both =
      read(written(folder, "pairs.tsv",
                   "item_id\trelevance_r1\tfluency_r1\trelevance_r2\tfluency_r2\n" +
                       pairs.items[0].id + "\t1\t2\t3\t4\n"),
           pairs);
  CHECK(both.at(pairs.items[0].id).at("r1") == std::vector{2, 1});  // fluency, relevance
  CHECK(both.at(pairs.items[0].id).at("r2") == std::vector{4, 3});
}

TEST_CASE("All errors of answers are reported with file and line", "[rating]") {
  const TemporaryFolder folder;
  const Sheet sheet = small_sheet();
  const std::string a = id_of(sheet, "a"), b = id_of(sheet, "b");
  const auto first = written(folder, "first.csv",
                             "item_id,rater_id,fluency,comment\n" + a + ",ann,6,\n" + b +
                                 ",ann,2.5,\"two\nlines\"\nnone,ann,3,\n" + a + ",,3,\n" + a +
                                 ",bob,3,\n" + b + ",bob,,\n");
  const auto second = written(folder, "second.csv", "item_id,rater_id,fluency\n" + a + ",bob,4\n");
  const auto third = written(folder, "third.csv", "item,rater_id,fluenty\n" + a + ",bob,4\n");
  const std::string text = mistakes_of({first, second, third}, sheet);
  const std::string location = "'" + first.string() + "', line ";
  CHECK(contains(text, location + "2: fluency is '6'; allowed are whole numbers from 1 to 5"));
  CHECK(contains(text, location + "3: fluency is '2.5'"));
  CHECK(contains(text, location + "5: the sheet has no item 'none'"));  // the comment has two lines
  CHECK(contains(text, location + "6: rater_id is empty"));
  CHECK(contains(text, "'" + second.string() +
                           "', line 2: the rater 'bob' already rated the item " + a + " in " +
                           location + "7"));
  CHECK(contains(text, "'" + third.string() + "', line 1: no column item_id"));
  CHECK(contains(text, "'" + third.string() + "', line 1: no column for each of fluency"));
  CHECK(contains(text, "7 mistakes; nothing was imported."));
  const Sheet pairs = make_sheet(reconstruction(), key_of({"model"}, "reconstruction"),
                                 {{{0, {"source", "text"}}}});
  const auto half = written(
      folder, "half.csv", "item_id,rater_id,fluency,relevance\n" + pairs.items[0].id + ",ann,3,\n");
  CHECK(contains(mistakes_of({half}, pairs), "relevance is empty; allowed are"));
  std::string many = "item_id,rater_id,fluency\n";
  for (int i = 0; i < 30; ++i) many += a + ",rater" + std::to_string(i) + ",9\n";
  CHECK(contains(mistakes_of({written(folder, "many.csv", many)}, sheet),
                 "and 10 more\n30 mistakes"));
}

TEST_CASE("Imports are cumulative: nothing of an earlier one is lost or changed unless requested",
          "[rating]") {
  const TemporaryFolder folder;
  const Sheet sheet = small_sheet();
  const std::string a = id_of(sheet, "a"), b = id_of(sheet, "b");
  const std::string head = "item_id,rater_id,fluency\n";
  const Ratings first =
      read(written(folder, "1.csv", head + a + ",ann,4\n" + b + ",ann,2\n"), sheet);
  const auto kept = written(folder, "answers.json", to_json(first, sampling()).dump(1));
  const Ratings earlier = read_ratings(kept, sampling(), sheet.key);
  CHECK(earlier == first);
  const auto import = [&](const std::string& rows, bool replace) {
    return read_answers(std::vector{written(folder, "2.csv", head + rows)}, sampling(), sheet.key,
                        earlier, replace);
  };
  const std::string changed = a + ",bob,5\n" + b + ",ann,3\n";
  const Ratings both = import(a + ",bob,5\n" + b + ",ann,2\n", false);
  CHECK(both.at(a) == std::map<std::string, std::vector<int>>{{"ann", {4}}, {"bob", {5}}});
  CHECK(both.at(b) == std::map<std::string, std::vector<int>>{{"ann", {2}}});
  const std::string refused = message_of([&] { import(changed, false); });
  CHECK(contains(refused, "2.csv', line 3: the rater 'ann' rated the item " + b +
                              " differently in an earlier import (fluency 2, here fluency 3)"));
  CHECK(contains(refused, "--replace"));
  CHECK(contains(refused, "nothing was imported."));
  CHECK(import(changed, true).at(b).at("ann") == std::vector{3});
  CHECK(import(changed, true).at(a).at("ann") == std::vector{4});
  CHECK_THROWS_AS(import("", false), DataError);
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"\"fluency\": 4", "\"fluency\": 6"},
        {a, "i000000000000"},
        {"sampling", "reconstruction"},
        {"}", ""}}) {
    std::string text = read_file(kept);
    text.replace(text.find(from), from.size(), to);
    const auto damaged = written(folder, "damaged.json", text);
    CHECK(contains(message_of([&] { read_ratings(damaged, sampling(), sheet.key); }),
                   "damaged.json': "));
  }
}

TEST_CASE("Malformed tables", "[rating]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_delimited(folder / "none.csv"), MissingError);
  CHECK_THROWS_AS(read_delimited(written(folder, "empty.csv", "\n \n")), DataError);
  CHECK_THROWS_AS(read_delimited(written(folder, "open.csv", "a,b\n1,\"2\n")), DataError);
  CHECK_THROWS_AS(read_delimited(written(folder, "after.csv", "a,b\n1,\"2\"3\n")), DataError);
  CHECK_THROWS_AS(read_delimited(written(folder, "bytes.csv", "a,b\n1,\xFF\n")), DataError);
  const auto table = read_delimited(written(folder, "good.csv", "a, b\n\n\"x\"\"y\",2\n,\n3,4"));
  CHECK(table.header == std::vector<std::string>{"a", "b"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].fields == std::vector<std::string>{"x\"y", "2"});
  CHECK(table.rows[0].line == 3);
  CHECK(table.rows[1].line == 5);
}

TEST_CASE("The form is one page without external resources or requests", "[rating]") {
  const std::string page = sheet_form(small_sheet());
  CHECK_FALSE(contains(page, "http:"));
  CHECK_FALSE(contains(page, "https:"));
  CHECK(contains(page, "default-src 'none'"));
  CHECK(contains(page, "prefers-color-scheme:dark"));
  CHECK_FALSE(contains(page, "<script>alert"));  // texts cannot close or open a script
  CHECK(contains(page, "\\u003cscript>alert(1)\\u003c/script>"));
  for (const auto& item : small_sheet().items) CHECK(contains(page, "\"" + item.id + "\""));
  for (int value = 1; value <= 5; ++value) {
    CHECK(contains(page, "name=\"fluency\" value=\"" + std::to_string(value) + "\""));
  }
  const Sheet broken = make_sheet(sampling(), key_of({"m"}), {sentences({"not \xFF UTF-8"})});
  CHECK(contains(sheet_form(broken), "not \xEF\xBF\xBD UTF-8"));
}

TEST_CASE(
    "The table: real data first, then by the kind's aspect, unrated rows in the paper's order",
    "[rating]") {
  const Sheet sheet = make_sheet(reconstruction(), key_of({"low", "high"}, "reconstruction"),
                                 {{{0, {"s", "l"}}}, {{0, {"s", "h"}}}});
  Ratings ratings;
  for (const char* rater : {"x", "y", "z"}) {
    ratings[id_of(sheet, "l")][rater] = {5, 2};
    ratings[id_of(sheet, "h")][rater] = {1, 4};
  }
  const RatingSummary summary = summarize(ratings, reconstruction(), sheet.key);
  const std::vector<RatingRow> rows = {{"low", "Low", false, ""},
                                       {"later", "Later", false, "not run"},
                                       {"last", "Last", false, ""},
                                       {"high", "High", false, ""},
                                       {"real", "Real", true, "no reconstructions"}};
  const PaperRatings paper = {{"real", {{"fluency", 4.5}}},
                              {"last", {{"relevance", 1.5}}},
                              {"later", {{"relevance", 4.5}}}};
  const Table table = rating_table(reconstruction(), summary, rows, paper);
  std::vector<std::string> order;
  for (const auto& row : table.rows) order.push_back(row.id);
  CHECK(order == std::vector<std::string>{"real", "high", "low", "later", "last"});
  CHECK(table.columns.front().id == "relevance");
  CHECK(table.cell("high", "relevance").value == 4.0);
  CHECK(table.cell("high", "fluency").value == 1.0);
  CHECK(table.cell("high", "fluency_majority").value == 1.0);
  CHECK(table.cell("high", "fluency_sentences").value == 1.0);
  CHECK(table.cell("real", "fluency").paper == 4.5);
  CHECK_FALSE(table.cell("later", "relevance").value);
  CHECK(row_reason(table, 3) == "not run");
  CHECK(table.cell("last", "relevance").reason == "not rated");
  const Table unrated = rating_table(reconstruction(), {}, rows, paper);
  CHECK(unrated.columns.size() == 2);
  CHECK(unrated.rows[1].id == "later");
  CHECK(row_reason(unrated, 2).empty());
}

TEST_CASE("A written summary is read back", "[rating]") {
  const TemporaryFolder folder;
  const Sheet sheet = small_sheet();
  Ratings ratings;
  ratings[id_of(sheet, "a")] = {{"x", {3}}, {"y", {5}}};
  ratings[id_of(sheet, "shared text")] = {{"x", {2}}, {"y", {2}}, {"z", {1}}};
  const RatingSummary summary = summarize(ratings, sampling(), sheet.key);
  CHECK(summary.other_counts == 1);
  const auto file = written(folder, "ratings.json", to_json(summary).dump(1));
  CHECK(to_json(read_rating_summary(file)) == to_json(summary));
  CHECK(contains(rating_note(sampling(), summary),
                 "2 of 9 items rated by 3 raters, 1 of them not by exactly 3"));
  CHECK_THROWS_AS(read_rating_summary(written(folder, "no.json", "{\"schema\": \"x\"}")),
                  DataError);
  CHECK_THROWS_AS(read_rating_summary(written(folder, "bad.json", "[")), DataError);
}
