// Sentence vectors as means of vectors of words and n-grams, trained for it: sent2vec (Pagliardini,
// Gupta and Jaggi 2018).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/options/options.h"

namespace lvtext {

struct Sent2vecOptions {
  int64_t width = 700;
  int64_t epochs = 9;
  double lr = 0.2;
  int64_t ngrams = 2;
  int64_t buckets = 2000000;
  int64_t dropped = 4;
  int64_t negatives = 10;
  double subsample = 5e-6;
  int64_t min_target_count = 20;
  int64_t threads = 1;

  template <class V>
  void visit(V& v) {
    v.field("width", width, "width of the vectors", in_range(1, 65536));
    v.field("epochs", epochs, "number of passes over the text", in_range(1, 10000));
    v.field("lr", lr, "initial learning rate, which decreases linearly to 0", above(0));
    v.field("ngrams", ngrams, "largest number of words of an n-gram; 1: words alone",
            in_range(1, 16));
    v.field("buckets", buckets,
            "number of hash values of n-grams; those of one value share a vector, and only values "
            "that occur are stored",
            in_range(1, int64_t{1} << 31));
    v.field("dropped", dropped,
            "words of a sentence that are drawn for each predicted word, at which n-grams end; at "
            "least two words are left",
            in_range(0, 1024));
    v.field("negatives", negatives, "number of noise words per predicted word", in_range(1, 1024));
    v.field("subsample", subsample,
            "threshold t: a word with relative frequency f is predicted with probability "
            "sqrt(t / f) + t / f; 0: all are predicted",
            in_range(0, 1));
    v.field("min_target_count", min_target_count,
            "minimum number of occurrences of a predicted word", at_least(1));
    v.field("threads", threads,
            "number of threads; above 1 they update the same vectors without synchronization "
            "(Hogwild), and the vectors are not reproducible",
            in_range(1, 1024));
  }
};

/// Probability of predicting an occurrence of a word, sqrt(t / f) + t / f with the relative
/// frequency f = count / total; above 1: always. Infinite for t = 0.
double prediction_probability(int64_t count, int64_t total, double subsample);

/// Calls `each(bucket)` for the n-grams of 2 to `longest` of `codes`: those that begin and
/// continue at positions that are not dropped, by their beginning, then by their length. The hash
/// of an n-gram is h = h 116049371 + code in 64 bits, from its first code on, and its bucket
/// h mod `buckets`. `is_dropped`: empty, or one value per code.
void for_each_ngram(std::span<const uint64_t> codes, const std::vector<bool>& is_dropped,
                    int64_t longest, int64_t buckets, const std::function<void(int64_t)>& each);

/// The mean of the vectors of a sentence's words and n-grams. Each is trained to predict a word
/// from the rest of its sentence, by negative sampling: -log s(h.u_0) - sum_i log s(-h.u_i), where
/// h is the mean of a placeholder's vector, of the other words' vectors and of those of all n-grams
/// with the placeholder at the word's position, and noise words are drawn with probabilities
/// proportional to count^0.5 and redrawn if they equal the word. After the authors' program
/// (https://github.com/epfml/sent2vec/tree/9efbc2dd69f6c737c3a752c9dc5fbb4843d578b6).
///
/// Special ids and unknown words are left out, as are n-grams whose bucket does not occur in the
/// text, in place of the untrained vectors that the authors' program gives them. A sentence without
/// words has the zero vector. All random numbers are functions of (seed, epoch, sentence, word);
/// with one thread the vectors are a function of options, seed and text.
class Sent2vec : public Fitted, public SentenceEmbedder {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const Sent2vecOptions&);
  Sent2vec(const Sent2vecOptions& options, const ModelInputs& inputs);

  /// Throws DataError for a text without a word to predict or with one word only, Interrupted after
  /// a stop signal.
  void fit(const Inputs& inputs, const Notify& progress) override;

  using torch::nn::Module::to;
  /// Stays on the CPU, where its n-grams are searched.
  void to(at::Device, bool = false) override {}

  int64_t embedding_size() const override { return options_.width; }
  std::string embedding_signature() const override;
  at::Tensor embed(const Tokens& sentences) override;

 private:
  Sent2vecOptions options_;
  uint64_t seed_;
  Vocabulary vocabulary_;
  at::Tensor words_;    // [V, E]; zero for words that are not in the text
  at::Tensor buckets_;  // [N] int64, ascending: buckets of the n-grams of the text
  at::Tensor ngrams_;   // [N, E]
};

}  // namespace lvtext
