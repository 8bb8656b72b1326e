// Models with tokenizers whose special ids have other values or are missing.
#include <ATen/ATen.h>

#include <string>
#include <type_traits>

#include "framework/core/base/error.h"
#include "framework/core/decoding/decoder.h"
#include "framework/core/options/option_error.h"
#include "models/infersent/infersent.h"
#include "models/rnn_lm/rnn_lm.h"
#include "models/style_transfer/style_transfer.h"
#include "models/vae/vae.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

constexpr int64_t kSize = 20;

/// The same words in another order, without BOS, padding and UNK: EOS is 0, word i is i - 3.
const Vocabulary kBare{.size = kSize - 3, .eos = 0};

/// The words 4, 5, ... of the usual ids, and the ids of kBare for them.
std::vector<TokenIds> usual_sentences() {
  return {{4, 5, 6, 7}, {8, 9}, {}, {10, 11, 12, 13, 14}, {15}, {4, 6, 4}, {16, 17, 18, 19, 5, 5}};
}

std::vector<TokenIds> bare_ids(std::vector<TokenIds> sentences) {
  for (TokenIds& sentence : sentences) {
    for (int32_t& id : sentence) id -= 3;
  }
  return sentences;
}

/// Rows of the usual ids for the ids of kBare: EOS, which is also its start symbol, and the words.
at::Tensor bare_rows() {
  return at::cat({at::tensor({2}, at::kLong), at::arange(4, kSize, at::kLong)});
}

/// Gives both models the same weights. Ids without a counterpart in the other model get probability
/// 0, and BOS is read like EOS.
void match(torch::nn::Module& usual, torch::nn::Module& bare) {
  const at::NoGradGuard no_grad;
  auto target = bare.named_parameters();
  for (auto& each : usual.named_parameters()) {
    at::Tensor& from = each.value();
    if (from.size(0) != kSize) {
      target[each.key()].copy_(from);
      continue;
    }
    if (from.dim() == 1) {  // biases of the output
      for (const int64_t id : {0, 1, 3}) from[id] = -1e30;
    } else if (each.key() == "embedding.weight") {
      from[1].copy_(from[2]);
    }
    target[each.key()].copy_(from.index_select(0, bare_rows()));
  }
}

/// Losses and texts of both models, before and after training.
template <class Model, class Options>
void check_same_model(const Options& options) {
  Model usual(options, testing::model_inputs(kSize, 1));
  Model bare(options, testing::model_inputs(kBare, 1));
  match(usual, bare);
  const auto batch = text_batch(usual_sentences());
  const auto bare_batch = text_batch(bare_ids(usual_sentences()));
  const auto learn = [](Trainable& model, const Batch& of, uint64_t step) {
    FakeContext context(true, step);
    context.scheduled = 1;
    at::Tensor loss = at::zeros({});
    for (const at::Tensor& sum : model.losses(model.phases()[0], {of}, context)) loss = loss + sum;
    model.zero_grad();
    loss.backward();
    const at::NoGradGuard no_grad;
    // In the bare model BOS and EOS have one vector: its gradient is the sum of both.
    for (auto& each : model.named_parameters()) {
      at::Tensor gradient = each.value().grad().clone();
      if (each.key() == "embedding.weight" && gradient.size(0) == kSize) {
        const at::Tensor sum = gradient[1] + gradient[2];
        gradient[1].copy_(sum);
        gradient[2].copy_(sum);
      }
      each.value().sub_(gradient, 0.01);
    }
    return loss.item<double>();
  };
  for (uint64_t step = 0; step < 5; ++step) {
    INFO("step " << step);
    CHECK(learn(bare, bare_batch, step) == Approx(learn(usual, batch, step)).epsilon(1e-5));
  }
  at::Tensor z, bare_z;
  if constexpr (std::is_base_of_v<Encoder, Model>) {
    z = usual.encode(batch.tokens());
    bare_z = bare.encode(bare_batch.tokens());
    CHECK(at::allclose(z, bare_z, 1e-4, 1e-5));
  }
  CHECK(
      at::allclose(usual.score(batch.tokens(), z), bare.score(bare_batch.tokens(), z), 1e-5, 1e-4));
  const at::Tensor ids = at::arange(batch.rows(), at::kLong);
  for (const DecodingPolicy& policy :
       {DecodingPolicy(PolicyOptions{}), DecodingPolicy(BeamOptions{.width = 3})}) {
    const Decoded expected = decode(usual, z, ids, {}, {policy, 8, kDecodeBatch});
    const Decoded found = decode(bare, z, ids, {}, {policy, 8, kDecodeBatch});
    CHECK(found.sentences == bare_ids(expected.sentences));
    CHECK(found.cut_off == expected.cut_off);
  }
}

}  // namespace

