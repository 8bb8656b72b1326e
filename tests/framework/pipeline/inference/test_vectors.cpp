// Arithmetic of vectors, the vectors of other rows, the sentence with the nearest vector.
#include <ATen/ATen.h>

#include <set>

#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/model/registration.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/inference/shared/expression.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// The vector of a sentence is [first token, number of tokens].
class Pairs : public Model, public SentenceEmbedder {
 public:
  int64_t embedding_size() const override { return 2; }
  std::string embedding_signature() const override { return "pairs"; }
  at::Tensor embed(const Tokens& sentences) override {
    return at::stack({sentences.ids.select(1, 0), sentences.lengths}, 1).to(at::kFloat);
  }
};

/// Ids are the digits of a text.
std::shared_ptr<const Tokenizer> digits() {
  return testing::fixed_tokenizer(
      [](std::span<const int32_t> ids) {
        std::string text;
        for (const int32_t id : ids) text += static_cast<char>('0' + id);
        return text;
      },
      [](std::string_view text) {
        TokenIds ids;
        for (const char c : text) ids.push_back(c - '0');
        return ids;
      });
}

Inferred infer(const std::string& component, const std::string& options, const Inputs& inputs) {
  Registries registries;
  register_all_inference(registries);
  const torch::NoGradGuard no_grad;
  return registries.inference.get(component)
      .configure(parse_yaml_or_throw(options, "test"))
      .inference->run(inputs, [](const std::string&) {});
}

Inputs with_model() {
  Inputs inputs;
  inputs.add(
      "model",
      LoadedModel{.component = "toy", .model = std::make_shared<Pairs>(), .tokenizer = digits()});
  return inputs;
}

Dataset vectors(const std::filesystem::path& file, const std::vector<std::vector<float>>& rows) {
  DatasetWriter writer(file, {{.name = "embedding",
                               .kind = ColumnKind::kVector,
                               .shape = {static_cast<int64_t>(rows.front().size())}}});
  for (const auto& row : rows) {
    writer.add_numbers(0, row);
    writer.end_row();
  }
  writer.finish();
  return Dataset(file);
}

double value(const std::string& expression, const std::map<std::string, double>& of = {}) {
  std::map<std::string, at::Tensor> values;
  for (const auto& [name, number] : of) values[name] = at::scalar_tensor(number, at::kDouble);
  return Expression(expression).value(values).item<double>();
}

}  // namespace

TEST_CASE("expression: precedence, signs, parentheses", "[inference]") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("8 - 4 - 2") == 2);
  CHECK(value("8 / 4 / 2") == 1);
  CHECK(value("-2 * (3 - 5)") == 4);
  CHECK(value("a - b + c", {{"a", 5}, {"b", 2}, {"c", 10}}) == 13);
  CHECK(value("0.25*x+(1-0.25)*y", {{"x", 1}, {"y", 3}}) == Approx(2.5));
  CHECK(value("--2") == 2);
  CHECK(Expression("x2 + y * x2").names() == std::vector<std::string>{"x2", "y"});
}

TEST_CASE("expression: mistakes are located", "[inference]") {
  CHECK_THROWS_WITH(Expression("a +"), Contains("needs a name, a number or '(' at position 4"));
  CHECK_THROWS_WITH(Expression("(a"), Contains("needs ')' at position 3"));
  CHECK_THROWS_WITH(Expression("a b"), Contains("needs an operator or the end at position 3"));
  CHECK_THROWS_WITH(Expression("a ^ 2"), Contains("position 3"));
  CHECK_THROWS_WITH(Expression(""), Contains("position 1"));
}

