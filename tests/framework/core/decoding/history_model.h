// A model of a few words whose next token depends on the whole history, without matrix products:
// its scores are bitwise identical in every batch.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <utility>

#include "framework/core/model/capabilities.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/text/special_ids.h"

namespace lvtext::testing {

/// `size` ids; the first three are padding, BOS and EOS.
inline Vocabulary three_ids(int64_t size) {
  return {.size = static_cast<int32_t>(size), .bos = kBos, .eos = kEos, .pad = kPad};
}

/// h_t = h_{t-1} / 2 + table[id], scores h_t; h_0 is z [N, V] if present, else 0.
class HistoryModel : public NextTokenModel {
 public:
  explicit HistoryModel(at::Tensor table)
      : table_(std::move(table)), vocabulary_(three_ids(table_.size(1))) {}
  HistoryModel(at::Tensor table, const Vocabulary& vocabulary)
      : table_(std::move(table)), vocabulary_(vocabulary) {}
  HistoryModel(int64_t vocabulary, uint64_t seed)
      : HistoryModel(1.5 * normal_step({.seed = seed}, {vocabulary, vocabulary}, at::kFloat)) {}

  const at::Tensor& table() const { return table_; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }

  std::unique_ptr<DecodeState> start(const Start& start) override {
    auto state = std::make_unique<State>();
    state->h = start.z.defined() ? start.z : at::zeros({start.rows, table_.size(1)});
    if (!start.prompt) return state;
    const auto symbol = start_symbol();
    const at::Tensor ids = symbol ? with_bos(*start.prompt, *symbol) : start.prompt->ids;
    for (int64_t t = 0; t < ids.size(1); ++t) {
      const at::Tensor is_read = start.prompt->lengths.gt(symbol ? t : t + 1).unsqueeze(1);
      state->h = at::where(is_read, next(state->h, ids.select(1, t)), state->h);
    }
    return state;
  }

  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    fed_rows += ids.size(0);
    at::Tensor& h = static_cast<State&>(state).h;
    h = next(h, ids);
    return h;
  }

  int64_t fed_rows = 0;

 private:
  struct State : DecodeState {
    at::Tensor h;
    void select_rows(const at::Tensor& index) override { h = h.index_select(0, index); }
  };
  at::Tensor next(const at::Tensor& h, const at::Tensor& ids) const {
    return h / 2 + table_.index_select(0, ids);
  }

  at::Tensor table_;
  Vocabulary vocabulary_;
};

/// The same for running text: without start symbol and end, of at most `positions` tokens.
class RunningModel : public HistoryModel {
 public:
  RunningModel(int64_t vocabulary, uint64_t seed, double alpha = 1, int64_t positions = 1000)
      : HistoryModel(1.5 * normal_step({.seed = seed}, {vocabulary, vocabulary}, at::kFloat),
                     {.size = static_cast<int32_t>(vocabulary)}),
        alpha_(alpha),
        positions_(positions) {}
  OutputMap output_map() const override { return {alpha_}; }
  std::optional<int32_t> start_symbol() const override { return std::nullopt; }
  bool ends() const override { return false; }
  std::optional<int64_t> max_positions() const override { return positions_; }

 private:
  double alpha_;
  int64_t positions_;
};

}  // namespace lvtext::testing