TEST_CASE("vocabulary: a language model without BOS, padding and UNK has equal results",
          "[models]") {
  RnnLmOptions options;
  options.size = ModelSize::kSmall;
  options.decoder.dropout = 0.2;
  options.decoder.word_dropout = 0.3;
  options.decoder.word_dropout_type = WordDropoutType::kZero;
  check_same_model<RnnLm>(options);
}

TEST_CASE("vocabulary: a VAE without BOS, padding and UNK has equal results", "[models]") {
  VaeOptions options;
  options.size = ModelSize::kSmall;
  options.bag_of_words.weight = 0;
  check_same_model<Vae>(options);
}

TEST_CASE("vocabulary: errors name the special id that a model requires", "[models]") {
  RnnLmOptions lm;
  lm.size = ModelSize::kSmall;
  const auto build_lm = [&](const Vocabulary& vocabulary) {
    return message_of([&] { RnnLm(lm, testing::model_inputs(vocabulary, 1)); });
  };
  CHECK(build_lm(kBare).empty());
  CHECK(build_lm({.size = 9, .bos = 1}) ==
        "the tokenizer has no EOS, which the decoder needs; use a tokenizer with EOS");
  lm.decoder.word_dropout = 0.5;
  CHECK(build_lm(kBare).find("set decoder.word_dropout_type=zero") != std::string::npos);
  VaeOptions vae;
  vae.size = ModelSize::kSmall;
  vae.encoder.bos = true;
  CHECK(message_of([&] { Vae(vae, testing::model_inputs(kBare, 1)); }) ==
        "encoder.bos: the tokenizer has no BOS; set encoder.bos=false");
  CHECK(message_of([&] { StyleTransferModel({}, testing::model_inputs(kBare, 1)); }) ==
        "the tokenizer has no padding, which style_transfer needs; use a tokenizer with padding");
  CHECK(message_of([&] { Infersent({}, testing::model_inputs(kBare, 1)); }) ==
        "the tokenizer has no BOS, which the sentence encoder needs; use a tokenizer with BOS");
}

TEST_CASE("vocabulary: errors of inputs name the missing field", "[models]") {
  ModelInputs inputs = testing::model_inputs(kSize, 1, 3);
  CHECK(inputs.vocabulary() == testing::usual_vocabulary(kSize));
  CHECK(inputs.vocabulary("train", "premise") == inputs.vocabulary());
  CHECK(inputs.classes("train", "label") == 3);
  CHECK(inputs.find("train", "picture") == nullptr);
  CHECK_THROWS_AS(inputs.vocabulary("train", "label"), MissingField);
  CHECK(message_of([&] { inputs.classes("train", "topic"); }) ==
        "the data of the stream 'train' has no label 'topic'; it has text (text), text_0 (text), "
        "text_1 (text), premise (text), hypothesis (text), label (label), style (label), "
        "embedding (vector), image (image)");
  CHECK(message_of([&] { inputs.vocabulary("other", "text"); }) ==
        "the data of the stream 'other' has no text 'text'; it has no fields");
  inputs.streams["train"][1].vocabulary.size += 1;
  CHECK(message_of([&] {
          inputs.vocabulary();
        }).find("'text' and 'text_0' have different vocabularies") != std::string::npos);
  const StreamShapes read = stream_shapes_from_json(to_json(inputs.streams));
  REQUIRE(read.at("train").size() == 9);
  CHECK(read.at("train")[1].vocabulary == inputs.streams["train"][1].vocabulary);
  CHECK(read.at("train")[5].classes == 3);
}
