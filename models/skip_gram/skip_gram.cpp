#include "models/skip_gram/skip_gram.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/base/parallel.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/data/batches.h"
#include "framework/core/model/registration.h"
#include "framework/core/nn/init.h"
#include "framework/core/tensor/philox.h"
#include "models/skip_gram/alias_table.h"
#include "models/skip_gram/skip_gram_step.h"

namespace lvtext {
namespace {

constexpr double kNoisePower = 0.75;
constexpr double kLowestRate = 1e-4;

/// Uses of the random numbers of a sentence, for mix_bits().
enum Use : uint64_t { kKept, kWindows, kNoise };

/// Occurrences of each token; 0 for special ids, and for the unknown token unless `unknown`.
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

AliasTable noise_table(const std::vector<int64_t>& counts) {
  std::vector<double> weights;
  for (const int64_t count : counts) {
    weights.push_back(std::pow(static_cast<double>(count), kNoisePower));
  }
  return AliasTable(weights);
}

/// One fit: the vectors, the probabilities of the text, and the progress of all threads.
class Fit {
 public:
  Fit(const SkipGramOptions& options, uint64_t seed, const Text& text,
      const std::vector<int64_t>& counts, const Notify& progress)
      : options_(options),
        seed_(mix_bits(seed, noise_use("skip_gram"), 0)),
        sentences_(text.ids()),
        total_(std::accumulate(counts.begin(), counts.end(), int64_t{0})),
        planned_(static_cast<double>(total_) * static_cast<double>(options.epochs)),
        noise_(noise_table(counts)),
        progress_(progress) {
    for (const int64_t count : counts) {
      keep_.push_back(count > 0 ? keep_probability(count, total_, options.subsample) : -1);
    }
    const auto size = static_cast<int64_t>(counts.size());
    // Padding values stay 0.
    stride_ = (options.width + kSkipGramLanes - 1) / kSkipGramLanes * kSkipGramLanes;
    inputs_ = at::zeros({size, stride_});
    outputs_ = at::zeros({size, stride_});
    const double bound = 0.5 / static_cast<double>(options.width);
    inputs_.slice(1, 0, options.width)
        .copy_(uniform_init({seed, "vectors"}, {size, options.width}, bound));
    input_rows_ = inputs_.mutable_data_ptr<float>();
    output_rows_ = outputs_.mutable_data_ptr<float>();
  }

  /// Returns the input vectors, [V, D].
  at::Tensor run() {
    const auto threads = static_cast<size_t>(options_.threads);
    parallel_for(threads, static_cast<int>(threads), [&](size_t thread) {
      Scratch scratch{.gradient = std::vector<float>(stride_)};
      const size_t begin = sentences_.size() * thread / threads;
      const size_t end = sentences_.size() * (thread + 1) / threads;
      for (int64_t epoch = 0; epoch < options_.epochs; ++epoch) {
        for (size_t i = begin; i < end; ++i) {
          throw_if_stopped();
          learn(i, mix_bits(seed_, static_cast<uint64_t>(epoch), i), scratch);
          if (thread == 0) report(epoch);
        }
      }
    });
    return inputs_.slice(1, 0, options_.width);
  }

 private:
  /// Memory of a thread.
  struct Scratch {
    std::vector<int32_t> kept = {};
    std::vector<TokenPair> pairs = {};
    std::vector<float*> outputs = {};
    std::vector<float> gradient;
  };

  /// One pass over a sentence.
  void learn(size_t index, uint64_t key, Scratch& scratch) {
    scratch.kept.clear();
    int64_t tokens = 0;
    for (const int32_t id : sentences_[index]) {
      if (keep_[id] < 0) continue;
      const uint64_t bits = mix_bits(key, kKept, static_cast<uint64_t>(tokens++));
      if (static_cast<double>(bits >> 11) * 0x1p-53 < keep_[id]) scratch.kept.push_back(id);
    }
    const double share = static_cast<double>(done_.load(std::memory_order_relaxed)) / planned_;
    const auto lr = static_cast<float>(skip_gram_rate(options_.lr, share));
    skip_gram_pairs(scratch.kept, options_.window, mix_bits(key, kWindows, 0), scratch.pairs);
    uint64_t draws = 0;
    for (const auto& [input, target] : scratch.pairs) {
      scratch.outputs.assign(1, output_rows_ + target * stride_);
      for (int64_t n = 0; n < options_.negatives; ++n) {
        const int32_t noise = noise_.draw(mix_bits(key, kNoise, draws++));
        if (noise != target) scratch.outputs.push_back(output_rows_ + noise * stride_);
      }
      skip_gram_step(input_rows_ + input * stride_, scratch.outputs, stride_, lr,
                     scratch.gradient.data());
    }
    done_.fetch_add(tokens, std::memory_order_relaxed);
  }

