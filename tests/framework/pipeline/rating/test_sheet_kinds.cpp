// Kinds of sheets: the questions and the numbers of their papers.
#include <cmath>

#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/rating/rating_table.h"
#include "framework/pipeline/rating/sheet_form.h"
#include "tests/framework/pipeline/rating/sheets_of_tests.h"

using namespace lvtext;

namespace {

Picture gray_picture(uint8_t value) {
  return {2, 3, std::vector<uint8_t>(18, value)};
}

/// 25 rated pictures of each of the sources of Table 3 of Spinks and Moens 2018; `answers` adds the
/// answers of one rater.
Sheet published_sheet(Ratings& answers) {
  struct Counts {
    std::string row;
    int c, n;
  };
  const std::vector<Counts> printed = {
      {"real", 20, 1}, {"w2v_sum", 15, 4}, {"w2v_concat", 12, 8}, {"ae", 8, 8}, {"arae", 11, 7}};
  const SheetKind kind = kind_named("congruence");
  SheetKey key = key_of({"real", "w2v_sum", "w2v_concat", "ae", "arae"}, "congruence");
  std::vector<std::vector<RatedSentence>> items;
  std::map<std::string, Picture> pictures;
  std::map<std::string, std::vector<int>> by_name;
  for (size_t row = 0; row < printed.size(); ++row) {
    auto& of_row = items.emplace_back();
    for (int i = 0; i < 25; ++i) {
      const Picture picture = gray_picture(static_cast<uint8_t>(row * 25 + i));
      const std::string name = picture_name(picture);
      pictures.emplace(name, picture);
      of_row.push_back({i, {"caption " + std::to_string(i), name}});
      const int answer = i < printed[row].c ? 1 : i < printed[row].c + printed[row].n ? 2 : 3;
      by_name[name] = {answer, 2};
    }
  }
  pictures.emplace("unused.png", gray_picture(255));
  Sheet sheet = make_sheet(kind, std::move(key), items, pictures);
  for (const RatedItem& item : sheet.items) {
    answers[item.id]["clinician"] = by_name.at(item.texts[1]);
  }
  return sheet;
}

}  // namespace

TEST_CASE("congruence sheet: the published counts, their ratios and Wilson's intervals",
          "[rating]") {
  Ratings answers;
  const Sheet sheet = published_sheet(answers);
  REQUIRE(sheet.items.size() == 125);
  const RatingSummary summary = summarize(answers, sheet.kind, sheet.key);
  const TemporaryFolder folder;
  const RatingSummary read =
      read_rating_summary(written(folder, "ratings.json", to_json(summary).dump()));
  struct Printed {
    std::string row;
    double c, n, u, ratio, share;
  };
  for (const RatingSummary* each : {&summary, &read}) {
    for (const Printed& row :
         {Printed{"real", 20, 1, 4, 20, 0.952381}, Printed{"w2v_sum", 15, 4, 6, 3.75, 0.789474},
          Printed{"w2v_concat", 12, 8, 5, 1.5, 0.6}, Printed{"ae", 8, 8, 9, 1, 0.5},
          Printed{"arae", 11, 7, 7, 1.57, 0.611111}}) {
      INFO(row.row);
      const auto value = [&](const std::string& measure) {
        return value_in(*each, row.row, "congruence", "congruence_" + measure);
      };
      CHECK(value("c_count") == row.c);
      CHECK(value("n_count") == row.n);
      CHECK(value("u_count") == row.u);
      CHECK(value("ratio") == Approx(row.ratio).margin(0.0015));
      CHECK(value("share") == Approx(row.share).margin(5e-7));
      CHECK(value_in(*each, row.row, "generated", "generated_no") == 100);
    }
    // Wilson's interval of 15 of 19, computed independently.
    const auto& share = each->scores.at("w2v_sum").at("congruence").measures.at("congruence_share");
    REQUIRE(share.interval);
    CHECK(share.interval->lo == Approx(0.566657).margin(1e-6));
    CHECK(share.interval->hi == Approx(0.914923).margin(1e-6));
  }
  const Table table = rating_table(sheet.kind, summary,
                                   {{"real", "Ground truth", true, ""}, {"ae", "AE", false, ""}},
                                   {{"ae", {{"congruence_ratio", 1}}}});
  CHECK(*table.cell("real", "congruence_ratio").value == 20);
  CHECK(table.cell("ae", "congruence_ratio").paper == 1);
  CHECK(contains(rating_note(sheet.kind, summary), "Wilson's intervals"));
}

TEST_CASE("congruence sheet: a ratio to no answer is undefined, with the counts", "[rating]") {
  Ratings answers;
  const Sheet sheet = published_sheet(answers);
  for (auto& [item, by_rater] : answers) {
    if (by_rater["clinician"][0] == 2) by_rater["clinician"][0] = 1;
  }
  const RatingSummary summary = summarize(answers, sheet.kind, sheet.key);
  const TemporaryFolder folder;
  const RatingSummary read =
      read_rating_summary(written(folder, "ratings.json", to_json(summary).dump()));
  const auto& ratio = read.scores.at("ae").at("congruence").measures.at("congruence_ratio");
  CHECK(std::isnan(ratio.value));
  CHECK(ratio.reason == "undefined: 16/0");
  const Table table = rating_table(sheet.kind, read, {{"ae", "AE", false, ""}}, {});
  CHECK_FALSE(table.cell("ae", "congruence_ratio").value);
  CHECK(table.cell("ae", "congruence_ratio").reason == "undefined: 16/0");
  CHECK(*table.cell("ae", "congruence_share").value == 1);
}

