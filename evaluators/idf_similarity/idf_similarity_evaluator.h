// Similarity of texts and their sources, as sums of word vectors weighted by idf.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Sums of word vectors weighted by idf, e(s) = sum of idf(w) v(w) over the words w of a sentence,
/// which are separated by white space. A word has a vector (a weight) if the tokenizer of the
/// vectors (of the weights) encodes it, inside a sentence, as one token with the same letters,
/// except for case, and the token's vector is not zero (its weight not negative). Words that lack
/// either one are skipped; a word with idf 0, which every sentence contains, is not.
class WeightedSums {
 public:
  /// `vectors` [V, D] and `idf` [V'], with their tokenizers, which must outlive this object.
  WeightedSums(const at::Tensor& vectors, const Tokenizer& of_vectors, const at::Tensor& idf,
               const Tokenizer& of_idf);

  struct Sum {
    std::vector<double> vector;  ///< [D]
    int64_t words = 0, skipped = 0;
  };
  Sum sum(std::string_view sentence);

 private:
  struct Word {
    bool is_known = false;  ///< false: the word is skipped
    int64_t row = 0;        ///< row of the vectors
    double idf = 0;
  };
  const Word& word(const std::string& text);

  at::Tensor vectors_, idf_;  // float32 and float64 on the CPU
  const Tokenizer &of_vectors_, &of_idf_;
  std::unordered_map<std::string, Word> known_;  // words seen before
};

/// The cosine of two vectors of equal size; 0 if one of them is zero.
double cosine(const std::vector<double>& x, const std::vector<double>& y);

struct IdfSimilarityOptions {
  std::string label = "style";

  template <class V>
  void visit(V& v) {
    v.field("label", label,
            "column with the style of the source: one score per style, if there is such a column",
            not_empty());
  }
};

/// "similarity": mean cosine of WeightedSums of a text and its source (Pang and Gimpel 2019,
/// section 4.1); 0 for a pair with a zero vector, such as an empty text. Its values depend on the
/// vectors: with published GloVe vectors of 300 dimensions, as in the paper, the title is "Sim",
/// otherwise "Sim-local", which is not comparable with the paper's values. GloVe is recognized by
/// the name of its file.
class IdfSimilarityEvaluator : public Evaluator {
 public:
  static constexpr int kRevision = 2;
  explicit IdfSimilarityEvaluator(const IdfSimilarityOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override;
  static std::vector<ScoreDecl> scores() {
    return {{"similarity", "mean cosine of idf-weighted word vectors of text and source"},
            {"similarity_0", "the same, of the texts whose source has the first style"},
            {"similarity_1", "the same, of the texts whose source has the second style"},
            {"oov", "share of the words of both sides that have no vector or no idf, 0..1"},
            {"zero", "share of pairs with a zero vector, whose cosine counts as 0, 0..1"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override;

 private:
  IdfSimilarityOptions options_;
};

}  // namespace lvtext
