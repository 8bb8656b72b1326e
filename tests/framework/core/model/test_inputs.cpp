// Texts and models as inputs of components.
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/inputs.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

std::string letters(std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) text += static_cast<char>('a' + id);
  return text;
}

TokenIds locations(std::string_view text) {
  TokenIds ids;
  for (const char c : text) ids.push_back(c - 'a');
  return ids;
}

/// Records that it was called, for any text.
TokenIds asked(std::string_view text) {
  return {static_cast<int32_t>(text.size()), 99};
}

struct Scorer : Model, TextScorer {
  at::Tensor score(const Tokens& sentences, const at::Tensor&) override {
    return at::zeros({sentences.rows()});
  }
};

}  // namespace

TEST_CASE("text: ids are decoded when lines are requested, and truncated with them", "[model]") {
  const Text text({{0, 1}, {}, {2}}, fixed_tokenizer(letters));
  CHECK(text.size() == 3);
  CHECK(text.has_ids());
  CHECK(text.lines()[0] == "ab");
  CHECK(text.lines()[1].empty());
  const Text two = text.first(2);
  CHECK(two.size() == 2);
  CHECK(two.lines().size() == 2);
  CHECK(two.ids().size() == 2);
  CHECK(text.first(9).size() == 3);
  CHECK(text.lines().size() == 3);
  const Text alone({"x y", ""});
  CHECK_FALSE(alone.has_ids());
  CHECK(alone.ids().empty());
  CHECK(alone.lines()[0] == "x y");
  CHECK(Text().empty());
}

TEST_CASE("text: lines that are read on demand differ from decoded ones", "[model]") {
  int reads = 0;
  const auto read = [&reads] {
    ++reads;
    return std::vector<std::string>{"A b", "", "C"};
  };
  const std::vector<TokenIds> ids = {{0, 1}, {}, {2}};
  const Text text(read, ids, fixed_tokenizer(letters));
  CHECK(text.ids()[0] == ids[0]);
  CHECK(reads == 0);
  CHECK(text.first(2).lines().size() == 2);
  CHECK(text.lines()[2] == "C");
  CHECK(reads == 1);
  CHECK_FALSE(text.is_decoded());
  CHECK_FALSE(Text({"x"}).is_decoded());
  CHECK(Text(ids, fixed_tokenizer(letters)).is_decoded());
  CHECK_THROWS_AS(Text(read, {{0}}, fixed_tokenizer(letters)).lines(), std::logic_error);
}

TEST_CASE("inputs: a model reads the ids of its own tokenizer, else the encoded lines", "[model]") {
  const auto own = fixed_tokenizer(letters, asked, "own");
  const LoadedModel model{.component = "lm", .tokenizer = own};
  const Text same({{0, 1}}, own), other({{0, 1}}, fixed_tokenizer(letters, locations, "other"));
  CHECK(ids_for(model, same) == std::vector<TokenIds>{{0, 1}});
  CHECK(ids_for(model, other) == std::vector<TokenIds>{{2, 99}});
  CHECK(ids_for(model, Text({"abc"})) == std::vector<TokenIds>{{3, 99}});
}

TEST_CASE("inputs: missing capabilities and undeclared inputs are reported", "[model]") {
  Inputs inputs;
  inputs.add("model", LoadedModel{.component = "lm", .model = std::make_shared<Scorer>()});
  inputs.add("references", Text({"a"}));
  inputs.add("references", Text({"b"}));
  CHECK(inputs.has("model"));
  CHECK_FALSE(inputs.has("encoder"));
  CHECK(inputs.texts("references").size() == 2);
  CHECK(inputs.texts("outputs").empty());
  CHECK_NOTHROW(inputs.serve<TextScorer>("model"));
  CHECK_THROWS_WITH(inputs.serve<Encoder>("model"),
                    Contains("the model 'lm' lacks the capability encoder"));
  CHECK_THROWS_AS(inputs.text("references"), std::logic_error);
  CHECK_THROWS_AS(inputs.text("outputs"), std::logic_error);
}

