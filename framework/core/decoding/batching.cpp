#include "framework/core/decoding/batching.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

namespace lvtext {

void for_each_batch(std::span<const TokenIds> sentences, int64_t batch,
                    const std::function<void(const Tokens&, const at::Tensor& indices)>& work) {
  at::NoGradGuard no_grad;
  std::vector<int64_t> order(sentences.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return sentences[a].size() > sentences[b].size(); });
  const auto n = static_cast<int64_t>(sentences.size());
  for (int64_t first = 0; first < n; first += batch) {
    const std::vector<int64_t> indices(order.begin() + first,
                                       order.begin() + std::min(n, first + batch));
    std::vector<TokenIds> rows;
    for (const int64_t index : indices) rows.push_back(sentences[index]);
    work(pad_sentences(rows), at::tensor(indices, at::kLong));
  }
}

at::Tensor rows_of_batches(std::span<const TokenIds> sentences, int64_t batch,
                           const std::function<at::Tensor(const Tokens&)>& compute) {
  std::vector<at::Tensor> rows, indices;
  for_each_batch(sentences, batch, [&](const Tokens& tokens, const at::Tensor& at_indices) {
    rows.push_back(compute(tokens).to(at::kCPU));
    indices.push_back(at_indices);
  });
  if (rows.empty()) return {};
  const at::Tensor all = at::cat(rows);
  return at::empty_like(all).index_copy_(0, at::cat(indices), all);
}

std::vector<double> to_doubles(const at::Tensor& values) {
  if (!values.defined()) return {};
  const at::Tensor wide = values.to(at::kCPU, at::kDouble).contiguous();
  const double* first = wide.const_data_ptr<double>();
  return {first, first + wide.numel()};
}

}  // namespace lvtext
