#include "framework/core/nn/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/packing.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kFirstTokens = 64;  // tokens for which a cache is allocated at first

void check(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
           const AttentionScope& scope) {
  LVT_CHECK_SHAPE(queries, {-1, -1, -1, -1});
  LVT_CHECK_SHAPE(keys, {queries.size(0), queries.size(1), queries.size(2), queries.size(3)});
  LVT_CHECK_SHAPE(values, {queries.size(0), queries.size(1), queries.size(2), queries.size(3)});
  if (scope.lengths.defined()) LVT_CHECK_SHAPE(scope.lengths, {queries.size(0)});
}

/// True where a key is visible, broadcastable to [B, h, T, T]; undefined if only the causal mask
/// applies. Under the causal mask padding at the end is not seen by any token before it.
at::Tensor visible_keys(const at::Tensor& queries, const AttentionScope& scope) {
  if (scope.causal || !scope.lengths.defined()) return {};
  const at::Tensor positions = at::arange(queries.size(2), at::kLong);
  // An empty sentence sees its first position, so that its unused result is finite.
  const at::Tensor lengths = scope.lengths.clamp_min(1).unsqueeze(1);
  return (positions.unsqueeze(0) < lengths).to(queries.device()).unsqueeze(1).unsqueeze(1);
}

/// Mask of the attention weights, [B, h, T, T]: 0 or 1 / (1 - p). Pairs are numbered so that those
/// of the first t positions are the first t (t + 1) / 2 (causal) or t^2, for any T.
at::Tensor weight_mask(const at::Tensor& queries, bool causal, double p, const NoiseKey& key,
                       const at::Tensor& example_ids) {
  const int64_t time = queries.size(2), heads = queries.size(1);
  const at::Tensor position = at::arange(time, at::kLong);
  const at::Tensor query = position.unsqueeze(1), other = position.unsqueeze(0);
  const at::Tensor larger = at::maximum(query, other);
  // [T, T]. Causal: row by row of the lower triangle; pairs above it are masked and take any draw.
  const at::Tensor pair = causal
                              ? at::div(query * (query + 1), 2, "floor") + at::minimum(query, other)
                              : at::where(query == larger, larger * larger + other,
                                          larger * larger + larger + 1 + query);
  const int64_t pairs = causal ? time * (time + 1) / 2 : time * time;
  const at::Tensor drawn =
      dropout_mask(key, example_ids, {pairs, heads}, p,
                   at::TensorOptions().device(queries.device()).dtype(queries.scalar_type()))
          .div_(1 - p);
  return drawn.index_select(1, pair.view({-1}).to(queries.device()))
      .view({queries.size(0), time, time, heads})
      .permute({0, 3, 1, 2});
}

/// Rounds to bfloat16 in mixed precision.
at::Tensor rounded(const at::Tensor& x) {
  return MixedPrecisionScope::active() && x.scalar_type() == at::kFloat ? x.to(at::kBFloat16) : x;
}

}  // namespace

at::Tensor attention(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                     const AttentionScope& scope) {
  check(queries, keys, values, scope);
  const at::Tensor visible = visible_keys(queries, scope);
  return at::scaled_dot_product_attention(rounded(queries), rounded(keys), rounded(values),
                                          visible.defined() ? std::optional(visible) : std::nullopt,
                                          0.0, scope.causal)
      .to(queries.scalar_type());
}

at::Tensor attention_with_dropout(const at::Tensor& queries, const at::Tensor& keys,
                                  const at::Tensor& values, const AttentionScope& scope, double p,
                                  const NoiseKey& key, const at::Tensor& example_ids) {
  check(queries, keys, values, scope);
  LVT_ASSERT(p >= 0 && p < 1, "a dropout probability must be in [0, 1)");
  if (1 - p == 1) return attention(queries, keys, values, scope);
  const double scale = 1 / std::sqrt(static_cast<double>(queries.size(3)));
  at::Tensor scores = at::matmul(rounded(queries), rounded(keys).transpose(2, 3));
  scores = scores.to(queries.scalar_type()) * scale;
  const at::Tensor visible = visible_keys(queries, scope);
  if (scope.causal) {
    const int64_t time = queries.size(2);
    const at::Tensor later = at::ones({time, time}, scores.options().dtype(at::kBool)).triu(1);
    scores = scores.masked_fill(later, -kInfinity);
  } else if (visible.defined()) {
    scores = scores.masked_fill(visible.logical_not(), -kInfinity);
  }
  const at::Tensor weights =
      at::softmax(scores, 3) * weight_mask(queries, scope.causal, p, key, example_ids);
  return at::matmul(rounded(weights), rounded(values)).to(queries.scalar_type());
}

AttentionCache::AttentionCache(int64_t rows, int64_t layers)
    : layers_(layers), physical_(rows), row_of_(rows), lengths_(rows, 0) {
  std::iota(row_of_.begin(), row_of_.end(), 0);
}

bool AttentionCache::all_rows() const {
  if (rows() != physical_) return false;
  for (int64_t n = 0; n < physical_; ++n) {
    if (row_of_[n] != n) return false;
  }
  return true;
}

