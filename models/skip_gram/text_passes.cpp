#include "models/skip_gram/text_passes.h"

#include "framework/core/base/parallel.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"

namespace lvtext {

std::vector<int64_t> token_counts(const Text& text, const Vocabulary& vocabulary, bool unknown) {
  std::vector<int64_t> counts(vocabulary.size);
  for (const TokenIds& sentence : text.ids()) {
    for (const int32_t id : sentence) ++counts[id];
  }
  for (const auto& id : {vocabulary.bos, vocabulary.eos, vocabulary.pad}) {
    if (id) counts[*id] = 0;
  }
  if (vocabulary.unk && !unknown) counts[*vocabulary.unk] = 0;
  return counts;
}

TextPasses::TextPasses(int64_t tokens, int64_t epochs, const Notify& progress)
    : epochs_(epochs),
      planned_(static_cast<double>(tokens) * static_cast<double>(epochs)),
      progress_(progress) {}

void TextPasses::run(size_t sentences, size_t threads, const Learn& learn) {
  parallel_for(threads, static_cast<int>(threads), [&](size_t thread) {
    const size_t begin = sentences * thread / threads;
    const size_t end = sentences * (thread + 1) / threads;
    for (int64_t epoch = 0; epoch < epochs_; ++epoch) {
      for (size_t i = begin; i < end; ++i) {
        throw_if_stopped();
        done_.fetch_add(learn(thread, epoch, i), std::memory_order_relaxed);
        if (thread == 0) report(epoch);
      }
    }
  });
}

double TextPasses::share() const {
  return static_cast<double>(done_.load(std::memory_order_relaxed)) / planned_;
}

void TextPasses::report(int64_t epoch) {
  const auto percent = static_cast<int64_t>(100 * share());
  if (percent == reported_) return;
  reported_ = percent;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
  const auto done = static_cast<double>(done_.load(std::memory_order_relaxed));
  progress_("epoch " + std::to_string(epoch + 1) + "/" + std::to_string(epochs_) + " | " +
            std::to_string(percent) + " % | " +
            format_count(static_cast<int64_t>(done / seconds.count())) + " tok/s");
}

}  // namespace lvtext
