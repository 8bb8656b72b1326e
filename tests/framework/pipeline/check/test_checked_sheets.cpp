// Rows, texts and paper numbers of rating sheets.
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const std::string kSheets = kTwoSizes + R"Y(evaluate:
  variety: {evaluator: diversity, samples: 10}
  length: {evaluator: diversity, score: length, samples: 10}
sheets:
  spoken: {kind: sampling, rows: ["vae[*]", real], each: 3, sources: [row.samples, data.test], paper: {real: {fluency: 4}}}
  better: {kind: pairwise, compare: [["vae[4]", "vae[2]"]], show: [data.test, samples]}
)Y";

}  // namespace

TEST_CASE("sheets: rated rows, compared rows, and the other kinds", "[check]") {
  const CheckedRecipe checked = check_text(kSheets);
  const CheckedSheet* spoken = find_entry(checked.sheets, "spoken");
  REQUIRE(spoken);
  CHECK(spoken->is_written);
  CHECK(spoken->rows == std::vector<std::string>{"vae[2]", "vae[4]", "real"});
  CHECK(spoken->compared.empty());
  CHECK(spoken->has_rows);
  REQUIRE(spoken->data.size() == 1);
  CHECK(spoken->data[0].first == "data.test");
  REQUIRE(spoken->data[0].second.size() == 1);
  REQUIRE(spoken->data[0].second[0].fillings.size() == 1);
  CHECK(std::get<KnownReference>(spoken->data[0].second[0].fillings[0]).part == "test");
  const CheckedSheet* better = find_entry(checked.sheets, "better");
  REQUIRE(better);
  CHECK(better->rows.empty());
  CHECK(better->compared == std::vector<std::vector<std::string>>{{"vae[4]", "vae[2]"}});
  REQUIRE(better->inputs.size() == 2);
  CHECK(better->inputs[0].decl.name == "data_test");
  CHECK(better->inputs[1].decl.name == "samples");
  const CheckedSheet* sampling = find_entry(checked.sheets, "sampling");
  REQUIRE(sampling);
  CHECK_FALSE(sampling->is_written);
  CHECK(sampling->rows.empty());
}

TEST_CASE("sheets: errors", "[check]") {
  const auto wrong = [](const std::string& from, const std::string& to) {
    return mistake(replaced(kSheets, from, to));
  };
  CHECK_THAT(wrong("{fluency: 4}", "{fluencx: 4}"),
             Contains("the rating sheet spoken has no column 'fluencx'") &&
                 Contains("did you mean 'fluency'?"));
  CHECK_THAT(wrong("\"vae[2]\"]]", "\"vae[2]\", real]]"),
             Contains("sheets.better.compare must list pairs of different rows"));
  CHECK_THAT(wrong("[row.samples, data.test]", "[row.reconstructions]"),
             Contains("sheets.spoken.sources: 'row.reconstructions' is not a text of the sheet"));
  CHECK_THAT(wrong("[data.test, samples]", "[comment, samples]"),
             Contains("sheets.better.show: the sheet already has a column 'comment'"));
}