TEST_CASE("arithmetic: analogies and paths between sentences", "[inference]") {
  // [5, 1] - [7, 2] + [4, 3].
  const Inferred one = infer("arithmetic", "{lines: ['5', '77', '444']}", with_model());
  CHECK(one.columns.front().values.equal(at::tensor({2.f, 2.f}).view({1, 2})));
  // x = (1, 2), y = (3, 1).
  const std::string path =
      "{names: [x, y], expression: 't*x + (1-t)*y', weights: [0, 0.25, 0.5, 0.75, 1]";
  const Inferred points = infer("arithmetic", path + ", lines: ['11', '3']}", with_model());
  CHECK(points.columns.front().values.allclose(
      at::tensor({3.f, 1.f, 2.5f, 1.25f, 2.f, 1.5f, 1.5f, 1.75f, 1.f, 2.f}).view({5, 2})));
  CHECK(points.metadata.at("groups") == 1);
  Inputs text = with_model();
  text.add("text", Text({{1}, {2}, {3}, {4}, {5}}, digits()));
  const Inferred pairs = infer("arithmetic", "{names: [x, y], expression: x - y}", text);
  CHECK(pairs.columns.front().values.equal(at::tensor({-1.f, 0.f, -1.f, 0.f}).view({2, 2})));
  const Inferred unit = infer("arithmetic", "{names: [x], expression: x, unit: true}", text);
  CHECK(unit.columns.front().values.norm(2, {1}).allclose(at::ones({5})));
}

TEST_CASE("arithmetic: mistakes in options", "[inference]") {
  CHECK_THROWS_WITH(infer("arithmetic", "{expression: a + d}", with_model()),
                    Contains("uses 'd', which is not among the names a, b, c"));
  CHECK_THROWS_WITH(infer("arithmetic", "{expression: t * a}", with_model()),
                    Contains("set `weights`"));
  CHECK_THROWS_WITH(infer("arithmetic", "{expression: 'a +'}", with_model()),
                    Contains("position 4"));
  CHECK_THROWS_WITH(infer("arithmetic", "{lines: [a, b]}", with_model()),
                    Contains("each group has 3"));
  CHECK_THROWS_WITH(infer("arithmetic", "{}", with_model()), Contains("there are no sentences"));
}

TEST_CASE("swap_vectors: every row gets the vector of another one", "[inference]") {
  const TemporaryFolder folder;
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 50; ++i) rows.push_back({static_cast<float>(i)});
  Inputs inputs;
  inputs.add("data", vectors(folder / "v", rows));
  const at::Tensor swapped = infer("swap_vectors", "{}", inputs).columns.front().values;
  std::set<float> seen;
  for (int64_t i = 0; i < 50; ++i) {
    const float source = swapped[i].item<float>();
    CHECK(source != static_cast<float>(i));
    seen.insert(source);
  }
  CHECK(seen.size() == 50);
  CHECK(infer("swap_vectors", "{}", inputs).columns.front().values.equal(swapped));
  CHECK_FALSE(infer("swap_vectors", "{seed: 1}", inputs).columns.front().values.equal(swapped));
  Inputs single;
  single.add("data", vectors(folder / "one", {{1}}));
  CHECK_THROWS_WITH(infer("swap_vectors", "{}", single), Contains("no other row"));
}

TEST_CASE("nearest_lines: the sentence with the nearest vector", "[inference]") {
  const TemporaryFolder folder;
  Inputs inputs;
  inputs.add("embeddings", vectors(folder / "a", {{1, 0.1f}, {0.4f, 0.6f}}));
  inputs.add("from", vectors(folder / "b", {{9, 9}, {1, 0}, {0, 1}}));
  inputs.add("text", Text(std::vector<TokenIds>{{7}, {8}, {9}}, digits()));
  const auto lines = [&](const std::string& options) {
    const Inferred nearest = infer("nearest_lines", options, inputs);
    return std::vector<std::string>(nearest.text.lines().begin(), nearest.text.lines().end());
  };
  CHECK(lines("{}") == std::vector<std::string>{"8", "7"});
  CHECK(lines("{by: euclidean}") == std::vector<std::string>{"8", "9"});
  Inputs wide;
  wide.add("embeddings", vectors(folder / "c", {{1, 0, 0}}));
  wide.add("from", vectors(folder / "d", {{9, 9}}));
  CHECK_THROWS_WITH(infer("nearest_lines", "{}", wide),
                    Contains("have width 3, those of `from` 2"));
}