TEST_CASE("congruence sheet: pictures in the form, and files named by their hash", "[rating]") {
  Ratings answers;
  const Sheet sheet = published_sheet(answers);
  CHECK(sheet.pictures.size() == 125);  // without those of no item
  const std::string name = picture_name(gray_picture(7));
  REQUIRE(sheet.pictures.contains(name));
  CHECK(name == sha256(png_of(gray_picture(7))) + ".png");
  const std::string page = sheet_form(sheet);
  CHECK(contains(page, "<img class=\"picture\" id=\"text-image\""));
  CHECK(contains(page, "<p class=\"text\" id=\"text-captions\""));
  CHECK(contains(page, "\"" + name + "\":\"" + png_link(gray_picture(7)) + "\""));
  CHECK(contains(page, "img-src data:"));
  CHECK(contains(page, "not congruent"));
  CHECK(contains(sheet_csv(sheet), name));
  CHECK_FALSE(contains(page, "w2v_sum"));
  // Answers in upper case, as the paper prints them.
  const TemporaryFolder folder;
  const std::string id = sheet.items.front().id;
  const Ratings read = read_answers(
      std::vector{
          written(folder, "a.csv", "item_id,rater_id,congruence,generated\n" + id + ",x,N,no\n")},
      sheet.kind, sheet.key);
  CHECK(read.at(id).at("x") == std::vector{2, 2});
}

TEST_CASE("Sheets of stories and dialogues have the paper's questions and are read back",
          "[rating]") {
  // Martins, Marinho and Martins 2020, Tables 6 and 9.
  struct Expected {
    std::string kind;
    std::vector<std::string> shown, aspects, questions;
    int64_t each = 0;
    size_t raters = 0;
  };
  const std::vector<Expected> all = {
      {"story_ratings",
       {"context", "continuation"},
       {"fluency", "coherence", "engagement"},
       {"How well is the continuation written?",
        "How well does the continuation fit the beginning and itself?",
        "Would you like to read on?"},
       100,
       5},
      {"dialogue_ratings",
       {"personas", "conversation"},
       {"fluency", "consistency", "engagement"},
       {"How well are the utterances written?",
        "How well do the utterances fit what was said before and the persona of who says them?",
        "Would you like to take part?"},
       30,
       0}};
  for (const Expected& expected : all) {
    INFO(expected.kind);
    const SheetKind kind = kind_named(expected.kind);
    CHECK(kind.each == expected.each);
    CHECK(kind.raters == expected.raters);
    const Sheet sheet = make_sheet(
        kind, key_of({"greedy", "entmax"}, expected.kind),
        {{{0, {"first\nlines", "greedy,\nhi"}}}, {{0, {"first\nlines", "entmax,\nso"}}}});
    const std::string page = sheet_form(sheet);
    REQUIRE(kind.aspects.size() == 3);
    for (size_t i = 0; i < 3; ++i) {
      const Aspect& aspect = kind.aspects[i];
      CHECK(aspect.id == expected.aspects[i]);
      CHECK(aspect.scale() == "1 very poor, 5 very good");
      CHECK(aspect.allowed() == "whole numbers from 1 to 5");
      CHECK(contains(page, "id=\"aspect-" + expected.aspects[i] + "\"><legend>" +
                               expected.questions[i] + "</legend>"));
    }
    std::string csv = sheet_csv(sheet);
    CHECK(csv.starts_with("item_id," + join(expected.shown, ",") + "," +
                          join(expected.aspects, ",") + ",rater_id,comment\n"));
    const std::vector<int> of_entmax = {5, 4, 2}, of_greedy = {1, 2, 3};
    const std::string blank = ",,,,,\n";
    for (const RatedItem& item : sheet.items) {
      const bool is_entmax = item.texts.back().starts_with("entmax");
      const size_t at = csv.find(blank);
      REQUIRE(at != std::string::npos);
      csv.replace(at, blank.size(), is_entmax ? ",5,4,2,ann,\n" : ",1,2,3,ann,\n");
    }
    const TemporaryFolder folder;
    const Ratings ratings = read(written(folder, "a.csv", csv), sheet);
    CHECK(ratings.at(id_of(sheet, "entmax,\nso")).at("ann") == of_entmax);
    CHECK(ratings.at(id_of(sheet, "greedy,\nhi")).at("ann") == of_greedy);
    const RatingSummary summary = summarize(ratings, kind, sheet.key);
    for (size_t i = 0; i < 3; ++i) {
      const std::string& aspect = expected.aspects[i];
      CHECK(value_in(summary, "entmax", aspect, aspect) == of_entmax[i]);
      CHECK(value_in(summary, "greedy", aspect, aspect) == of_greedy[i]);
    }
    csv.replace(csv.find(",5,4,2,"), 7, ",5,6,2,");
    CHECK(contains(mistakes_of({written(folder, "b.csv", csv)}, sheet),
                   expected.aspects[1] + " is '6'; allowed are whole numbers from 1 to 5"));
  }
}
