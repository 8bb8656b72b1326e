// Sheets that compare two rows, choices instead of numbers, and published judgments. All ratings
// are made up.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/rating/answers.h"
#include "framework/pipeline/rating/kinds/register.h"
#include "framework/pipeline/rating/pairwise_judgments.h"
#include "framework/pipeline/rating/rated_examples.h"
#include "framework/pipeline/rating/rating_summary.h"
#include "framework/pipeline/rating/rating_table.h"
#include "framework/pipeline/rating/sheet.h"
#include "framework/pipeline/rating/sheet_form.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

using Json = nlohmann::ordered_json;

SheetKind kind_named(const std::string& name, const std::string& options = "{}") {
  static const Registries all = [] {
    Registries each;
    register_all_sheets(each);
    return each;
  }();
  return *all.sheets.get(name).configure(parse_yaml_or_throw(options)).sheet;
}

std::filesystem::path written(const TemporaryFolder& folder, const std::string& name,
                              const std::string& text) {
  write_file_atomic(folder / name, text);
  return folder / name;
}

SheetKey key_of_pair(const std::vector<size_t>& order = {0, 1}) {
  SheetKey key{.kind = "pairwise", .recipe = "tests/rating", .profile = "smoke", .seed = 1};
  key.rows = {{.id = "m0", .label = "M0", .identity = "x", .seed = {}},
              {.id = "m7", .label = "M7", .identity = "y", .seed = {}}};
  const std::vector<std::string> ids = {key.rows[order[0]].id, key.rows[order[1]].id};
  key.groups = {{group_id(ids), "M0 vs M7", order}};
  return key;
}

/// Original, text of m0 and text of m7.
std::vector<RatedSentence> pairs(size_t count) {
  std::vector<RatedSentence> all;
  for (size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    all.push_back(
        {static_cast<int64_t>(i), {"original " + number, "of m0 " + number, "of m7 " + number}});
  }
  return all;
}

/// A rater who answers every question for each item by the text of m0 (or m7, or a tie).
Ratings preferring(const Sheet& sheet, const std::string& row) {
  Ratings ratings;
  for (const RatedItem& item : sheet.items) {
    const std::string first = item.texts[1].substr(3, 2);
    const std::string answer = row == "tie" ? "tie" : row == first ? "a" : "b";
    for (const Aspect& aspect : sheet.kind.aspects) {
      ratings[item.id]["ann"].push_back(*aspect.answer_of(answer));
    }
  }
  return ratings;
}

double value_in(const RatingSummary& summary, const std::string& group, const std::string& aspect,
                const std::string& measure) {
  return summary.scores.at(group).at(aspect).measures.at(measure).value;
}

std::string judgment(const std::string& models, int style, int content, int fluency) {
  return "{\"ori_sent\": \"so rude .\", \"ori_style\": 0, " + models +
         ", \"sent1\": \"so nice .\", \"sent2\": \"so \\\"NaN\\\" .\", \"style_better\": " +
         std::to_string(style) + ", \"content_better\": " + std::to_string(content) +
         ", \"lang_better\": " + std::to_string(fluency) + "}\n";
}

}  // namespace

