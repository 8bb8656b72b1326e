// Data sets derived from the records of another set.
#include "framework/core/sources/derived_data.h"

#include <set>

#include "framework/core/base/error.h"
#include "framework/core/options/yaml.h"
#include "tests/catch.h"

using namespace lvtext;
using SplitRecords = std::map<std::string, Records>;
using Texts = std::vector<std::string>;
using Indices = std::vector<int64_t>;

namespace {

DerivedDataOptions options_of(const std::string& yaml) {
  return parse_options_or_throw<DerivedDataOptions>(parse_yaml_or_throw(yaml));
}

/// Texts with a style and a source; the label is the first column.
SplitRecords reviews() {
  const Records none{{"style", "text", "from"}, {{"style", {"negative", "positive"}}}, {}};
  SplitRecords splits = {{"train", none}, {"valid", none}, {"test", none}};
  for (int i = 0; i < 10; ++i) {
    splits.at("train").rows.push_back({i % 3 == 0 ? "negative" : "positive",
                                       "text " + std::to_string(i), i < 5 ? "yelp" : "amazon"});
  }
  splits.at("valid").rows = {{"positive", "v0", "yelp"}, {"negative", "v1", "yelp"}};
  return splits;
}

/// Images of one byte with as many captions as their index.
SplitRecords images() {
  Records records{{"image", "captions"},
                  {},
                  {},
                  {{"image", {.kind = ColumnKind::kImage, .shape = {1, 1, 1}}},
                   {"captions", {.ragged = true}}}};
  for (int i = 0; i < 4; ++i) {
    Texts captions;
    for (int c = 0; c < i; ++c) captions.push_back(std::to_string(i) + "." + std::to_string(c));
    records.rows.push_back({ImageBytes({static_cast<uint8_t>(i)}), captions});
  }
  return {{"train", records}, {"valid", records}};
}

}  // namespace

TEST_CASE("derived data: records with a label, in their order", "[data]") {
  const auto derived = derive_records(reviews(), options_of("where: {style: negative}"), "yelp");
  const Records& train = derived.at("train");
  CHECK(train.parents == Indices{0, 3, 6, 9});
  CHECK(train.column("text") == Texts{"text 0", "text 3", "text 6", "text 9"});
  CHECK(train.fields == Texts{"style", "text", "from"});
  CHECK(train.labels.at("style").size() == 2);
  CHECK(derived.at("valid").parents == Indices{1});
  CHECK(derived.at("test").rows.empty());
}

TEST_CASE("derived data: the only text of selected columns is named text", "[data]") {
  SplitRecords rewrites = {
      {"train", {{"style", "source", "rewrite"}, {{"style", {"a", "b"}}}, {}}}};
  rewrites.at("train").rows = {{"a", "s0", "r0"}, {"b", "s1", "r1"}};
  const auto fields = [&](const std::string& options) {
    return derive_records(rewrites, options_of(options), "li").at("train").fields;
  };
  CHECK(fields("columns: [rewrite, style]") == Texts{"text", "style"});
  CHECK(fields("columns: [style, source]") == Texts{"style", "text"});
  CHECK(fields("columns: [source, rewrite]") == Texts{"source", "rewrite"});
  CHECK(fields("columns: [style]") == Texts{"style"});
  CHECK(fields("at_most: 1") == Texts{"style", "source", "rewrite"});
  const auto rewritten = derive_records(rewrites, options_of("columns: [rewrite, style]"), "li");
  CHECK(rewritten.at("train").column("text") == Texts{"r0", "r1"});
}

