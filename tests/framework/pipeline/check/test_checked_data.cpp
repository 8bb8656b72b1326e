// Data sets with their splits and columns.
#include "framework/pipeline/check/checked_data.h"

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const std::string kData = R"Y(lvtext: 1
recipe: p/data
data:
  all: {from: [news.train, cleaned.valid]}
  news: {set: embedded, tokenizer: words}
  cleaned: {set: embedded-reviews, fields: text}
  pairs: {set: embedded-pairs}
  premises: {from: pairs, columns: [premise]}
artifacts: {words: {fit: words, data: news.train, min_count: 1}}
rows: {a: {samples: news.test}}
)Y";

Recipe recipe_of(const std::string& text) {
  const TemporaryFolder folder;
  write_file_synced(folder / "r.yaml", text);
  return load_recipe({(folder / "r.yaml").string(), "", "", {}, {}});
}

}  // namespace

TEST_CASE("data: sets in the order of the file, with splits and columns", "[check]") {
  const Recipe recipe = recipe_of(kData);
  Errors errors;
  const DataSets sets(recipe.options, errors);
  CHECK(errors.empty());
  REQUIRE(sets.all().size() == 5);
  const CheckedData& all = sets.all()[0];
  CHECK(all.id == "all");
  CHECK(all.splits == std::vector<std::string>{"train"});
  REQUIRE(all.from.size() == 2);
  CHECK(all.from[1].set == "cleaned");
  CHECK(all.from[1].split == "valid");
  const CheckedData& news = sets.all()[1];
  CHECK(news.tokenizer == "words");
  CHECK(news.has_split("reverse"));
  CHECK(sets.all()[2].tokenizer.empty());
  using Part = std::pair<std::string, std::string>;
  CHECK((sets.split_and_column(news, "train.text") == Part{"train", "text"}));
  CHECK((sets.split_and_column(news, "text") == Part{"", "text"}));
  CHECK((sets.split_and_column(news, "tset") == Part{"", ""}));
  CHECK((sets.split_and_column(all, "text") == Part{"train", "text"}));
  CHECK(sets.name(news) == "the data set 'embedded'");
  CHECK(sets.name(all) == "the data set 'all'");
  CHECK(sets.columns(sets.all()[4]) == std::vector<std::string>{"text"});
  CHECK(sets.ambiguity() ==
        "the recipe has several data sets; specify one of all, news, cleaned, pairs, premises");
}

TEST_CASE("data: errors", "[check]") {
  const auto wrong = [](const std::string& from, const std::string& to) {
    const Recipe recipe = recipe_of(replaced(kData, from, to));
    Errors errors;
    const DataSets sets(recipe.options, errors);
    return errors.empty() ? std::string("accepted") : errors.report();
  };
  CHECK_THAT(wrong("[premise]", "[premis]"),
             Contains("data.premises.columns: pairs has no column 'premis'") &&
                 Contains("did you mean 'premise'?"));
  CHECK_THAT(wrong("columns: [premise]", "where: {lable: neutral}"),
             Contains("data.premises.where: pairs has no column 'lable'"));
  CHECK_THAT(wrong("from: pairs", "from: premises"),
             Contains("data.premises.from: the data sets are derived from each other in a cycle"));
  CHECK_THAT(wrong("set: embedded-pairs", "set: embedded-pears"),
             Contains("unknown data set 'embedded-pears'") && Contains("'embedded-pairs'"));
}