TEST_CASE("comparison: the texts of a row are on both sides, in an order that only depends on them",
          "[rating]") {
  const Sheet sheet = make_sheet(kind_named("pairwise"), key_of_pair(), {pairs(400)});
  REQUIRE(sheet.items.size() == 400);
  CHECK(sheet.kind.columns() == std::vector<std::string>{"original", "a", "b"});
  CHECK(sheet_tsv(sheet).starts_with(
      "item_id\toriginal\ta\tb\tstyle\tcontent\tfluency\trater_id\tcomment\n"));
  int64_t first = 0;
  for (const auto& [id, item] : sheet.key.items) {
    REQUIRE(item.sources.size() == 1);
    const ItemSource& source = item.sources.front();
    const size_t shown = source.order.front();
    first += shown == 0 ? 1 : 0;
    const std::string number = std::to_string(source.index);
    CHECK(item.texts[0] == "original " + number);
    CHECK(item.texts[1] == (shown == 0 ? "of m0 " : "of m7 ") + number);
    CHECK(item.texts[2] == (shown == 0 ? "of m7 " : "of m0 ") + number);
  }
  CHECK(first > 160);  // 200 expected, standard deviation 10
  CHECK(first < 240);
  // The other order of the rows gives the same sheet.
  std::vector<RatedSentence> reversed = pairs(400);
  for (RatedSentence& each : reversed) std::swap(each.texts[1], each.texts[2]);
  const Sheet other = make_sheet(kind_named("pairwise"), key_of_pair({1, 0}), {reversed});
  CHECK(sheet_tsv(other) == sheet_tsv(sheet));
  CHECK(sheet_form(other) == sheet_form(sheet));
  SheetKey reseeded = key_of_pair();
  reseeded.seed = 2;
  const Sheet again = make_sheet(kind_named("pairwise"), reseeded, {pairs(400)});
  int64_t changed = 0;
  std::map<std::string, std::string> shown_first;
  for (const RatedItem& item : sheet.items) shown_first[item.texts[0]] = item.texts[1];
  for (const RatedItem& item : again.items) {
    changed += shown_first.at(item.texts[0]) != item.texts[1] ? 1 : 0;
  }
  CHECK(changed > 150);
  // The key is read back.
  const TemporaryFolder folder;
  const SheetKey back =
      read_sheet_key(written(folder, "key.json", to_json(sheet.key).dump(1)).string());
  CHECK(to_json(back) == to_json(sheet.key));
}

TEST_CASE("comparison: answers are counted for the rows, not for the sides", "[rating]") {
  const SheetKind kind = kind_named("pairwise");
  const Sheet sheet = make_sheet(kind, key_of_pair(), {pairs(40)});
  for (const std::string row : {"m0", "m7", "tie"}) {
    const RatingSummary summary = summarize(preferring(sheet, row), kind, sheet.key);
    for (const std::string aspect : {"style", "content", "fluency"}) {
      const auto percent = [&](const std::string& choice) {
        return value_in(summary, "m0_vs_m7", aspect, aspect + "_" + choice);
      };
      CHECK(percent("a") == (row == "m0" ? 100 : 0));
      CHECK(percent("b") == (row == "m7" ? 100 : 0));
      CHECK(percent("tie") == (row == "tie" ? 100 : 0));
      CHECK(percent("lead") == (row == "m0" ? 100 : row == "m7" ? -100 : 0));
      const RatingDifference& difference = summary.differences.at(aspect).front();
      CHECK(difference.mean == percent("lead"));
      CHECK(difference.test.has_value() == (row != "tie"));
      // 40 equal differences: z = (40 x 41 / 4) / sqrt(40 x 41 x 81 / 24 - (40^3 - 40) / 48).
      if (row != "tie") CHECK(difference.test->p == Approx(std::erfc(std::sqrt(40 / 2.0))));
    }
  }
  // A key whose first row is m7 exchanges a and b.
  std::vector<RatedSentence> reversed = pairs(40);
  for (RatedSentence& each : reversed) std::swap(each.texts[1], each.texts[2]);
  const Sheet other = make_sheet(kind, key_of_pair({1, 0}), {reversed});
  CHECK(value_in(summarize(preferring(other, "m7"), kind, other.key), "m7_vs_m0", "style",
                 "style_a") == 100);
}

