#include "models/sent2vec/sent2vec.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>

#include "framework/core/base/error.h"
#include "framework/core/datasets/batches.h"
#include "framework/core/model/registration.h"
#include "framework/core/tensor/philox.h"
#include "models/skip_gram/alias_table.h"
#include "models/skip_gram/skip_gram_step.h"
#include "models/skip_gram/text_passes.h"

namespace lvtext {
namespace {

constexpr uint64_t kHashFactor = 116049371;
constexpr uint64_t kPlaceholder = 0;
constexpr int64_t kMaxDraws = 1000;  // of noise words for one predicted word and noise word

/// Code of a word in hashes of n-grams; the placeholder has 0.
uint64_t code_of(int64_t id) {
  return static_cast<uint64_t>(id) + 1;
}

/// Ids of the words of each sentence: those with a count.
std::vector<TokenIds> counted_words(std::span<const TokenIds> sentences,
                                    const std::vector<int64_t>& counts) {
  std::vector<TokenIds> words;
  for (const TokenIds& sentence : sentences) {
    words.emplace_back();
    for (const int32_t id : sentence) {
      if (counts[id] > 0) words.back().push_back(id);
    }
  }
  return words;
}

AliasTable root_table(const std::vector<int64_t>& counts) {
  std::vector<double> weights;
  for (const int64_t count : counts) weights.push_back(std::sqrt(static_cast<double>(count)));
  return AliasTable(weights);
}

/// Buckets of the n-grams of a text.
struct NgramBuckets {
  std::vector<int64_t> all;  ///< first those of the sentences themselves, ascending, then others
  int64_t own = 0;           ///< number of the former
};

/// Those of sentences, and of sentences in which the placeholder replaces a word.
NgramBuckets buckets_of(const std::vector<TokenIds>& sentences, const Sent2vecOptions& options) {
  std::set<int64_t> own, others;
  std::vector<uint64_t> codes, part;
  for (const TokenIds& sentence : sentences) {
    codes.clear();
    for (const int32_t id : sentence) codes.push_back(code_of(id));
    for_each_ngram(codes, {}, options.ngrams, options.buckets,
                   [&](int64_t bucket) { own.insert(bucket); });
    for (size_t i = 0; i < codes.size(); ++i) {
      const size_t reach = static_cast<size_t>(options.ngrams) - 1;
      const size_t first = i - std::min(i, reach), end = std::min(codes.size(), i + reach + 1);
      part.assign(codes.begin() + static_cast<int64_t>(first),
                  codes.begin() + static_cast<int64_t>(end));
      part[i - first] = kPlaceholder;
      for_each_ngram(part, {}, options.ngrams, options.buckets,
                     [&](int64_t bucket) { others.insert(bucket); });
    }
  }
  NgramBuckets buckets{{own.begin(), own.end()}, std::ssize(own)};
  std::set_difference(others.begin(), others.end(), own.begin(), own.end(),
                      std::back_inserter(buckets.all));
  return buckets;
}

/// Initial vectors U(-1/E, 1/E), keyed by the number of each: [N, stride] with zeros as padding.
at::Tensor initial_vectors(uint64_t seed, const char* use, const at::Tensor& numbers, int64_t width,
                           int64_t stride) {
  const at::Tensor drawn =
      uniform({.seed = seed, .use = noise_use(use)}, numbers, {width}, at::kFloat);
  return at::constant_pad_nd((drawn * 2 - 1) / static_cast<double>(width), {0, stride - width});
}

/// A uniform number in [0, 1) from random bits.
double unit_of(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// One fit: all vectors, the probabilities of the text, and the progress of all threads.
class Sent2vecFit {
 public:
  Sent2vecFit(const Sent2vecOptions& options, uint64_t seed, const Text& text,
              const std::vector<int64_t>& counts, const Notify& progress)
      : options_(options),
        seed_(mix_bits(seed, noise_use("sent2vec"), 0)),
        sentences_(counted_words(text.ids(), counts)),
        buckets_(buckets_of(sentences_, options)),
        passes_(std::accumulate(counts.begin(), counts.end(), int64_t{0}), options.epochs,
                progress),
        noise_(root_table(counts)) {
    const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
    for (const int64_t count : counts) {
      predicted_.push_back(count < options.min_target_count
                               ? 0
                               : prediction_probability(count, total, options.subsample));
    }
    for (size_t i = 0; i < buckets_.all.size(); ++i) {
      row_of_bucket_[buckets_.all[i]] = static_cast<int64_t>(i);
    }
    stride_ = (options.width + kSkipGramLanes - 1) / kSkipGramLanes * kSkipGramLanes;
    const auto size = static_cast<int64_t>(counts.size());
    words_ = initial_vectors(seed, "sent2vec.words", at::arange(size + 1, at::kLong), options.width,
                             stride_);
    ngrams_ = initial_vectors(seed, "sent2vec.ngrams", at::tensor(buckets_.all, at::kLong),
                              options.width, stride_);
    outputs_ = at::zeros({size, stride_});
    word_rows_ = words_.mutable_data_ptr<float>();
    ngram_rows_ = ngrams_.mutable_data_ptr<float>();
    output_rows_ = outputs_.mutable_data_ptr<float>();
  }

  void run() {
    const auto threads = static_cast<size_t>(options_.threads);
    const auto width = static_cast<size_t>(stride_);
    std::vector<Scratch> scratch(
        threads, {.hidden = std::vector<float>(width), .gradient = std::vector<float>(width)});
    passes_.run(sentences_.size(), threads, [&](size_t thread, int64_t epoch, size_t i) {
      learn(sentences_[i], mix_bits(seed_, static_cast<uint64_t>(epoch), i), scratch[thread]);
      return std::ssize(sentences_[i]);
    });
  }

  /// Vectors of the words, [V, E], and the n-grams of the sentences, [N, E], with their buckets.
  at::Tensor words() const { return words_.slice(0, 1).slice(1, 0, options_.width); }
  at::Tensor ngrams() const {
    return ngrams_.slice(0, 0, buckets_.own).slice(1, 0, options_.width);
  }
  at::Tensor buckets() const {
    return at::tensor(buckets_.all, at::kLong).slice(0, 0, buckets_.own);
  }

 private:
  /// Uses of the random numbers of a sentence.
  enum class Draw : uint64_t { kPredicted, kDropped, kNoise };

  /// Memory of a thread.
  struct Scratch {
    std::vector<uint64_t> codes = {};
    std::vector<bool> is_dropped = {};
    std::vector<float*> context = {}, outputs = {};
    std::vector<float> hidden, gradient;
  };

  /// One pass over a sentence.
  void learn(const TokenIds& sentence, uint64_t key, Scratch& scratch) {
    if (sentence.size() < 2) return;
    const auto lr = static_cast<float>(options_.lr * (1 - passes_.share()));
    scratch.codes.clear();
    for (const int32_t id : sentence) scratch.codes.push_back(code_of(id));
    for (size_t i = 0; i < sentence.size(); ++i) {
      const double share = unit_of(bits(key, i, Draw::kPredicted, 0));
      if (share >= predicted_[sentence[i]]) continue;
      scratch.codes[i] = kPlaceholder;
      predict(sentence[i], key, i, lr, scratch);
      scratch.codes[i] = code_of(sentence[i]);
    }
  }

  /// One step for the word at position `i`, which the placeholder replaces in `codes`.
  void predict(int32_t word, uint64_t key, size_t i, float lr, Scratch& scratch) {
    std::vector<float*>& context = scratch.context;
    context.clear();
    for (const uint64_t code : scratch.codes) {
      context.push_back(word_rows_ + static_cast<int64_t>(code) * stride_);
    }
    draw_dropped(key, i, scratch);
    for_each_ngram(scratch.codes, scratch.is_dropped, options_.ngrams, options_.buckets,
                   [&](int64_t bucket) {
                     context.push_back(ngram_rows_ + row_of_bucket_.at(bucket) * stride_);
                   });
    std::fill(scratch.hidden.begin(), scratch.hidden.end(), 0.0F);
    for (const float* row : context) add_scaled(row, 1, scratch.hidden.data());
    const float share = 1 / static_cast<float>(context.size());
    for (float& each : scratch.hidden) each *= share;
    scratch.outputs.assign(1, output_rows_ + word * stride_);
    uint64_t draws = 0;
    for (int64_t n = 0; n < options_.negatives; ++n) {
      int32_t noise = word;
      for (int64_t tries = 0; noise == word && tries < kMaxDraws; ++tries) {
        noise = noise_.draw(bits(key, i, Draw::kNoise, draws++));
      }
      if (noise != word) scratch.outputs.push_back(output_rows_ + noise * stride_);
    }
    skip_gram_step(scratch.hidden.data(), scratch.outputs, stride_, lr, scratch.gradient.data());
    for (float* row : context) add_scaled(scratch.gradient.data(), share, row);
  }

  /// Draws distinct positions while more than two are left.
  void draw_dropped(uint64_t key, size_t i, Scratch& scratch) const {
    const size_t size = scratch.codes.size();
    scratch.is_dropped.assign(size, false);
    size_t requested = std::min(static_cast<size_t>(options_.dropped), size - 2);
    for (uint64_t draw = 0; requested > 0; ++draw) {
      const size_t at = bits(key, i, Draw::kDropped, draw) % size;
      if (scratch.is_dropped[at]) continue;
      scratch.is_dropped[at] = true;
      --requested;
    }
  }

  static uint64_t bits(uint64_t key, size_t position, Draw use, uint64_t draw) {
    return mix_bits(mix_bits(key, position, static_cast<uint64_t>(use)), draw, 0);
  }

  void add_scaled(const float* values, float factor, float* sums) const {
#pragma omp simd
    for (int64_t k = 0; k < stride_; ++k) sums[k] += factor * values[k];
  }

  const Sent2vecOptions& options_;
  uint64_t seed_;
  std::vector<TokenIds> sentences_;  // without special ids and unknown words
  NgramBuckets buckets_;
  std::unordered_map<int64_t, int64_t> row_of_bucket_;
  TextPasses passes_;
  AliasTable noise_;
  std::vector<double> predicted_;        // by id: probability of predicting an occurrence
  int64_t stride_ = 0;                   // floats of a vector, padded
  at::Tensor words_, ngrams_, outputs_;  // words_: the placeholder, then the words
  float *word_rows_ = nullptr, *ngram_rows_ = nullptr, *output_rows_ = nullptr;
};

}  // namespace

double prediction_probability(int64_t count, int64_t total, double subsample) {
  if (subsample == 0) return std::numeric_limits<double>::infinity();
  const double ratio = subsample * static_cast<double>(total) / static_cast<double>(count);
  return std::sqrt(ratio) + ratio;
}

void for_each_ngram(std::span<const uint64_t> codes, const std::vector<bool>& is_dropped,
                    int64_t longest, int64_t buckets, const std::function<void(int64_t)>& each) {
  const auto ends_at = [&](size_t i) { return !is_dropped.empty() && is_dropped[i]; };
  for (size_t i = 0; i < codes.size(); ++i) {
    if (ends_at(i)) continue;
    const size_t end = std::min(codes.size(), i + static_cast<size_t>(longest));
    uint64_t hash = codes[i];
    for (size_t j = i + 1; j < end && !ends_at(j); ++j) {
      hash = hash * kHashFactor + codes[j];
      each(static_cast<int64_t>(hash % static_cast<uint64_t>(buckets)));
    }
  }
}

std::vector<InputDecl> Sent2vec::inputs(const Sent2vecOptions&) {
  return {{.name = "data",
           .help = "text whose words and n-grams receive vectors",
           .by_default = reference("data.train")}};
}

Sent2vec::Sent2vec(const Sent2vecOptions& options, const ModelInputs& inputs)
    : options_(options),
      seed_(inputs.seed),
      vocabulary_(inputs.vocabulary("data", "text")),
      words_(register_buffer("words", at::zeros({vocabulary_.size, options.width}))),
      buckets_(register_buffer("buckets", at::zeros({0}, at::kLong))),
      ngrams_(register_buffer("ngrams", at::zeros({0, options.width}))) {}

void Sent2vec::fit(const Inputs& inputs, const Notify& progress) {
  const Text& text = inputs.text("data");
  const std::vector<int64_t> counts = token_counts(text, vocabulary_, /*unknown=*/false);
  const auto occurring = std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
  const int64_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  if (occurring < 2 || most < options_.min_target_count) {
    throw DataError("sent2vec: the text has " + std::to_string(occurring) +
                    " different words, the most frequent one " + std::to_string(most) +
                    " times; two are needed, one of them `min_target_count` = " +
                    std::to_string(options_.min_target_count) + " times");
  }
  Sent2vecFit fit(options_, seed_, text, counts, progress);
  fit.run();
  words_.copy_(fit.words() * at::tensor(counts).gt(0).unsqueeze(1));
  buckets_.set_data(fit.buckets().clone());
  ngrams_.set_data(fit.ngrams().clone());
}

std::string Sent2vec::embedding_signature() const {
  return "sent2vec:ngrams:" + std::to_string(options_.ngrams);
}

at::Tensor Sent2vec::embed(const Tokens& sentences) {
  const at::Tensor ids = sentences.ids.to(at::kCPU, at::kLong).contiguous();
  const at::Tensor words = words_.contiguous(), ngrams = ngrams_.contiguous();
  const int64_t width = options_.width;
  const auto* first_bucket = buckets_.const_data_ptr<int64_t>();
  const auto* end_bucket = first_bucket + buckets_.numel();
  at::Tensor embedded = at::zeros({ids.size(0), width});
  std::vector<uint64_t> codes;
  std::vector<double> sums;
  for (int64_t row = 0; row < ids.size(0); ++row) {
    codes.clear();
    sums.assign(static_cast<size_t>(width), 0);
    int64_t vectors = 0;
    const auto add = [&](const float* values) {
      for (int64_t k = 0; k < width; ++k) sums[k] += values[k];
      ++vectors;
    };
    for (int64_t t = 0; t < sentences.lengths[row].item<int64_t>(); ++t) {
      const int64_t id = ids.const_data_ptr<int64_t>()[row * ids.size(1) + t];
      const float* values = words.const_data_ptr<float>() + id * width;
      if (std::all_of(values, values + width, [](float value) { return value == 0; })) continue;
      codes.push_back(code_of(id));
      add(values);
    }
    for_each_ngram(codes, {}, options_.ngrams, options_.buckets, [&](int64_t bucket) {
      const auto* found = std::lower_bound(first_bucket, end_bucket, bucket);
      if (found == end_bucket || *found != bucket) return;
      add(ngrams.const_data_ptr<float>() + (found - first_bucket) * width);
    });
    auto* out = embedded.mutable_data_ptr<float>() + row * width;
    for (int64_t k = 0; k < width && vectors > 0; ++k) {
      out[k] = static_cast<float>(sums[k] / static_cast<double>(vectors));
    }
  }
  return embedded;
}

void register_sent2vec(Registries& registries) {
  add_fit<Sent2vec, Sent2vecOptions>(
      registries, "sent2vec", "Sentences as means of vectors of words and n-grams trained for it",
      {"Pagliardini, Gupta and Jaggi 2018", "https://aclanthology.org/N18-1049"});
}

}  // namespace lvtext
