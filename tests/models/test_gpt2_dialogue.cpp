// GPT-2 trained on replies of dialogues.
#include <cmath>
#include <map>

#include "framework/core/base/error.h"
#include "framework/core/nn/entmax.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/torch.h"
#include "models/gpt2/gpt2.h"
#include "tests/catch.h"
#include "tests/models/fake_context.h"

using namespace lvtext;
using Texts = std::vector<std::vector<int32_t>>;

namespace {

/// Tokens 0 to 6, then those of dialogues: EOS is 8, the speakers are 10 and 11.
const Vocabulary kVocabulary{.size = 12, .bos = 7, .eos = 8, .pad = 9};

std::shared_ptr<Gpt2> model_of(const std::string& more = "dialogue: {}",
                               const Vocabulary& vocabulary = kVocabulary) {
  const auto options = parse_options_or_throw<Gpt2Options>(parse_yaml_or_throw(
      "{layers: 2, heads: 2, width: 8, positions: 12, embedding_dropout: 0, attention_dropout: 0, "
      "residual_dropout: 0, " +
          more + "}",
      "options"));
  return std::make_shared<Gpt2>(options, testing::model_inputs(vocabulary, 5));
}

/// A model whose scores differ visibly, in float64.
std::shared_ptr<Gpt2> lively_model(const std::string& more) {
  const auto model = model_of(more);
  model->to(at::kDouble);
  const at::NoGradGuard no_grad;
  for (const auto& item : model->named_parameters()) {
    if (item.value().dim() > 1) item.value().mul_(20);
  }
  return model;
}

const Texts kContexts = {{7, 1, 2, 11, 3, 10}, {7, 11, 4, 10, 5, 11, 6, 10}, {7, 10}};
const Texts kReplies = {{4, 5}, {}, {1, 2, 3}};
const Texts kDistractors = {{6}, {1, 1}, {2}};

Batch batch_of(const Texts& contexts = kContexts, const Texts& replies = kReplies,
               const Texts& distractors = kDistractors) {
  Batch batch{at::arange(std::ssize(contexts), at::kLong), {}};
  for (const auto& [name, texts] :
       {std::pair("context", contexts), {"reply", replies}, {"distractor", distractors}}) {
    const Tokens tokens = pad_sentences(texts);
    batch.fields[name] = tokens.ids;
    batch.fields[std::string(name) + ".lengths"] = tokens.lengths;
  }
  return batch;
}

std::vector<double> sums(Gpt2& model, const Batch& batch) {
  FakeContext context(false);
  std::vector<double> values;
  for (const at::Tensor& sum : model.losses(model.phases().at(0), {batch}, context)) {
    values.push_back(sum.item<double>());
  }
  return values;
}

std::vector<int32_t> joined(size_t i, const Texts& replies = kReplies) {
  std::vector<int32_t> text = kContexts[i];
  text.insert(text.end(), replies[i].begin(), replies[i].end());
  text.push_back(8);
  return text;
}

/// Scores of the tokens of a reply and EOS, [reply + 1, V].
at::Tensor reply_logits(Gpt2& model, size_t i) {
  const int64_t first = std::ssize(kContexts[i]) - 1;
  return model.text_scores(pad_sentences({joined(i)})).slice(0, first);
}

}  // namespace