TEST_CASE("comparison: several raters, records and table", "[rating]") {
  const SheetKind kind = kind_named("pairwise");
  const Sheet sheet = make_sheet(kind, key_of_pair(), {pairs(2)});
  Ratings ratings = preferring(sheet, "m0");
  // On one item, two of three raters answer m7, and on the other one a second rater a tie.
  const std::string first = sheet.items[0].id, second = sheet.items[1].id;
  const Ratings for_m7 = preferring(sheet, "m7"), tied = preferring(sheet, "tie");
  ratings[first]["bob"] = ratings[first]["cyd"] = for_m7.at(first).at("ann");
  ratings[second]["bob"] = tied.at(second).at("ann");
  const RatingSummary summary = summarize(ratings, kind, sheet.key);
  CHECK(value_in(summary, "m0_vs_m7", "style", "style_a") == Approx((100.0 / 3 + 50) / 2));
  CHECK(value_in(summary, "m0_vs_m7", "style", "style_b") == Approx((200.0 / 3 + 0) / 2));
  CHECK(value_in(summary, "m0_vs_m7", "style", "style_tie") == Approx(25));
  CHECK_FALSE(summary.scores.at("m0_vs_m7").at("style").mean_of_ratings);
  CHECK(summary.other_counts == 0);
  std::map<std::string, Json> records;
  for (const std::string& line : split(rated_records(ratings, kind, sheet.key), '\n')) {
    if (line.empty()) continue;
    const Json record = Json::parse(line);
    records[record.at("original")] = record;
  }
  REQUIRE(records.size() == 2);
  const std::string original = sheet.items[0].texts[0];
  const Json& record = records.at(original);
  const std::string number = original.substr(original.size() - 1);
  CHECK(record.at("group") == "m0_vs_m7");
  CHECK(record.at("index") == std::stoi(number));
  CHECK(record.at("a") == "of m0 " + number);
  CHECK(record.at("b") == "of m7 " + number);
  CHECK(record.at("style") == "b");
  // One answer each.
  CHECK(records.at(sheet.items[1].texts[0]).at("style").get<std::string>().empty());
  const PaperRatings paper = {{"m0_vs_m7", {{"style_a", 9.6}}}};
  const Table table = rating_table(kind, summary, {{"m0_vs_m7", "M0 vs M7"}}, paper);
  CHECK(table.cell("m0_vs_m7", "style_a").paper == 9.6);
  CHECK(table.cell("m0_vs_m7", "style_b").value == Approx(100.0 / 3));
  CHECK(table.cell("m0_vs_m7", "style_sentences").value == 2);
  CHECK_THROWS(table.cell("m0_vs_m7", "style_mean"));
  CHECK(contains(rating_note(kind, summary), "a is the first of the compared rows"));
  const TemporaryFolder folder;
  CHECK(to_json(read_rating_summary(written(folder, "ratings.json", to_json(summary).dump(1)))) ==
        to_json(summary));
}

TEST_CASE("comparison: answers are names, in any case", "[rating]") {
  const TemporaryFolder folder;
  const SheetKind kind = kind_named("pairwise");
  const Sheet sheet = make_sheet(kind, key_of_pair(), {pairs(3)});
  const std::string head = "item_id,rater_id,style,content,fluency\n";
  const auto read = [&](const std::string& rows) {
    return read_answers(std::vector{written(folder, "a.csv", head + rows)}, kind, sheet.key);
  };
  const Ratings ratings = read(sheet.items[0].id + ",ann,A,tie,b\n");
  CHECK(ratings.at(sheet.items[0].id).at("ann") == std::vector{1, 3, 2});
  CHECK(contains(message_of([&] { read(sheet.items[0].id + ",ann,A,c,b\n"); }),
                 "content is 'c'; allowed are a, b, tie"));
  const auto kept = written(folder, "answers.json", to_json(ratings, kind).dump());
  CHECK(contains(read_file(kept), "\"content\":\"tie\""));
  CHECK(read_ratings(kept, kind, sheet.key) == ratings);
  // A preference has no tie.
  CHECK_FALSE(kind_named("preference").aspects.front().answer_of("tie"));
  const std::string form = sheet_form(sheet);
  CHECK(contains(form, "<span class=\"meaning\">tie</span>"));
  CHECK(contains(form, "\"choices\":[\"a\",\"b\",\"tie\"]"));
  CHECK(contains(form, "id=\"text-b\""));
}

TEST_CASE("style sheet: a forced choice between named styles", "[rating]") {
  const SheetKind kind = kind_named("style", "{styles: [old, modern]}");
  CHECK(kind.each == 25);
  SheetKey key{.kind = "style", .recipe = "r", .profile = "", .seed = 1};
  key.rows = {{.id = "m0", .label = "M0", .identity = "x", .seed = {}}};
  key.groups = {{"m0", "M0", {0}}};
  const Sheet sheet = make_sheet(kind, key, {{{0, {"thou art"}}, {1, {"hi"}}, {2, {"okay"}}}});
  Ratings ratings;
  for (const RatedItem& item : sheet.items) {
    ratings[item.id]["ann"] = {
        *kind.aspects[0].answer_of(item.texts[0] == "thou art" ? "old" : "modern")};
  }
  const RatingSummary summary = summarize(ratings, kind, sheet.key);
  CHECK(value_in(summary, "m0", "style", "style_old") == Approx(100.0 / 3));
  CHECK(value_in(summary, "m0", "style", "style_modern") == Approx(200.0 / 3));
  CHECK(summary.scores.at("m0").at("style").measures.size() == 2);
  CHECK(contains(rated_records(ratings, kind, sheet.key),
                 "{\"group\":\"m0\",\"index\":0,\"text\":\"thou art\",\"style\":\"old\"}\n"));
  for (const char* options : {"{styles: [old]}", "{styles: [old, old]}", "{styles: [Old, new]}"}) {
    CHECK(
        contains(message_of([&] { kind_named("style", options); }), "styles must be two or more"));
  }
}