TEST_CASE("inputs: the texts of a dataset have the tokenizer of their part", "[model]") {
  const TemporaryFolder folder;
  const ColumnDecl label{.name = "style", .kind = ColumnKind::kLabel, .classes = 2};
  const auto text = [](const std::string& name, bool ragged) {
    return ColumnDecl{.name = name, .vocabulary = {.size = 100}, .ragged = ragged};
  };
  {
    DatasetWriter outputs(folder / "outputs", {text("text", false)});
    for (const TokenIds& ids : {TokenIds{0, 1}, TokenIds{}, TokenIds{2}}) {
      outputs.add_text(0, ids);
      outputs.end_row();
    }
    outputs.finish();
    DatasetWriter sources(folder / "sources", {text("captions", true), label});
    for (int row = 0; row < 3; ++row) {
      for (int item = 0; item < row; ++item) sources.add_text(0, TokenIds{row, item});
      sources.add_label(1, row % 2);
      sources.end_row();
    }
    sources.finish();
  }
  const auto own = fixed_tokenizer(letters), other = fixed_tokenizer(letters, {}, "other");
  Inputs inputs;
  inputs.add("outputs", Dataset(folder / "outputs"), /*of_parents=*/false, own);
  inputs.add("outputs", Dataset(folder / "sources"), /*of_parents=*/false, other);
  CHECK(inputs.dataset("outputs").names() == std::vector<std::string>{"text", "captions", "style"});
  const Text texts = inputs.text("outputs", "text");
  CHECK(texts.tokenizer() == own.get());
  CHECK(std::vector<std::string>(texts.lines().begin(), texts.lines().end()) ==
        std::vector<std::string>{"ab", "", "c"});
  const Text captions = inputs.text("outputs", "captions");
  CHECK(captions.tokenizer() == other.get());
  CHECK(std::vector<TokenIds>(captions.ids().begin(), captions.ids().end()) ==
        std::vector<TokenIds>{{1, 0}, {2, 0}, {2, 1}});
  CHECK_THROWS_WITH(inputs.text("outputs", "style"), Contains("'style' is not a text column"));
  CHECK_THROWS_WITH(inputs.text("outputs", "title"), Contains("title"));
}

TEST_CASE("inputs: texts of parent records are selected by the rows derived from them", "[model]") {
  const TemporaryFolder folder;
  write_text_dataset(folder / "all", {{0}, {1}, {2}}, {.size = 100});
  {
    DatasetWriter writer(folder / "few",
                         {{.name = "style", .kind = ColumnKind::kLabel, .classes = 2}});
    for (const int64_t parent : {2, 0}) {
      writer.add_label(0, 1);
      writer.end_row(parent);
    }
    writer.finish();
  }
  Inputs inputs;
  inputs.add("records", Dataset(folder / "all"), /*of_parents=*/true, fixed_tokenizer(letters));
  inputs.add("records", Dataset(folder / "few"));
  const Text texts = inputs.text("records", "text");
  CHECK(std::vector<TokenIds>(texts.ids().begin(), texts.ids().end()) ==
        std::vector<TokenIds>{{2}, {0}});
  CHECK(texts.is_decoded());
  // The same with the lines of the records.
  const auto words = fixed_tokenizer(letters);
  Inputs written;
  written.add("records", Dataset(folder / "all"), /*of_parents=*/true, words,
              [&](const std::string& column) {
                CHECK(column == "text");
                return Text({"A", "B", "C"}, {{0}, {1}, {2}}, words);
              });
  written.add("records", Dataset(folder / "few"));
  const Text selected = written.text("records", "text");
  CHECK(std::vector<std::string>(selected.lines().begin(), selected.lines().end()) ==
        std::vector<std::string>{"C", "A"});
  CHECK(selected.ids()[1] == TokenIds{0});
  CHECK_FALSE(selected.is_decoded());
}
