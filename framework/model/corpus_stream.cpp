#include "framework/model/corpus_stream.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lvtext {

namespace {

/// Adds a text as [B, T] ids with their lengths.
void add_text(Batch& batch, const PackedField& field, const std::vector<int64_t>& places) {
  const PackedCorpus& corpus = *field.corpus;
  int64_t longest = 1;
  for (const int64_t place : places) longest = std::max(longest, corpus.length(place));
  const auto count = static_cast<int64_t>(places.size());
  at::Tensor ids = at::full({count, longest}, kPad, at::kLong);
  at::Tensor lengths = at::empty({count}, at::kLong);
  auto* length = lengths.mutable_data_ptr<int64_t>();
  auto* token = ids.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    length[i] = corpus.length(places[i]);
    corpus.copy(places[i], token + i * longest);
  }
  batch.fields[field.name] = ids;
  batch.fields[field.name + ".lengths"] = lengths;
}

}  // namespace

CorpusStream::CorpusStream(PackedRows rows, const BatchOptions& options)
    : rows_(std::move(rows)), plan_(rows_.lengths(), options) {}

int64_t CorpusStream::batches(int64_t epoch) const {
  const std::lock_guard lock(mutex_);
  return plan_.batch_count(epoch);
}

Batch CorpusStream::batch(int64_t epoch, int64_t index) const {
  std::vector<int64_t> places;
  {
    const std::lock_guard lock(mutex_);
    places = plan_.batch(epoch, index);
  }
  return make_batch(rows_, places);
}

Batch make_batch(const PackedRows& rows, const std::vector<int64_t>& places) {
  Batch batch;
  batch.example_ids = at::tensor(places, at::kLong);
  for (const auto& field : rows.fields()) {
    if (!field.is_label) {
      add_text(batch, field, places);
      continue;
    }
    at::Tensor labels = at::empty_like(batch.example_ids);
    auto* label = labels.mutable_data_ptr<int64_t>();
    for (const int64_t place : places) field.corpus->copy(place, label++);
    batch.fields[field.name] = labels;
  }
  return batch;
}

}  // namespace lvtext