TEST_CASE("derived data: a random order that depends on the seed alone", "[data]") {
  const auto parents = [](const std::string& options) {
    return derive_records(reviews(), options_of(options), "yelp").at("train").parents;
  };
  const Indices all = parents("shuffle: 0");
  CHECK(all != Indices{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(std::set<int64_t>(all.begin(), all.end()).size() == 10);
  CHECK(parents("shuffle: 0") == all);
  CHECK(parents("shuffle: 1") != all);
  CHECK(parents("{shuffle: 0, at_most: 4}") == Indices(all.begin(), all.begin() + 4));
  // A condition selects from the same order.
  Indices negative;
  for (const int64_t i : all) {
    if (i % 3 == 0) negative.push_back(i);
  }
  CHECK(parents("{shuffle: 0, where: {style: negative}}") == negative);
}

TEST_CASE("derived data: a shuffled prefix has both styles in proportion", "[data]") {
  Records records{{"style", "text"}, {{"style", {"negative", "positive"}}}, {}};
  for (int i = 0; i < 4000; ++i) {
    records.rows.push_back({i < 1600 ? "negative" : "positive", "t" + std::to_string(i)});
  }
  const auto derived =
      derive_records({{"train", records}}, options_of("{shuffle: 3, at_most: 1000}"), "yelp");
  int64_t negative = 0;
  for (const int64_t parent : derived.at("train").parents) negative += parent < 1600;
  // Hypergeometric: mean 400, deviation 13.4.
  CHECK(negative > 400 - 5 * 13.4);
  CHECK(negative < 400 + 5 * 13.4);
}

TEST_CASE("derived data: several conditions, the first records of each split", "[data]") {
  const auto derived = derive_records(
      reviews(), options_of("{where: {style: positive, from: amazon}, at_most: 2}"), "yelp");
  CHECK(derived.at("train").parents == Indices{5, 7});
  CHECK(derived.at("valid").rows.empty());
  const auto first = derive_records(reviews(), options_of("at_most: 1"), "yelp");
  CHECK(first.at("train").column("text") == Texts{"text 0"});
  CHECK(first.at("valid").column("text") == Texts{"v0"});
  CHECK(derive_records(reviews(), {}, "yelp").at("train").rows == reviews().at("train").rows);
}

TEST_CASE("derived data: a record for each of several texts", "[data]") {
  const auto derived = derive_records(images(), options_of("flatten: captions"), "cxr");
  const Records& train = derived.at("train");
  CHECK(train.parents == Indices{1, 2, 2, 3, 3, 3});
  CHECK(train.column("captions") == Texts{"1.0", "2.0", "2.1", "3.0", "3.1", "3.2"});
  // Derived records refer to the pixels of their source records.
  const auto pixels = [&](size_t row) { return std::get<ImageBytes>(train.rows[row][0]).bytes(); };
  CHECK(pixels(2)[0] == 2);
  CHECK(pixels(1).data() == pixels(2).data());
  CHECK(train.types.size() == 1);
  CHECK(train.texts().size() == 6);
  const auto few = derive_records(
      images(), options_of("{flatten: captions, at_most: 4, columns: captions}"), "cxr");
  CHECK(few.at("valid").fields == Texts{"text"});
  CHECK(few.at("valid").rows == std::vector<Record>{{"1.0"}, {"2.0"}, {"2.1"}, {"3.0"}});
  CHECK(few.at("valid").types.empty());
  // Derived again: indices refer to the records of the source.
  const auto again = derive_records(derived, options_of("where: {captions: '3.1'}"), "captions");
  CHECK(again.at("train").parents == Indices{4});
}

TEST_CASE("derived data: described without their records", "[data]") {
  const Records all = describe_derived(reviews().at("train"), {}, "yelp");
  CHECK(all.fields == reviews().at("train").fields);
  CHECK(all.rows.empty());
  const Records text = describe_derived(
      images().at("train"), options_of("{flatten: captions, columns: captions}"), "cxr");
  CHECK(text.fields == Texts{"text"});
  CHECK(text.types.empty());
  CHECK(text.parents.empty());
  // A text of a condition is only known when the records are read.
  CHECK(describe_derived(reviews().at("train"), options_of("where: {from: imdb}"), "yelp")
            .rows.empty());
  CHECK_THROWS_WITH(describe_derived(reviews().at("train"), options_of("columns: name"), "yelp"),
                    Contains("columns: the data set 'yelp' has no column 'name'"));
}

TEST_CASE("derived data: missing columns and labels are named", "[data]") {
  const auto refused = [](const SplitRecords& from, const std::string& options, const char* why) {
    CHECK_THROWS_AS(derive_records(from, options_of(options), "yelp"), DataError);
    CHECK_THROWS_WITH(derive_records(from, options_of(options), "yelp"), Contains(why));
  };
  refused(reviews(), "where: {stile: negative}",
          "where.stile: the data set 'yelp' has no column 'stile'; did you mean 'style'? (all: "
          "style, text, from)");
  refused(reviews(), "where: {style: neutral}",
          "where.style: the data set 'yelp' has no label 'neutral' in 'style'; ");
  refused(reviews(), "where: {style: neutral}", "negative, positive");
  refused(reviews(), "where: {from: imdb}",
          "where.from: the data set 'yelp' has no record with 'imdb' in 'from'; the values are "
          "amazon, yelp");
  refused(reviews(), "where: {text: other}", "text 8, text 9 and 2 more");
  refused(reviews(), "flatten: text",
          "flatten: the data set 'yelp' has one value of 'text' in each record; no column has "
          "several texts");
  refused(reviews(), "columns: [text, name]", "columns: the data set 'yelp' has no column 'name'");
  refused(images(), "flatten: image", "columns with several texts: captions");
  refused(images(), "where: {captions: a}", "has texts in 'captions', not one text or label");
}
