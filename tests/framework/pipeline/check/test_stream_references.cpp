// `data:` of a training: references, joined columns, parallel sides, streams.
#include "framework/pipeline/check/stream_references.h"

#include "framework/core/options/yaml.h"
#include "tests/catch.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

using Sides = std::vector<std::vector<std::string>>;

/// The references in a YAML text by stream.
std::map<std::string, Sides> sources_of(const std::string& text) {
  Errors errors;
  const auto references = read_stream_references(parse_yaml_or_throw(text, "test"), errors, "data");
  errors.throw_if_any();
  std::map<std::string, Sides> sources;
  for (const auto& [stream, sides] : references) {
    for (const auto& side : sides) {
      auto& texts = sources[stream].emplace_back();
      for (const Node& part : side) texts.push_back(part.text());
    }
  }
  return sources;
}

std::string mistakes_of(const std::string& text) {
  Errors errors;
  read_stream_references(parse_yaml_or_throw(text, "test"), errors, "data");
  return errors.empty() ? "" : errors.report();
}

std::string stream_mistakes(const std::string& text, const std::vector<StreamDecl>& declared) {
  Errors errors;
  const Node data = parse_yaml_or_throw(text, "test");
  const auto references = read_stream_references(data, errors, "data");
  check_streams(references, declared, data.location(), errors, "data");
  return errors.empty() ? "" : errors.report();
}

}  // namespace

TEST_CASE("stream references: a single source is the stream train", "[check]") {
  CHECK(sources_of("data.train") == std::map<std::string, Sides>{{"train", {{"data.train"}}}});
  CHECK(sources_of("[data.train, features.train]") ==
        std::map<std::string, Sides>{{"train", {{"data.train", "features.train"}}}});
  CHECK(sources_of("{zip: [data.train, data.reverse]}") ==
        std::map<std::string, Sides>{{"train", {{"data.train"}, {"data.reverse"}}}});
  CHECK(sources_of("{zip: [[a, b], c]}") ==
        std::map<std::string, Sides>{{"train", {{"a", "b"}, {"c"}}}});
}

TEST_CASE("stream references: streams by name", "[check]") {
  CHECK(sources_of("{train: {zip: [a, b]}, paraphrases: [c, d]}") ==
        std::map<std::string, Sides>{{"train", {{"a"}, {"b"}}}, {"paraphrases", {{"c", "d"}}}});
}

TEST_CASE("stream references: invalid sources are reported with their location", "[check]") {
  CHECK(contains(mistakes_of("{train: }"), "data.train: not a source"));
  CHECK(contains(mistakes_of("[]"), "data: not a source"));
  CHECK(contains(mistakes_of("{}"), "data: no streams"));
  CHECK(contains(mistakes_of("[a, [b]]"), "data: not a reference"));
  CHECK(contains(mistakes_of("{zip: [a]}"), "data.zip must be a list of at least two sources"));
  CHECK(contains(mistakes_of("{zip: a}"), "data.zip must be a list of at least two sources"));
  CHECK(contains(mistakes_of("{zip: [a, b], train: c}"), "data.train: unknown key"));
  CHECK(contains(mistakes_of("{zip: [a, {zip: [b, c]}]}"), "data.zip: not a source"));
  CHECK(contains(mistakes_of("{train: a, other: {zip: [b, ]}}"), "data.other.zip must be a list"));
  CHECK(contains(mistakes_of("{train: [a, {b: c}]}"), "test:1:13"));
}

TEST_CASE("stream references: all streams of a model have data, and no others", "[check]") {
  const std::vector<StreamDecl> declared = {
      {.name = "train"}, {.name = "captions"}, {.name = "again", .rows_of = "train"}};
  CHECK(stream_mistakes("{train: a, captions: b}", declared).empty());
  const std::string lacking = stream_mistakes("a", declared);
  CHECK(contains(lacking, "the model reads a stream 'captions', which has no data"));
  CHECK(contains(lacking, "add data.captions"));
  const std::string unknown = stream_mistakes("{train: a, captions: b, caption: c}", declared);
  CHECK(contains(unknown, "data: the model reads no stream 'caption'"));
  CHECK(contains(unknown, "did you mean 'captions'?"));
  CHECK(contains(stream_mistakes("{train: a, captions: b, again: c}", declared),
                 "the model reads no stream 'again'"));
}
