#include "models/skip_gram/skip_gram.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/core/base/error.h"
#include "framework/core/datasets/batches.h"
#include "framework/core/model/registration.h"
#include "framework/core/nn/init.h"
#include "framework/core/tensor/philox.h"
#include "models/skip_gram/alias_table.h"
#include "models/skip_gram/skip_gram_step.h"
#include "models/skip_gram/text_passes.h"

namespace lvtext {
namespace {

constexpr double kNoisePower = 0.75;
constexpr double kLowestRate = 1e-4;

/// Uses of the random numbers of a sentence, for mix_bits().
enum Use : uint64_t { kKept, kWindows, kNoise };

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
        passes_(std::accumulate(counts.begin(), counts.end(), int64_t{0}), options.epochs,
                progress),
        noise_(noise_table(counts)) {
    const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
    for (const int64_t count : counts) {
      keep_.push_back(count > 0 ? keep_probability(count, total, options.subsample) : -1);
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
    std::vector<Scratch> scratch(threads, {.gradient = std::vector<float>(stride_)});
    passes_.run(sentences_.size(), threads, [&](size_t thread, int64_t epoch, size_t i) {
      return learn(i, mix_bits(seed_, static_cast<uint64_t>(epoch), i), scratch[thread]);
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

  /// One pass over a sentence; returns the number of its tokens.
  int64_t learn(size_t index, uint64_t key, Scratch& scratch) {
    scratch.kept.clear();
    int64_t tokens = 0;
    for (const int32_t id : sentences_[index]) {
      if (keep_[id] < 0) continue;
      const uint64_t bits = mix_bits(key, kKept, static_cast<uint64_t>(tokens++));
      if (static_cast<double>(bits >> 11) * 0x1p-53 < keep_[id]) scratch.kept.push_back(id);
    }
    const auto lr = static_cast<float>(skip_gram_rate(options_.lr, passes_.share()));
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
    return tokens;
  }

  const SkipGramOptions& options_;
  uint64_t seed_;
  std::span<const TokenIds> sentences_;
  TextPasses passes_;
  AliasTable noise_;
  std::vector<double> keep_;  // by id; -1: not a token of the text
  int64_t stride_ = 0;        // floats of a vector, padded
  at::Tensor inputs_, outputs_;
  float *input_rows_ = nullptr, *output_rows_ = nullptr;
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