TEST_CASE("gpt2 dialogue: logits of the specification with states", "[gpt2]") {
  // The specification adds the word vectors of the tokens 6, 6, 2, 2, 2 to its inputs 3, 1, 4, 1,
  // 5. Here the speaker who replies has the vector of 6; that of the other one is half of its
  // token's input, since it is added to itself, and the two tokens after it make up for it.
  const Vocabulary vocabulary{.size = 11, .bos = 0, .eos = 1, .pad = 2};
  const auto model = std::make_shared<Gpt2>(
      parse_options_or_throw<Gpt2Options>(parse_yaml_or_throw(
          "{layers: 1, heads: 2, width: 4, positions: 8, dialogue: {}}", "options")),
      testing::model_inputs(vocabulary, 5));
  model->to(at::kDouble);
  const std::map<std::string, int> phases = {{"positions.weight", 2},
                                             {"blocks.0.attention_norm.weight", 3},
                                             {"blocks.0.attention_norm.bias", 4},
                                             {"blocks.0.qkv.weight", 5},
                                             {"blocks.0.qkv.bias", 6},
                                             {"blocks.0.attention_output.weight", 7},
                                             {"blocks.0.attention_output.bias", 8},
                                             {"blocks.0.mlp_norm.weight", 9},
                                             {"blocks.0.mlp_norm.bias", 10},
                                             {"blocks.0.mlp_input.weight", 11},
                                             {"blocks.0.mlp_input.bias", 12},
                                             {"blocks.0.mlp_output.weight", 13},
                                             {"blocks.0.mlp_output.bias", 14},
                                             {"norm.weight", 15},
                                             {"norm.bias", 16}};
  const at::NoGradGuard no_grad;
  const auto wave = [](int64_t count, int phase) {
    return 0.3 * at::sin(0.7 * at::arange(count, at::kDouble) + phase);
  };
  for (const auto& item : model->named_parameters()) {
    const auto phase = phases.find(item.key());
    if (phase == phases.end()) continue;
    const at::Tensor& value = item.value();
    const bool is_gain = item.key().find("norm.weight") != std::string::npos;
    const bool is_matrix = item.key().starts_with("blocks") && value.dim() == 2;
    const at::Tensor filled = wave(value.numel(), phase->second) + (is_gain ? 1 : 0);
    value.copy_(is_matrix ? filled.view({value.size(1), value.size(0)}).t()
                          : filled.view(value.sizes()));
  }
  const at::Tensor words = wave(28, 1).view({7, 4});
  const at::Tensor other = (words[4] + words[2]) / 2;
  const at::Tensor made_up =
      at::stack({words[1] + words[2] - other, words[5] + words[2] - other, words[6], other});
  model->named_parameters()["tokens.weight"].copy_(at::cat({words, made_up}));
  const at::Tensor scores = model->text_scores(pad_sentences({{3, 1, 10, 7, 8, 0}}));
  const at::Tensor last =
      at::tensor({.31999572, -.08522937, -.15938569, .38558289, -.56722393, .68331923, -.72045335},
                 at::kDouble);
  CHECK(scores[4].slice(0, 0, 7).allclose(last, 0, 1e-8));
}

TEST_CASE("gpt2 dialogue: a position has the last speaker token at or before it", "[gpt2]") {
  const at::Tensor ids =
      at::tensor({7, 1, 11, 2, 10, 3, 11, 10, 4, 4, 4, 4}, at::kLong).view({2, 6});
  const at::Tensor expected =
      at::tensor({10, 10, 11, 11, 10, 10, 11, 10, 10, 10, 10, 10}, at::kLong).view({2, 6});
  CHECK(at::equal(speakers_of(ids, speaker_tokens(kVocabulary)), expected));
  for (const Vocabulary& wrong : {Vocabulary{.size = 12, .bos = 7, .eos = 8, .pad = 11},
                                  Vocabulary{.size = 12, .eos = 8}, Vocabulary{.size = 12}}) {
    CHECK_THROWS_WITH(model_of("dialogue: {}", wrong), Catch::Contains("added: [<bos>, <eos>"));
  }
  CHECK_NOTHROW(model_of("dialogue: null", Vocabulary{.size = 12}));
}

