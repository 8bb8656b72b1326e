#include "trainers/batch_prefetcher.h"

#include <ATen/ATen.h>

namespace lvtext {

BatchPrefetcher::BatchPrefetcher(std::shared_ptr<const DataLoader> stream, Cursor from)
    : stream_(std::move(stream)),
      cursor_(from),
      epochs_(static_cast<double>(from.epoch) +
              static_cast<double>(from.index) / static_cast<double>(stream_->batches(from.epoch))) {
}

Batch BatchPrefetcher::next() {
  if (!ahead_) {
    ahead_ = std::make_unique<Prefetcher<Item>>(
        [stream = stream_, at = cursor_, count = stream_->batches(cursor_.epoch)]() mutable {
          Item item;
          item.batch = stream->batch(at.epoch, at.index);
          if (++at.index == count) {
            at = {at.epoch + 1, 0};
            count = stream->batches(at.epoch);
          }
          item.after = at;
          item.epochs = static_cast<double>(at.epoch) +
                        static_cast<double>(at.index) / static_cast<double>(count);
          return std::optional<Item>(std::move(item));
        });
  }
  auto item = ahead_->next();
  cursor_ = item->after;
  epochs_ = item->epochs;
  return std::move(item->batch);
}

}  // namespace lvtext