TEST_CASE("content_fluency sheet: four levels, and examples before the items", "[rating]") {
  const TemporaryFolder folder;
  const SheetKind kind = kind_named("content_fluency");
  CHECK_FALSE(kind.aspect("content").answer_of("5"));
  CHECK(kind.aspect("content").answer_of("4") == 4);
  SheetKey key{.kind = "content_fluency", .recipe = "r", .profile = "", .seed = 1};
  key.rows = {{.id = "m0", .label = "M0", .identity = "x", .seed = {}}};
  key.groups = {{"m0", "M0", {0}}};
  const Sheet sheet = make_sheet(kind, key, {{{0, {"bad food", "good food"}}}});
  const std::string head = "level,original,text,content,fluency\n";
  const auto file = written(folder, "examples.csv",
                            head + "4,so rude .,<so kind .>,4,4\n1,so rude .,\"a , the\",1,1\n");
  const auto examples = read_examples(file, kind);
  REQUIRE(examples.size() == 2);
  CHECK(examples[1].texts == std::vector<std::string>{"so rude .", "a , the"});
  CHECK(examples[1].answers == std::vector{1, 1});
  const std::string form = sheet_form(sheet, examples);
  const size_t example = form.find("<td>&lt;so kind .&gt;</td>");
  CHECK(example < form.find("id=\"text-original\""));
  CHECK_FALSE(contains(sheet_form(sheet), "Examples"));
  CHECK(contains(
      message_of([&] { read_examples(written(folder, "b.csv", head + "4,x,y,5,4\n"), kind); }),
      "b.csv', line 2: content is '5'; allowed are whole numbers from 1 to 4"));
  CHECK(contains(message_of([&] {
                   read_examples(written(folder, "c.csv", "original,text,content\nx,y,1\n"), kind);
                 }),
                 "c.csv', line 1: no column fluency"));
}

TEST_CASE("judgments: the percentages of Table 4 of Pang and Gimpel 2019", "[rating]") {
  struct Count {
    int a, b, tie;
  };
  struct File {
    std::string group, models;
    int n;
    Count style, content, fluency;
    std::vector<double> percent;  ///< of a, b and tie for each of the three
  };
  const auto models = [](const std::string& a, const std::string& b) {
    return "\"model1\": \"" + a + "\", \"model2\": \"" + b + "\"";
  };
  const std::vector<File> files = {{"m0_vs_m2",
                                    models("m0", "m2"),
                                    134,
                                    {12, 8, 114},
                                    {2, 34, 98},
                                    {14, 32, 88},
                                    {9.0, 6.0, 85.1, 1.5, 25.4, 73.1, 10.4, 23.9, 65.7}},
                                   {"m0_vs_m7",
                                    models("m0", "m7"),
                                    198,
                                    {19, 29, 150},
                                    {5, 108, 85},
                                    {9, 78, 111},
                                    {9.6, 14.6, 75.8, 2.5, 54.5, 42.9, 4.5, 39.4, 56.1}},
                                   {"m6_vs_m7",
                                    models("m6", "m7"),
                                    146,
                                    {20, 17, 109},
                                    {23, 24, 99},
                                    {15, 29, 102},
                                    {13.7, 11.6, 74.7, 15.8, 16.4, 67.8, 10.3, 19.9, 69.9}},
                                   {"m2_vs_m7",
                                    models("m2", "m7"),
                                    171,
                                    {10, 16, 145},
                                    {10, 44, 117},
                                    {23, 36, 112},
                                    {5.8, 9.4, 84.8, 5.8, 25.7, 68.4, 13.5, 21.1, 65.5}}};
  const TemporaryFolder folder;
  std::vector<std::filesystem::path> paths;
  for (const File& file : files) {
    std::string lines;
    const auto answer = [](const Count& count, int i) {
      return i < count.a ? 1 : i < count.a + count.b ? 2 : -1;
    };
    for (int i = 0; i < file.n; ++i) {
      lines += judgment(file.models, answer(file.style, i), answer(file.content, i),
                        answer(file.fluency, i));
    }
    paths.push_back(written(folder, file.group + ".jsonl", lines));
  }
  const SheetKind kind = kind_named("pairwise");
  const PairwiseJudgments judgments = read_pairwise_judgments(paths, kind);
  const RatingSummary summary = summarize(judgments.ratings, kind, judgments.key);
  for (const File& file : files) {
    size_t at = 0;
    for (const std::string aspect : {"style", "content", "fluency"}) {
      CHECK(summary.scores.at(file.group).at(aspect).sentences == file.n);
      for (const char* choice : {"_a", "_b", "_tie"}) {
        CAPTURE(file.group, aspect, choice);
        const double value = value_in(summary, file.group, aspect, aspect + choice);
        CHECK(std::round(10 * value) / 10 == Approx(file.percent[at++]));
      }
    }
  }
}

