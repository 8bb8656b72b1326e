#include "framework/core/nn/distinct_words.h"

#include "framework/core/base/error.h"
#include "framework/core/nn/vector_math.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

/// Numbers words in order of first appearance.
class Numbering {
 public:
  explicit Numbering(int64_t vocabulary) : index_(vocabulary, -1) {}
  int64_t index(int64_t id) {
    LVT_ASSERT(id >= 0 && id < static_cast<int64_t>(index_.size()), "word ids must be in 0..V-1");
    if (index_[id] < 0) {
      index_[id] = static_cast<int64_t>(ids_.size());
      ids_.push_back(id);
    }
    return index_[id];
  }
  at::Tensor ids() const { return at::tensor(ids_, at::kLong); }

 private:
  std::vector<int64_t> index_, ids_;
};

/// Returns the distinct words of `count` tokens; token n is at index source(n) of `ids`.
template <typename Source>
DistinctWords words_of(const at::Tensor& ids, int64_t vocabulary, int64_t count,
                       const Source& source) {
  const at::Tensor host = ids.contiguous();
  const int64_t* id = host.const_data_ptr<int64_t>();
  Numbering numbering(vocabulary);
  DistinctWords words;
  words.index.reserve(count);
  for (int64_t n = 0; n < count; ++n) {
    words.index.push_back(numbering.index(id[source(n)]));
  }
  words.ids = numbering.ids();
  return words;
}

LVT_WIDEST void add_row(const float* x, int64_t width, float* sum) {
#pragma omp simd
  for (int64_t k = 0; k < width; ++k) {
    sum[k] += x[k];
  }
}

void add_row(const double* x, int64_t width, double* sum) {
  for (int64_t k = 0; k < width; ++k) {
    sum[k] += x[k];
  }
}

template <typename T>
void sum_rows(const T* x, int64_t width, const RowGroups& groups, T* out) {
  const auto count = static_cast<int64_t>(groups.starts.size()) - 1;
  at::parallel_for(0, count, 8, [&](int64_t from, int64_t to) {
    for (int64_t g = from; g < to; ++g) {
      T* sum = out + g * width;
      std::fill(sum, sum + width, T{0});
      for (int64_t i = groups.starts[g]; i < groups.starts[g + 1]; ++i) {
        add_row(x + groups.rows[i] * width, width, sum);
      }
    }
  });
}

}  // namespace

DistinctWords distinct_words(const at::Tensor& ids, int64_t vocabulary) {
  LVT_ASSERT(ids.is_cpu() && ids.dim() == 1 && ids.scalar_type() == at::kLong,
             "word ids must be [N] int64 on the CPU");
  return words_of(ids, vocabulary, ids.size(0), [](int64_t n) { return n; });
}

DistinctWords distinct_words(const at::Tensor& ids, const PackPlan& plan, int64_t vocabulary) {
  LVT_ASSERT(ids.is_cpu() && ids.dim() == 2 && ids.scalar_type() == at::kLong,
             "word ids must be [B, T] int64 on the CPU");
  return words_of(ids, vocabulary, plan.rows, [&](int64_t n) { return plan.source[n]; });
}

RowGroups group_rows(const std::vector<int64_t>& group, int64_t count) {
  RowGroups groups;
  groups.starts.assign(count + 1, 0);
  for (const int64_t g : group) {
    ++groups.starts[g + 1];
  }
  for (int64_t g = 0; g < count; ++g) {
    groups.starts[g + 1] += groups.starts[g];
  }
  groups.rows.resize(group.size());
  std::vector<int64_t> next(groups.starts.begin(), groups.starts.end() - 1);
  for (size_t n = 0; n < group.size(); ++n) {
    groups.rows[next[group[n]]++] = static_cast<int64_t>(n);
  }
  return groups;
}

at::Tensor sum_groups(const at::Tensor& x, const RowGroups& groups) {
  const auto count = static_cast<int64_t>(groups.starts.size()) - 1;
  const at::Tensor rows = x.contiguous();
  at::Tensor sums = at::empty({count, x.size(1)}, x.options());
  if (x.scalar_type() == at::kDouble) {
    sum_rows(rows.const_data_ptr<double>(), x.size(1), groups, sums.mutable_data_ptr<double>());
  } else {
    sum_rows(rows.const_data_ptr<float>(), x.size(1), groups, sums.mutable_data_ptr<float>());
  }
  return sums;
}

}  // namespace lvtext
