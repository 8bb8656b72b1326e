// Sentence-BERT: vectors, cutting, the loss and the names of published tensors.
#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "models/sbert/sbert.h"
#include "tests/catch.h"
#include "tests/model_inputs.h"
#include "tests/models/fake_context.h"

using namespace lvtext;

namespace {

SbertOptions small() {
  SbertOptions options;
  options.layers = 2;
  options.heads = 2;
  options.width = 8;
  options.positions = 12;
  options.length = 9;
  options.dropout = 0;
  return options;
}

const ModelInputs kInputs = testing::model_inputs(30, 3, 3);

/// A model in float64 whose vectors differ visibly.
std::shared_ptr<Sbert> lively(const SbertOptions& options = small()) {
  const auto model = std::make_shared<Sbert>(options, kInputs);
  model->to(at::kDouble);
  const at::NoGradGuard no_grad;
  int64_t k = 0;
  for (const auto& item : model->named_parameters()) {
    if (item.value().dim() > 1) {
      item.value().mul_(20);
    } else {
      item.value().add_(at::arange(item.value().numel(), at::kDouble).add(++k).sin() * 0.2);
    }
  }
  return model;
}

/// The vector of one sentence, computed as BERT and the pooling are defined.
at::Tensor defined_vector(Sbert& model, TokenIds ids) {
  const auto p = model.named_parameters();
  const auto layer = [&](const std::string& name, const at::Tensor& x) {
    return at::linear(x, p[name + ".weight"], p[name + ".bias"]);
  };
  const auto norm = [&](const std::string& name, const at::Tensor& x) {
    const at::Tensor centered = x - x.mean(1, true);
    return centered / (centered.square().mean(1, true) + 1e-12).sqrt() * p[name + ".weight"] +
           p[name + ".bias"];
  };
  ids.insert(ids.begin(), 1);
  ids.push_back(2);
  const auto length = std::ssize(ids);
  const at::Tensor index = at::tensor(std::vector<int64_t>(ids.begin(), ids.end()), at::kLong);
  at::Tensor x =
      norm("norm", p["tokens.weight"].index_select(0, index) +
                       p["positions.weight"].narrow(0, 0, length) + p["types.weight"][0]);
  for (const std::string block : {"blocks.0.", "blocks.1."}) {
    const auto parts = layer(block + "qkv", x).chunk(3, 1);
    std::vector<at::Tensor> heads;
    for (int64_t h = 0; h < 2; ++h) {
      const auto of = [&](const at::Tensor& all) { return all.narrow(1, 4 * h, 4); };
      const at::Tensor weights =
          at::softmax(at::matmul(of(parts[0]), of(parts[1]).t()) / std::sqrt(4.0), 1);
      heads.push_back(at::matmul(weights, of(parts[2])));
    }
    x = norm(block + "attention_norm", x + layer(block + "attention_output", at::cat(heads, 1)));
    const at::Tensor inner = layer(block + "mlp_input", x);
    const at::Tensor gelu = inner * 0.5 * (1 + at::erf(inner / std::sqrt(2.0)));
    x = norm(block + "mlp_norm", x + layer(block + "mlp_output", gelu));
  }
  const at::Tensor mean = x.mean(0);
  return mean / mean.norm();
}

const std::vector<TokenIds> kSentences = {{4, 5}, {6, 7, 8, 9, 10, 11},  {}, {12, 5},
                                          {3},    {7, 7, 7, 7, 7, 7, 29}};

Batch pairs() {
  const Tokens premise = pad_sentences({{4, 5, 6}, {7}, {}, {8, 9}});
  const Tokens hypothesis = pad_sentences({{4}, {7, 8, 9, 10, 11, 3, 4, 5, 6}, {4, 5}, {}});
  return {at::arange(4),
          {{"premise", premise.ids},
           {"premise.lengths", premise.lengths},
           {"hypothesis", hypothesis.ids},
           {"hypothesis.lengths", hypothesis.lengths},
           {"label", at::tensor({0, 1, 2, 1}, at::kLong)}}};
}

}  // namespace

TEST_CASE("sbert: vectors equal the definition, alone, in a batch and with padding", "[sbert]") {
  const auto model = lively();
  const at::Tensor together = model->embed(pad_sentences(kSentences));
  CHECK(together.sizes() == at::IntArrayRef{6, 8});
  Tokens padded = pad_sentences(kSentences);
  padded.ids = at::cat({padded.ids, at::full({6, 20}, 13, at::kLong)}, 1);
  const at::Tensor with_padding = model->embed(padded);
  for (size_t i = 0; i < kSentences.size(); ++i) {
    CAPTURE(i);
    const at::Tensor expected = defined_vector(*model, kSentences[i]);
    const auto row = static_cast<int64_t>(i);
    CHECK(at::allclose(together[row], expected, 0, 1e-12));
    CHECK(at::allclose(with_padding[row], expected, 0, 1e-12));
    CHECK(at::allclose(model->embed(pad_sentences({kSentences[i]}))[0], expected, 0, 1e-12));
  }
  CHECK(model->embed(pad_sentences({})).sizes() == at::IntArrayRef{0, 8});
}