  /// Reports each percent of the work.
  void report(int64_t epoch) {
    const int64_t done = done_.load(std::memory_order_relaxed);
    const auto percent = static_cast<int64_t>(100 * static_cast<double>(done) / planned_);
    if (percent == reported_) return;
    reported_ = percent;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
    progress_("epoch " + std::to_string(epoch + 1) + "/" + std::to_string(options_.epochs) + " | " +
              std::to_string(percent) + " % | " +
              format_count(static_cast<int64_t>(static_cast<double>(done) / seconds.count())) +
              " tok/s");
  }

  const SkipGramOptions& options_;
  uint64_t seed_;
  std::span<const TokenIds> sentences_;
  int64_t total_;   // tokens of the text without special ids
  double planned_;  // tokens of all epochs
  AliasTable noise_;
  std::vector<double> keep_;  // by id; -1: not a token of the text
  int64_t stride_ = 0;        // floats of a vector, padded
  at::Tensor inputs_, outputs_;
  float *input_rows_ = nullptr, *output_rows_ = nullptr;
  std::atomic<int64_t> done_ = 0;  // tokens read, including omitted ones
  const Notify& progress_;
  int64_t reported_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

double keep_probability(int64_t count, int64_t total, double subsample) {
  if (subsample == 0) return 1;
  const double x = static_cast<double>(count) / (subsample * static_cast<double>(total));
  return std::min(1.0, (std::sqrt(x) + 1) / x);
}

double skip_gram_rate(double lr, double share) {
  return lr * std::max(kLowestRate, 1 - share);
}

void skip_gram_pairs(std::span<const int32_t> sentence, int64_t window, uint64_t key,
                     std::vector<TokenPair>& pairs) {
  pairs.clear();
  for (int64_t i = 0; i < std::ssize(sentence); ++i) {
    const auto bits = mix_bits(key, static_cast<uint64_t>(i), 0);
    const auto reach = static_cast<int64_t>(1 + bits % static_cast<uint64_t>(window));
    const int64_t end = std::min(std::ssize(sentence), i + reach + 1);
    for (int64_t j = std::max<int64_t>(0, i - reach); j < end; ++j) {
      if (j != i) pairs.emplace_back(sentence[j], sentence[i]);
    }
  }
}

std::vector<InputDecl> SkipGram::inputs(const SkipGramOptions&) {
  return {{.name = "data",
           .help = "text whose tokens receive vectors",
           .by_default = reference("data.train")}};
}

SkipGram::SkipGram(const SkipGramOptions& options, const ModelInputs& inputs)
    : options_(options),
      seed_(inputs.seed),
      vocabulary_(inputs.vocabulary("data", "text")),
      vectors_(register_buffer("vectors", at::zeros({vocabulary_.size, options.width}))) {}

void SkipGram::fit(const Inputs& inputs, const Notify& progress) {
  const Text& text = inputs.text("data");
  const std::vector<int64_t> counts =
      token_counts(text, vocabulary_, options_.unknown.value_or(false));
  if (std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count == 0; })) {
    throw DataError("skip_gram: the text has no tokens except special ones");
  }
  const at::Tensor occurs = at::tensor(counts).gt(0).unsqueeze(1);
  const at::Tensor fitted = Fit(options_, seed_, text, counts, progress).run();
  vectors_.copy_(fitted * occurs);
}

void register_skip_gram(Registries& registries) {
  add_fit<SkipGram, SkipGramOptions>(
      registries, "skip_gram", "Word vectors by skip-gram with negative sampling",
      {"Mikolov, Sutskever, Chen, Corrado and Dean 2013", "https://arxiv.org/abs/1310.4546"});
}

}  // namespace lvtext