/// Allocates memory for `tokens` tokens, at least twice as many as before.
void AttentionCache::reserve(Layer& layer, const at::Tensor& like, int64_t tokens) {
  const int64_t held = layer.keys.defined() ? layer.keys.size(2) : 0;
  if (tokens <= held) return;
  const int64_t size = std::max({tokens, 2 * held, kFirstTokens});
  for (at::Tensor* stored : {&layer.keys, &layer.values}) {
    at::Tensor larger = at::zeros({physical_, like.size(1), size, like.size(-1)}, like.options());
    if (stored->defined()) larger.narrow(2, 0, held).copy_(*stored);
    *stored = larger;
  }
}

void AttentionCache::store(int64_t layer, const at::Tensor& keys, const at::Tensor& values) {
  LVT_CHECK_SHAPE(keys, {rows(), -1, -1, -1});
  LVT_ASSERT(all_rows(), "the first tokens are stored before texts are selected");
  const at::NoGradGuard no_grad;
  Layer& stored = layers_.at(layer);
  reserve(stored, rounded(keys), keys.size(2));
  stored.keys.narrow(2, 0, keys.size(2)).copy_(keys);
  stored.values.narrow(2, 0, keys.size(2)).copy_(values);
}

void AttentionCache::set_lengths(const at::Tensor& lengths) {
  LVT_CHECK_SHAPE(lengths, {rows()});
  const at::Tensor on_host = lengths.to(at::kCPU).contiguous();
  const auto* first = on_host.const_data_ptr<int64_t>();
  lengths_.assign(first, first + on_host.numel());
}

at::Tensor AttentionCache::attend(int64_t layer, const at::Tensor& queries, const at::Tensor& keys,
                                  const at::Tensor& values) {
  LVT_CHECK_SHAPE(queries, {rows(), -1, -1});
  LVT_CHECK_SHAPE(keys, {rows(), queries.size(1), queries.size(2)});
  LVT_CHECK_SHAPE(values, {rows(), queries.size(1), queries.size(2)});
  const at::NoGradGuard no_grad;
  if (rows() == 0) return at::empty_like(queries);
  Layer& stored = layers_.at(layer);
  const auto [shortest, longest] = std::minmax_element(lengths_.begin(), lengths_.end());
  const int64_t tokens = *longest + 1;
  reserve(stored, rounded(queries).unsqueeze(2), tokens);
  const at::ScalarType type = stored.keys.scalar_type();
  const bool all = all_rows();
  const at::Tensor index = index_tensor(row_of_, queries.device());
  const at::Tensor position = index_tensor(lengths_, queries.device());
  stored.keys.permute({0, 2, 1, 3}).index_put_({index, position}, keys.to(type));
  stored.values.permute({0, 2, 1, 3}).index_put_({index, position}, values.to(type));
  at::Tensor asked = queries.to(type);
  if (!all) {
    asked = at::zeros({physical_, queries.size(1), queries.size(2)}, stored.keys.options())
                .index_copy_(0, index, asked);
  }
  std::optional<at::Tensor> visible;
  if (*shortest != *longest) {
    at::Tensor ends = at::full({physical_}, *longest, position.options());
    ends.index_copy_(0, index, position);
    const at::Tensor positions = at::arange(tokens, position.options());
    visible = (positions.unsqueeze(0) <= ends.unsqueeze(1)).unsqueeze(1).unsqueeze(1);
  }
  const at::Tensor result =
      at::scaled_dot_product_attention(asked.unsqueeze(2), stored.keys.narrow(2, 0, tokens),
                                       stored.values.narrow(2, 0, tokens), visible)
          .squeeze(2)
          .to(queries.scalar_type());
  return all ? result : result.index_select(0, index);
}

void AttentionCache::advance() {
  for (int64_t& length : lengths_) ++length;
}

void AttentionCache::select_rows(const at::Tensor& index) {
  const at::NoGradGuard no_grad;
  const at::Tensor on_host = index.to(at::kCPU).contiguous();
  const auto* selected = on_host.const_data_ptr<int64_t>();
  std::vector<int64_t> physical, lengths;
  std::vector<bool> used(physical_, false);
  bool repeated = false;
  for (int64_t n = 0; n < on_host.numel(); ++n) {
    physical.push_back(row_of_.at(selected[n]));
    lengths.push_back(lengths_.at(selected[n]));
    repeated = repeated || used[physical.back()];
    used[physical.back()] = true;
  }
  row_of_ = std::move(physical);
  lengths_ = std::move(lengths);
  if (!repeated && 4 * rows() > 3 * physical_) return;
  for (Layer& layer : layers_) {
    if (!layer.keys.defined()) continue;
    const at::Tensor kept = index_tensor(row_of_, layer.keys.device());
    layer.keys = layer.keys.index_select(0, kept);
    layer.values = layer.values.index_select(0, kept);
  }
  physical_ = rows();
  std::iota(row_of_.begin(), row_of_.end(), 0);
}

}  // namespace lvtext
