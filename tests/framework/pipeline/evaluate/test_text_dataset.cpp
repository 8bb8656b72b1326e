// Plain text as a dataset.
#include "framework/pipeline/evaluate/text_dataset.h"

#include "framework/core/model/inputs.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("text dataset: every line is restored, beside sources and labels", "[evaluate]") {
  const std::vector<std::string> outputs = {"a  b ", "", "\xc3\xa9\xe2\x82\xac\t\x7f"};
  const std::vector<std::string> sources = {"x", "y z", ""};
  const TextDataset made =
      text_dataset({{"text", outputs}, {"source", sources}}, {{"style", {1, 0, 2}}});
  Inputs inputs;
  inputs.add("outputs", made.dataset, /*of_parents=*/false, made.tokenizer);
  const auto lines = [&](const std::string& column) {
    const Text text = inputs.text("outputs", column);
    return std::vector<std::string>(text.lines().begin(), text.lines().end());
  };
  CHECK(lines("text") == outputs);
  CHECK(lines("source") == sources);
  CHECK(inputs.text("outputs", "text").ids()[0] == made.tokenizer->encode("a  b "));
  const DatasetColumn style = inputs.dataset("outputs").column("style");
  CHECK(style.decl().classes == 3);
  CHECK(style.tokens(0) == std::vector<int32_t>{1});
  CHECK(style.tokens(2) == std::vector<int32_t>{2});
}