TEST_CASE("gpt2 dialogue: terms are those of the replies and of the choice", "[gpt2]") {
  for (const std::string loss : {"{}", "{type: entmax, alpha: 1.5}"}) {
    const auto model =
        lively_model("loss: " + loss + ", dialogue: {reply_weight: 2, choice_weight: 3}");
    const double alpha = model->output_map().alpha;
    const std::vector<double> found = sums(*model, batch_of());
    double lm = 0, sp = 0, choice = 0, right = 0;
    for (size_t i = 0; i < kContexts.size(); ++i) {
      const at::Tensor logits = reply_logits(*model, i);
      const at::Tensor targets =
          with_eos(pad_sentences({kReplies[i]}), 8)[0].slice(0, 0, std::ssize(kReplies[i]) + 1);
      lm += entmax_loss(logits.contiguous(), targets, alpha).sum().item<double>();
      const at::Tensor off = entmax(logits.contiguous(), alpha) - at::one_hot(targets, 12);
      sp += (1 - off.square().sum(1) / 2).sum().item<double>();
      const Tokens context = pad_sentences({kContexts[i]});
      const at::Tensor scores =
          at::cat({model->reply_scores(context, pad_sentences({kDistractors[i]})),
                   model->reply_scores(context, pad_sentences({kReplies[i]}))});
      choice +=
          entmax_loss(scores.unsqueeze(0), at::ones({1}, at::kLong), alpha).sum().item<double>();
      right += scores[1].item<double>() > scores[0].item<double>() ? 1 : 0;
    }
    REQUIRE(found.size() == 4);
    CHECK(found[0] == Approx(lm));
    CHECK(found[1] == Approx(sp));
    CHECK(found[2] == Approx(choice));
    CHECK(found[3] == right);
    const auto terms = model->phases().at(0).terms;
    CHECK(terms[0].weight.at({}) == 2);
    CHECK(terms[2].weight.at({}) == 3);
    CHECK((terms[0].denominator == Denominator::kTargets && terms[0].field == "reply"));
    CHECK(terms[1].select_weight == -1);
  }
}

TEST_CASE("gpt2 dialogue: the layer of the choice reads the output at EOS alone", "[gpt2]") {
  const auto model = lively_model("dialogue: {}");
  const Tokens contexts = pad_sentences(kContexts);
  const at::Tensor scores = model->reply_scores(contexts, pad_sentences(kReplies));
  for (int64_t i = 0; i < 3; ++i) {  // the same alone and among others
    const at::Tensor one = model->reply_scores(pad_sentences({kContexts[static_cast<size_t>(i)]}),
                                               pad_sentences({kReplies[static_cast<size_t>(i)]}));
    CHECK(one[0].item<double>() == Approx(scores[i].item<double>()));
  }
  // Other words of the reply and of the context change the score.
  for (const Texts& other : {Texts{{5, 4}}, Texts{{4, 5, 5}}}) {
    CHECK(std::abs(model->reply_scores(pad_sentences({kContexts[0]}), pad_sentences(other))[0]
                       .item<double>() -
                   scores[0].item<double>()) > 1e-3);
  }
  CHECK_THROWS_WITH(model_of("dialogue: null")->reply_scores(contexts, pad_sentences(kReplies)),
                    Catch::Contains("does not choose among replies"));
}

TEST_CASE("gpt2 dialogue: gradients agree with finite differences", "[gpt2]") {
  const std::string more = GENERATE(
      "dialogue: {}", "loss: {type: entmax, alpha: 1.3}, dialogue: {}", "dialogue: {padded: 12}");
  const auto model = lively_model(more);
  FakeContext context(true);
  const Batch batch = batch_of();
  std::vector<at::Tensor> parameters;
  for (const auto& item : model->named_parameters()) {
    if (item.key().starts_with("blocks.1")) continue;
    parameters.push_back(item.value());
  }
  const auto value = [&] {
    const Sums terms = model->losses(model->phases().at(0), {batch}, context);
    return terms.at(0) + 0.7 * terms.at(2);
  };
  const auto gradients = torch::autograd::grad({value()}, parameters);
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor direction =
        normal_step({.seed = i}, parameters[i].sizes(), at::TensorOptions(at::kDouble));
    constexpr double kStep = 1e-5;
    parameters[i].add_(direction, kStep);
    const double above = value().item<double>();
    parameters[i].add_(direction, -2 * kStep);
    const double below = value().item<double>();
    parameters[i].add_(direction, kStep);
    CHECK((gradients[i] * direction).sum().item<double>() ==
          Approx((above - below) / (2 * kStep)).epsilon(1e-6).margin(1e-7));
  }
}

