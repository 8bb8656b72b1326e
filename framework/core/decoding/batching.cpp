#include "framework/core/decoding/batching.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>

namespace lvtext {
namespace {

using Work = std::function<void(const Tokens&, const at::Tensor& indices)>;

void batch_by_length(std::span<const TokenIds> sentences, int64_t batch, bool equal_lengths,
                     const Work& work) {
  const at::NoGradGuard no_grad;
  std::vector<int64_t> order(sentences.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return sentences[a].size() > sentences[b].size(); });
  for (auto first = order.begin(); first != order.end();) {
    auto last = first + std::min<int64_t>(batch, order.end() - first);
    if (equal_lengths) {
      last = std::find_if(first, last, [&](int64_t index) {
        return sentences[index].size() != sentences[*first].size();
      });
    }
    const std::vector<int64_t> indices(first, last);
    std::vector<TokenIds> rows;
    for (const int64_t index : indices) rows.push_back(sentences[index]);
    work(pad_sentences(rows), at::tensor(indices, at::kLong));
    first = last;
  }
}

}  // namespace

void for_each_batch(std::span<const TokenIds> sentences, int64_t batch, const Work& work) {
  batch_by_length(sentences, batch, /*equal_lengths=*/false, work);
}

void for_each_unpadded_batch(std::span<const TokenIds> sentences, int64_t batch, const Work& work) {
  batch_by_length(sentences, batch, /*equal_lengths=*/true, work);
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