TEST_CASE("sbert: vectors of thousands of tokens equal those of single sentences", "[sbert]") {
  const auto model = lively();
  std::vector<TokenIds> sentences;
  for (int64_t n = 0; n < 700; ++n) {
    TokenIds& sentence = sentences.emplace_back(n * 5 % 8);
    for (size_t i = 0; i < sentence.size(); ++i) sentence[i] = 3 + (n + 7 * i) % 27;
  }
  const at::Tensor together = model->embed(pad_sentences(sentences));
  REQUIRE(together.size(0) == 700);
  for (const int64_t n : {0, 150, 299, 420, 699}) {
    const at::Tensor alone = model->embed(pad_sentences({sentences[n]}))[0];
    CHECK(together[n].allclose(alone, 0, 1e-12));
  }
}

TEST_CASE("sbert: without normalization vectors have other norms, but the same direction",
          "[sbert]") {
  SbertOptions options = small();
  options.normalize = false;
  const at::Tensor raw = lively(options)->embed(pad_sentences(kSentences));
  const at::Tensor unit = lively()->embed(pad_sentences(kSentences));
  CHECK(at::allclose(raw / raw.norm(2, {1}, true), unit, 0, 1e-12));
  CHECK_FALSE(at::allclose(raw, unit, 0, 0.1));
  CHECK(lively(options)->embedding_signature() == "pool:mean,normalize:false,length:9");
}

TEST_CASE("sbert: a long sentence is cut before the end is added", "[sbert]") {
  const auto model = lively();
  const TokenIds most = {4, 5, 6, 7, 8, 9, 10};
  TokenIds longer = most;
  longer.push_back(11);
  const at::Tensor vectors = model->embed(pad_sentences({most, longer}));
  CHECK(
      at::allclose(vectors[0], vectors[1], 0, 1e-12));  // rows of one product may be rounded apart
  CHECK(at::allclose(vectors[0], defined_vector(*model, most), 0, 1e-12));
}

TEST_CASE("sbert: the loss equals that of a classifier on [u, v, |u - v|]", "[sbert]") {
  const auto model = lively();
  const Batch batch = pairs();
  const auto parameters = model->named_parameters();
  const at::Tensor u = model->embed(batch.tokens("premise"));
  const at::Tensor v = model->embed(batch.tokens("hypothesis"));
  const at::Tensor logits =
      at::linear(at::cat({u, v, (u - v).abs()}, 1), parameters["classifier.weight"],
                 parameters["classifier.bias"]);
  double nll = 0, wrong = 0;
  for (int64_t row = 0; row < 4; ++row) {
    const int64_t label = batch.field("label")[row].item<int64_t>();
    nll -= (logits[row][label] - logits[row].exp().sum().log()).item<double>();
    wrong += logits[row].argmax().item<int64_t>() != label;
  }
  for (const bool training : {true, false}) {  // with padding and without
    FakeContext context(training);
    const Sums sums = model->losses(model->phases()[0], {batch}, context);
    CHECK(sums[0].item<double>() == Approx(nll).epsilon(1e-12));
    CHECK(sums[1].item<double>() == wrong);
  }
}

TEST_CASE("sbert: the tensors of a published file", "[sbert]") {
  ModelInputs inputs;
  inputs.streams["train"] = {{.vocabulary = testing::usual_vocabulary(30)}};
  Sbert model(small(), inputs);
  std::vector<std::string> names;
  for (const auto& item : model.named_parameters()) {
    for (const std::string& name : model.published(item.key()).names) names.push_back(name);
  }
  CHECK(names.size() == 5 + 2 * 16);
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(model.published("blocks.1.qkv.bias").names ==
        std::vector<std::string>{"encoder.layer.1.attention.self.query.bias",
                                 "encoder.layer.1.attention.self.key.bias",
                                 "encoder.layer.1.attention.self.value.bias"});
  CHECK(model.published("blocks.0.mlp_norm.weight").names ==
        std::vector<std::string>{"encoder.layer.0.output.LayerNorm.weight"});
  CHECK(model.published("types.weight").names ==
        std::vector<std::string>{"embeddings.token_type_embeddings.weight"});
}