TEST_CASE("gpt2 dialogue: the form of the released code predicts padding elsewhere", "[gpt2]") {
  const auto model = lively_model("dialogue: {padded: 12}");
  const std::vector<double> found = sums(*model, batch_of());
  const std::vector<double> usual = sums(*lively_model("dialogue: {}"), batch_of());
  double expected = 0;
  for (const bool is_reply : {true, false}) {
    for (size_t i = 0; i < kContexts.size(); ++i) {
      std::vector<int32_t> text = joined(i, is_reply ? kReplies : kDistractors);
      const size_t end = text.size();
      text.resize(12, 9);
      std::vector<int64_t> targets(11, 9);
      for (size_t t = kContexts[i].size(); is_reply && t < end; ++t) targets[t - 1] = text[t];
      expected += entmax_loss(model->text_scores(pad_sentences({text})).contiguous(),
                              at::tensor(targets, at::kLong), 1)
                      .sum()
                      .item<double>();
    }
  }
  CHECK(found[0] == Approx(expected / 22));
  for (const size_t i : {1, 2, 3}) CHECK(found[i] == Approx(usual[i]));
  CHECK(model->phases().at(0).terms[0].denominator == Denominator::kExamples);
  CHECK_THROWS_WITH(model_of("dialogue: {padded: 13}"),
                    Catch::Contains("must not exceed positions"));
}

TEST_CASE("gpt2 dialogue: prompts, steps and all positions at once give the same scores",
          "[gpt2]") {
  const auto model = lively_model("dialogue: {}");
  const Texts all = {{7, 1, 11, 2, 10, 3, 11, 4}, {7, 2}, {11, 6, 10, 4}};
  const Tokens texts = pad_sentences(all);
  const at::Tensor whole = model->text_scores(texts);
  CHECK(whole.allclose(model->NextTokenModel::text_scores(texts), 1e-9, 1e-9));
  const auto state =
      model->start({.rows = 3, .prompt = pad_sentences({{7, 1, 11, 2}, {7}, {11, 6}})});
  const at::Tensor scores = model->step(*state, at::tensor({2, 7, 6}, at::kLong));
  CHECK(scores.allclose(whole.index_select(0, at::tensor({3, 7, 9}, at::kLong)), 1e-9, 1e-9));
  state->select_rows(at::tensor({2, 0}, at::kLong));
  // <speaker1> in both.
  const at::Tensor later = model->step(*state, at::tensor({10, 10}, at::kLong));
  CHECK(later[1].allclose(whole[4], 1e-9, 1e-9));
  CHECK(later[0].allclose(model->text_scores(pad_sentences({{11, 6, 10, 0}}))[2], 1e-9, 1e-9));
  const at::Tensor last = model->step(*state, at::tensor({4, 3}, at::kLong));
  CHECK(last[1].allclose(whole[5], 1e-9, 1e-9));
  CHECK(last[0].allclose(model->text_scores(pad_sentences({{11, 6, 10, 4, 0}}))[3], 1e-9, 1e-9));
}

TEST_CASE("gpt2 dialogue: the last tokens of a long context are read", "[gpt2]") {
  const auto model = lively_model("dialogue: {}");
  std::vector<int32_t> context = {7, 1, 2, 3, 4, 5, 6, 11, 1, 2, 10};
  const std::vector<double> found = sums(*model, batch_of({context}, {{3, 4}}, {{5, 6}}));
  const std::vector<int32_t> kept(context.begin() + 2, context.end());
  CHECK(found == sums(*model, batch_of({kept}, {{3, 4}}, {{5, 6}})));
  const std::vector<int32_t> shorter(context.begin() + 3, context.end());
  CHECK(found != sums(*model, batch_of({shorter}, {{3, 4}}, {{5, 6}})));
  CHECK_THROWS_WITH(sums(*model, batch_of({{7}}, {std::vector<int32_t>(11, 1)}, {{1}})),
                    Catch::Contains("a reply has 11 tokens"));
}

TEST_CASE("gpt2 dialogue: unlikelihood is of running text", "[gpt2]") {
  CHECK_THROWS_WITH(model_of("dialogue: {}, loss: {type: unlikelihood, prefix: 2, completion: 4}"),
                    Catch::Contains("not on dialogues"));
}