TEST_CASE("judgments: order of the models, NaN and mistakes", "[rating]") {
  const TemporaryFolder folder;
  const SheetKind kind = kind_named("pairwise");
  const std::string forward = "\"model1\": \"m0\", \"model2\": \"m2\"";
  const std::string backward = "\"model1\": \"m2\", \"model2\": \"m0\"";
  std::string empty = judgment(forward, -1, -1, -1);
  empty.replace(empty.find("\"so nice .\""), 11, "NaN");
  const auto file = written(folder, "f.jsonl",
                            judgment(forward, 1, 2, -1) + judgment(backward, 1, 2, -1) + empty);
  const PairwiseJudgments judgments = read_pairwise_judgments(std::vector{file}, kind);
  REQUIRE(judgments.key.groups.size() == 1);
  CHECK(judgments.key.groups[0].id == "m0_vs_m2");
  const RatingSummary summary = summarize(judgments.ratings, kind, judgments.key);
  CHECK(value_in(summary, "m0_vs_m2", "style", "style_a") == Approx(100.0 / 3));
  CHECK(value_in(summary, "m0_vs_m2", "style", "style_b") == Approx(100.0 / 3));
  CHECK(value_in(summary, "m0_vs_m2", "fluency", "fluency_tie") == Approx(100));
  const std::string records = rated_records(judgments.ratings, kind, judgments.key);
  // A NaN within a text is text, a bare one is an empty text.
  CHECK(contains(records, "\"a\":\"so nice .\",\"b\":\"so \\\"NaN\\\" .\",\"style\":\"a\""));
  CHECK(contains(records, "\"a\":\"so \\\"NaN\\\" .\",\"b\":\"so nice .\",\"style\":\"b\""));
  CHECK(contains(records, "\"a\":\"\",\"b\":\"so \\\"NaN\\\" .\""));
  const auto mistake = [&](const std::string& text) {
    return message_of(
        [&] { read_pairwise_judgments(std::vector{written(folder, "bad.jsonl", text)}, kind); });
  };
  CHECK(contains(mistake(judgment(forward, 1, 1, 1) + judgment(forward, 1, 3, 1)),
                 "bad.jsonl', line 2: content_better is 3; allowed are 1, 2 and -1 (a tie)"));
  CHECK(contains(mistake("{\"model1\": \"m0\"}\n"), "line 1: key 'model2' not found"));
  CHECK(contains(mistake("{\n"), "line 1: invalid JSON"));
  CHECK(contains(mistake(judgment("\"model1\": \"m0\", \"model2\": \"m0\"", 1, 1, 1)),
                 "model1 and model2 are equal"));
  CHECK(contains(mistake("\n\n"), "has only empty lines"));
  CHECK_THROWS_AS(read_pairwise_judgments(std::vector{folder / "none.jsonl"}, kind), MissingError);
}
