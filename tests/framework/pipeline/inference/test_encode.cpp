// Latent vectors of sentences and back.
#include <ATen/ATen.h>

#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/model/registration.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/register.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

constexpr int64_t kWords = 10, kEnd = 2;

/// The latent vector of a sentence is [first token, number of tokens]; decoding repeats the first
/// number as a token, as many times as the second number.
class Counting : public Model, public Encoder, public NextTokenModel {
 public:
  struct State : DecodeState {
    at::Tensor z;
    int64_t fed = 0;
    void select_rows(const at::Tensor& index) override { z = z.index_select(0, index); }
  };
  int64_t latent_size() const override { return 2; }
  at::Tensor encode(const Tokens& sentences) override {
    return at::stack({sentences.ids.select(1, 0), sentences.lengths}, 1).to(at::kFloat);
  }
  at::Tensor encode_sampled(const Tokens& sentences, const at::Tensor& ids,
                            const NoiseKey&) override {
    return encode(sentences) + 100 * ids.unsqueeze(1);
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start& start) override {
    auto state = std::make_unique<State>();
    state->z = start.z;
    return state;
  }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    auto& s = static_cast<State&>(state);
    const at::Tensor goes_on = s.z.select(1, 1).gt(s.fed++);
    const at::Tensor next = at::where(goes_on, s.z.select(1, 0).to(at::kLong),
                                      at::full({ids.size(0)}, kEnd, at::kLong));
    return at::zeros({ids.size(0), kWords}).scatter_(1, next.unsqueeze(1), 9.0);
  }

 private:
  Vocabulary vocabulary_{.size = kWords, .bos = 1, .eos = kEnd, .pad = 0};
};

/// The vector of a sentence is [number of tokens]; for more than eight it is not finite.
class Lengths : public Model, public SentenceEmbedder {
 public:
  int64_t embedding_size() const override { return 1; }
  std::string embedding_signature() const override { return "lengths"; }
  at::Tensor embed(const Tokens& sentences) override {
    const at::Tensor lengths = sentences.lengths.unsqueeze(1).to(at::kDouble);
    return lengths.masked_fill(lengths.gt(8), std::nan(""));
  }
};

std::shared_ptr<const Tokenizer> tokenizer() {
  return testing::fixed_tokenizer([](std::span<const int32_t>) { return "words"; });
}

/// A tokenizer whose ids are three times 7 for any text.
std::shared_ptr<const Tokenizer> other_tokenizer() {
  return testing::fixed_tokenizer([](std::span<const int32_t>) { return ""; },
                                  [](std::string_view) {
                                    return TokenIds{7, 7, 7};
                                  },
                                  "11111111");
}

LoadedModel loaded(std::shared_ptr<Model> model,
                   std::shared_ptr<const Tokenizer> tokens = tokenizer()) {
  return {.component = "toy", .model = std::move(model), .tokenizer = std::move(tokens)};
}

Inferred infer(const std::string& component, const std::string& options, const Inputs& inputs) {
  Registries registries;
  register_all_inference(registries);
  const torch::NoGradGuard no_grad;
  return registries.inference.get(component)
      .configure(parse_yaml_or_throw(options, "test"))
      .inference->run(inputs, [](const std::string&) {});
}

const std::vector<TokenIds> kSentences = {{4, 5, 6}, {7}, {5, 5}, {9, 4, 4, 4}};

Inputs with_text(std::shared_ptr<Model> model) {
  Inputs inputs;
  inputs.add("model", loaded(std::move(model)));
  inputs.add("text", Text(kSentences, tokenizer()));
  return inputs;
}

/// A dataset with one column of vectors.
Inputs with_vectors(const std::filesystem::path& file, const ColumnDecl& decl,
                    const std::vector<std::vector<float>>& vectors,
                    std::shared_ptr<Model> model = std::make_shared<Counting>()) {
  DatasetWriter writer(file, {decl});
  for (const auto& each : vectors) {
    writer.add_numbers(0, each);
    writer.end_row();
  }
  writer.finish();
  Inputs inputs;
  inputs.add("model", loaded(std::move(model)));
  inputs.add("embeddings", Dataset(file));
  return inputs;
}

const ColumnDecl kTwo = {.name = "embedding", .kind = ColumnKind::kVector, .shape = {2}};

}  // namespace

