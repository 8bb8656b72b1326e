#include "framework/core/nn/packing.h"

#include <algorithm>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

std::vector<int64_t> read_lengths(const at::Tensor& lengths, int64_t batch, int64_t time) {
  if (!lengths.defined()) {
    return std::vector<int64_t>(batch, time);
  }
  LVT_ASSERT(lengths.dim() == 1 && lengths.size(0) == batch, "lengths must be [B]");
  const at::Tensor host = lengths.to(at::kCPU, at::kLong).contiguous();
  const int64_t* first = host.const_data_ptr<int64_t>();
  std::vector<int64_t> result(first, first + batch);
  for (int64_t length : result) {
    LVT_ASSERT(length >= 0 && length <= time, "lengths must be in 0..T");
  }
  return result;
}

/// Rows of [B * T] that are tokens, not padding; sentence by sentence.
at::Tensor real_rows(const std::vector<int64_t>& lengths, int64_t time) {
  const int64_t total = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  at::Tensor rows = at::empty({total}, at::kLong);
  int64_t* out = rows.mutable_data_ptr<int64_t>();
  for (size_t b = 0; b < lengths.size(); ++b) {
    std::iota(out, out + lengths[b], static_cast<int64_t>(b) * time);
    out += lengths[b];
  }
  return rows;
}

}  // namespace

PackPlan plan_packing(const at::Tensor& lengths, int64_t batch, int64_t time, bool reverse) {
  const auto host = read_lengths(lengths, batch, time);
  PackPlan plan;
  plan.order.resize(batch);
  std::iota(plan.order.begin(), plan.order.end(), int64_t{0});
  std::stable_sort(plan.order.begin(), plan.order.end(),
                   [&](int64_t a, int64_t b) { return host[a] > host[b]; });
  plan.source.reserve(std::accumulate(host.begin(), host.end(), int64_t{0}));
  int64_t alive = batch;
  for (int64_t t = 0; t < time; ++t) {
    while (alive > 0 && host[plan.order[alive - 1]] <= t) {
      --alive;
    }
    if (alive == 0) {
      break;
    }
    plan.sizes.push_back(alive);
    plan.offsets.push_back(plan.rows);
    for (int64_t i = 0; i < alive; ++i) {
      const int64_t b = plan.order[i];
      plan.source.push_back(b * time + (reverse ? host[b] - 1 - t : t));
    }
    plan.rows += alive;
  }
  return plan;
}

at::Tensor index_tensor(const std::vector<int64_t>& values, const at::Device& device) {
  return at::tensor(values, at::kLong).to(device);
}

at::Tensor sort_sentences(const at::Tensor& x, const PackPlan& plan) {
  return x.index_select(0, index_tensor(plan.order, x.device()));
}

at::Tensor unsort_sentences(const at::Tensor& sorted, const PackPlan& plan) {
  std::vector<int64_t> index(plan.order.size());
  for (size_t i = 0; i < index.size(); ++i) {
    index[plan.order[i]] = static_cast<int64_t>(i);
  }
  return sorted.index_select(0, index_tensor(index, sorted.device()));
}

at::Tensor to_packed(const at::Tensor& padded, const PackPlan& plan) {
  return padded.flatten(0, 1).index_select(0, index_tensor(plan.source, padded.device()));
}

at::Tensor from_packed(const at::Tensor& packed, const PackPlan& plan, int64_t time) {
  const auto batch = static_cast<int64_t>(plan.order.size());
  auto shape = packed.sizes().vec();
  shape[0] = batch * time;
  return at::zeros(shape, packed.options())
      .index_copy(0, index_tensor(plan.source, packed.device()), packed)
      .unflatten(0, {batch, time});
}

at::Tensor final_states(const std::vector<at::Tensor>& states, const at::Tensor& initial,
                        const PackPlan& plan) {
  std::vector<at::Tensor> parts;  // the longest sentences are first and end last
  int64_t longer = 0;
  for (int64_t t = plan.steps() - 1; t >= 0; --t) {
    if (plan.sizes[t] > longer) {
      parts.push_back(states[t].slice(0, longer, plan.sizes[t]));
      longer = plan.sizes[t];
    }
  }
  parts.push_back(initial.slice(0, longer));
  return at::cat(parts);
}

at::Tensor pack_rows(const at::Tensor& padded, const at::Tensor& lengths) {
  const int64_t batch = padded.size(0), time = padded.size(1);
  const auto host = read_lengths(lengths, batch, time);
  at::Tensor flat = padded.flatten(0, 1);
  if (std::all_of(host.begin(), host.end(), [&](int64_t length) { return length == time; })) {
    return flat;
  }
  return flat.index_select(0, real_rows(host, time).to(padded.device()));
}

at::Tensor unpack_rows(const at::Tensor& rows, const at::Tensor& lengths, int64_t time) {
  const int64_t batch = lengths.size(0);
  const auto index = real_rows(read_lengths(lengths, batch, time), time).to(rows.device());
  LVT_ASSERT(index.size(0) == rows.size(0), "the number of rows must equal the number of tokens");
  auto shape = rows.sizes().vec();
  shape[0] = batch * time;
  const at::Tensor flat = at::zeros(shape, rows.options()).index_copy(0, index, rows);
  return flat.unflatten(0, {batch, time});
}

at::Tensor sum_by_sentence(const at::Tensor& rows, const at::Tensor& lengths) {
  const int64_t batch = lengths.size(0);
  const int64_t time = batch > 0 ? lengths.max().item<int64_t>() : 0;
  // Sums padded rows because index_add is not deterministic on CUDA.
  return unpack_rows(rows, lengths, time).sum(1);
}

}  // namespace lvtext
