// A packed corpus as a stream of padded batches.
#pragma once

#include <memory>
#include <mutex>

#include "framework/data/batches.h"
#include "framework/data/packed.h"
#include "framework/model/stream.h"

namespace lvtext {

/// Batches with one text field, "text"; example ids are sentence numbers.
class CorpusStream : public Stream {
 public:
  /// Throws DataError for an empty corpus.
  CorpusStream(std::shared_ptr<const PackedCorpus> corpus, const BatchOptions& options);
  int64_t batches(int64_t epoch) const override;
  Batch batch(int64_t epoch, int64_t index) const override;

 private:
  std::shared_ptr<const PackedCorpus> corpus_;
  mutable std::mutex mutex_;  // the plan keeps one epoch and is not thread-safe itself
  mutable BatchPlan plan_;
};

/// Sentences `rows` of a corpus as one batch with the field "text".
Batch make_batch(const PackedCorpus& corpus, const std::vector<int64_t>& rows);

}  // namespace lvtext