TEST_CASE("encode: a vector for each sentence of a text", "[inference]") {
  const Inferred means = infer("encode", "{}", with_text(std::make_shared<Counting>()));
  REQUIRE(means.columns.size() == 1);
  const InferredColumn& column = means.columns.front();
  CHECK(column.decl.name == "embedding");
  CHECK(column.decl.kind == ColumnKind::kVector);
  CHECK(column.decl.shape == std::vector<int64_t>{2});
  CHECK_FALSE(column.decl.ragged);
  CHECK(column.values.scalar_type() == at::kFloat);
  CHECK(
      at::equal(column.values, at::tensor({4.f, 3.f, 7.f, 1.f, 5.f, 2.f, 9.f, 4.f}).view({4, 2})));
  CHECK(means.metadata.at("count") == 4);
  // A draw depends only on the sentence's index.
  const Inferred draws =
      infer("encode", "{draw: true, first: 2, name: z}", with_text(std::make_shared<Counting>()));
  CHECK(draws.columns.front().decl.name == "z");
  CHECK(at::equal(draws.columns.front().values - column.values,
                  at::tensor({200.f, 300.f, 400.f, 500.f}).unsqueeze(1).expand({4, 2})));
  // A sentence embedder has one vector per sentence, and no draws.
  const Inferred lengths = infer("encode", "{}", with_text(std::make_shared<Lengths>()));
  CHECK(at::equal(lengths.columns.front().values, at::tensor({3.f, 1.f, 2.f, 4.f}).unsqueeze(1)));
  CHECK_THROWS_WITH(infer("encode", "{draw: true}", with_text(std::make_shared<Lengths>())),
                    Contains("has no posterior to sample from"));
}

TEST_CASE("encode: ragged columns remain ragged, tokenizers may differ", "[inference]") {
  Inputs inputs = with_text(std::make_shared<Counting>());
  inputs.add_rows("text", {0, 2, 2, 4});
  const Inferred ragged = infer("encode", "{column: captions}", inputs);
  const InferredColumn& column = ragged.columns.front();
  CHECK(column.decl.ragged);
  CHECK(column.rows == std::vector<int64_t>{0, 2, 2, 4});
  CHECK(column.values.sizes() == at::IntArrayRef{4, 2});
  // A model with a different tokenizer reads the words.
  Inputs others;
  others.add("model", loaded(std::make_shared<Counting>(), other_tokenizer()));
  others.add("text", inputs.text("text"));
  const Inferred read = infer("encode", "{}", others);
  CHECK(at::equal(read.columns.front().values[0], at::tensor({7.f, 3.f})));
}

TEST_CASE("encode: a diverged model is reported, an empty text has no vectors", "[inference]") {
  Inputs inputs;
  inputs.add("model", loaded(std::make_shared<Lengths>()));
  inputs.add("text", Text({TokenIds(9, 4)}, tokenizer()));
  CHECK_THROWS_WITH(infer("encode", "{}", inputs), Contains("the model has diverged"));
  inputs = {};
  inputs.add("model", loaded(std::make_shared<Lengths>()));
  inputs.add("text", Text(std::vector<TokenIds>(), tokenizer()));
  const Inferred none = infer("encode", "{}", inputs);
  CHECK(none.columns.front().values.sizes() == at::IntArrayRef{0, 1});
}

TEST_CASE("decode: one sentence per row, by greedy decoding or beam search", "[inference]") {
  const TemporaryFolder folder;
  const Inputs inputs = with_vectors(folder / "z", kTwo, {{4, 3}, {7, 1}, {5, 9}});
  const std::vector<TokenIds> expected = {{4, 4, 4}, {7}, {5, 5, 5, 5}};
  for (const std::string how : {"", "beam: {width: 2, length_norm: 1}, ", "policy: 'beam:2', "}) {
    const Inferred decoded = infer("decode", "{" + how + "max_length: 4}", inputs);
    const auto ids = decoded.text.ids();
    CHECK(std::vector<TokenIds>(ids.begin(), ids.end()) == expected);
    CHECK(decoded.text.tokenizer()->sha256() == tokenizer()->sha256());
    CHECK(decoded.metadata.at("cut_off") == 1);
    CHECK(decoded.metadata.at("count") == 3);
  }
  CHECK_THROWS_WITH(infer("decode", "{beam: {width: 2}, policy: greedy}", inputs),
                    Contains("`beam` and `policy` are mutually exclusive"));
  CHECK_THROWS_WITH(infer("decode", "{beam: {width: 0}}", inputs), Contains("'beam.width'"));
  CHECK_THROWS_WITH(infer("decode", "{column: z}", inputs), Contains("no column 'z'"));
}

TEST_CASE("decode: errors name what cannot be decoded", "[inference]") {
  const TemporaryFolder folder;
  const ColumnDecl number = {.name = "embedding", .kind = ColumnKind::kNumber};
  CHECK_THROWS_WITH(infer("decode", "{}", with_vectors(folder / "number", number, {{1}})),
                    Contains("has 0 columns of vectors"));
  ColumnDecl ragged = kTwo;
  ragged.ragged = true;
  CHECK_THROWS_WITH(infer("decode", "{}", with_vectors(folder / "ragged", ragged, {{1, 2}})),
                    Contains("does not have one vector for each row"));
}
