#include "framework/model/corpus_stream.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lvtext {

CorpusStream::CorpusStream(std::shared_ptr<const PackedCorpus> corpus, const BatchOptions& options)
    : corpus_(std::move(corpus)), plan_(corpus_->lengths(), options) {}

int64_t CorpusStream::batches(int64_t epoch) const {
  const std::lock_guard lock(mutex_);
  return plan_.batch_count(epoch);
}

Batch CorpusStream::batch(int64_t epoch, int64_t index) const {
  std::vector<int64_t> rows;
  {
    const std::lock_guard lock(mutex_);
    rows = plan_.batch(epoch, index);
  }
  return make_batch(*corpus_, rows);
}

Batch make_batch(const PackedCorpus& corpus, const std::vector<int64_t>& rows) {
  int64_t longest = 1;
  for (int64_t row : rows) longest = std::max(longest, corpus.length(row));
  const auto count = static_cast<int64_t>(rows.size());
  Batch batch;
  batch.example_ids = at::empty({count}, at::kLong);
  at::Tensor ids = at::full({count, longest}, kPad, at::kLong);
  at::Tensor lengths = at::empty({count}, at::kLong);
  auto* id = batch.example_ids.mutable_data_ptr<int64_t>();
  auto* length = lengths.mutable_data_ptr<int64_t>();
  auto* token = ids.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    id[i] = rows[i];
    length[i] = corpus.length(rows[i]);
    corpus.copy(rows[i], token + i * longest);
  }
  batch.fields["text"] = ids;
  batch.fields["text.lengths"] = lengths;
  return batch;
}

}  // namespace lvtext
