#include "framework/core/nn/recurrent_layer.h"

#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"

using namespace lvtext;

namespace {

constexpr int64_t kBatch = 5, kTime = 6, kInput = 3, kHidden = 4, kVocabulary = 7;

struct Sentences {
  at::Tensor ids =
      (uniform_step({.seed = 13}, {kBatch, kTime}, at::kFloat) * kVocabulary).to(at::kLong);
  at::Tensor table = normal_step({.seed = 12}, {kVocabulary, kInput}, at::kFloat);
  at::Tensor lengths = at::tensor({4, 1, 6, 6, 0}, at::kLong);
};

std::vector<std::string> names_of(const torch::nn::Module& module) {
  return module.named_parameters().keys();
}

}  // namespace

TEST_CASE("recurrent layer: every cell equals LibTorch's", "[nn]") {
  const CellType cell = GENERATE(CellType::kLstm, CellType::kGru);
  torch::nn::Module owner;
  const auto layer = make_recurrent_layer({owner, {1}}, {cell, kInput, kHidden});
  const auto& w = layer->weights();
  const std::vector<at::Tensor> params{w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh};
  const Sentences s;
  const at::Tensor input = at::embedding(s.table, s.ids);
  const RecurrentState first = layer->zero_state(kBatch);
  CHECK(first.c.defined() == layer->has_cell());
  const auto ours = layer->forward_words(s.ids, s.table, {}, first);
  const at::Tensor h0 = first.h.unsqueeze(0);
  at::Tensor outputs;
  if (layer->has_cell()) {
    const auto theirs =
        at::lstm(input, {h0, h0}, params, true, 1, 0.0, false, false, /*batch_first=*/true);
    outputs = std::get<0>(theirs);
    CHECK(ours.state.c.allclose(std::get<2>(theirs)[0], 1e-5, 1e-6));
  } else {
    outputs =
        std::get<0>(at::gru(input, h0, params, true, 1, 0.0, false, false, /*batch_first=*/true));
  }
  CHECK(ours.outputs.allclose(outputs, 1e-5, 1e-6));
  CHECK(ours.state.h.allclose(outputs.select(1, kTime - 1), 1e-5, 1e-6));
}

TEST_CASE("recurrent layer: rows of a state are selected, reordered and repeated", "[nn]") {
  const CellType cell = GENERATE(CellType::kLstm, CellType::kGru);
  torch::nn::Module owner;
  const auto layer = make_recurrent_layer({owner, {1}}, {cell, kInput, kHidden});
  const Sentences s;
  const at::Tensor bias = normal_step({.seed = 14}, {kBatch, layer->gates()}, at::kFloat);
  const at::Tensor index = at::tensor({3, 0, 0, 4, 3, 1}, at::kLong);
  const auto forward = [&](const at::Tensor& ids, const at::Tensor& sentence_bias) {
    return layer->forward_words(ids, s.table, {}, {}, {.sentence_bias = sentence_bias});
  };
  const auto whole = forward(s.ids.index_select(0, index), bias.index_select(0, index));
  RecurrentState state = layer->zero_state(kBatch);
  for (int64_t t = 0; t < kTime; ++t) {
    const bool chosen = t >= 2;
    if (t == 2) state.select_rows(index);
    const at::Tensor ids = s.ids.select(1, t);
    const at::Tensor input = at::embedding(s.table, chosen ? ids.index_select(0, index) : ids);
    layer->step(input, {}, chosen ? bias.index_select(0, index) : bias, state);
  }
  CHECK(state.h.allclose(whole.state.h, 1e-5, 1e-6));
  CHECK(state.c.defined() == layer->has_cell());
  if (state.c.defined()) CHECK(state.c.allclose(whole.state.c, 1e-5, 1e-6));
  // Copied rows are equal after equal updates, and share no memory.
  CHECK(state.h[1].equal(state.h[2]));
  layer->step(s.table.slice(0, 0, 6), {}, {}, state);
  CHECK_FALSE(state.h[1].equal(state.h[2]));
}

TEST_CASE("recurrent encoder: both directions end at each sentence's own ends", "[nn]") {
  const CellType cell = GENERATE(CellType::kLstm, CellType::kGru);
  torch::nn::Module owner;
  const RecurrentEncoder both =
      make_recurrent_encoder({owner, {1}}, {cell, kInput, kHidden}, /*bidirectional=*/true);
  CHECK(both.width() == 2 * kHidden);
  const Sentences s;
  const auto states = both.final_states(s.ids, s.table, s.lengths);
  const auto outputs = both.outputs(at::embedding(s.table, s.ids), s.lengths);
  CHECK(states.sizes() == at::IntArrayRef({kBatch, 2 * kHidden}));
  for (int64_t b = 0; b < 4; ++b) {
    const int64_t last = s.lengths[b].item<int64_t>() - 1;
    CHECK(states[b].slice(0, 0, kHidden).equal(outputs[b][last].slice(0, 0, kHidden)));
    CHECK(states[b].slice(0, kHidden).equal(outputs[b][0].slice(0, kHidden)));
  }
  CHECK(states[4].abs().sum().item<float>() == 0);
}

TEST_CASE("recurrent layer: parameters have torch's names", "[nn]") {
  const auto names = [](CellType cell, bool bidirectional) {
    torch::nn::Module owner;
    make_recurrent_encoder({owner, {1}}, {cell, kInput, kHidden}, bidirectional);
    return names_of(owner);
  };
  CHECK(names(CellType::kLstm, false) ==
        std::vector<std::string>{"lstm.weight_ih_l0", "lstm.weight_hh_l0", "lstm.bias_ih_l0",
                                 "lstm.bias_hh_l0"});
  CHECK(names(CellType::kLstm, true)[4] == "lstm.weight_ih_l0_reverse");
  CHECK(names(CellType::kGru, false)[0] == "gru.weight_ih_l0");
  CHECK(names(CellType::kGru, true)[4] == "gru_reverse.weight_ih_l0");
}
