// Interpolated n-grams with Kneser-Ney discounting, alone or as a mixture of two texts.
#pragma once

#include <memory>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/options/options.h"
#include "models/kneser_ney/ngrams.h"

namespace lvtext {

struct KneserNeyOptions {
  int64_t order = 3;
  double discount = 0.75;

  template <class V>
  void visit(V& v) {
    v.field("order", order, "number of tokens of an n-gram, the predicted one included",
            in_range(1, 8));
    v.field("discount", discount, "subtracted from the count of each n-gram", in_range(0.01, 1));
  }
};

/// N-grams of running text: the rows of `data` are consecutive parts of one text. With the inputs
/// `domain` and `held_out`, the mixture w p_data + (1 - w) p_domain of the n-grams of both texts,
/// where w maximizes the likelihood of `held_out` (by expectation maximization). Scores are the
/// logarithms of probabilities, which are all positive.
///
/// A text has no start symbol and nothing ends it; its first token is given, never predicted.
class KneserNey : public Fitted, public NextTokenModel, public TextScorer {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const KneserNeyOptions&);
  KneserNey(const KneserNeyOptions& options, const ModelInputs& inputs);

  /// Throws DataError for texts that are too short, ConfigError for texts of different tokenizers
  /// or for one of `domain` and `held_out` without the other.
  void fit(const Inputs& inputs, const Notify& progress) override;
  /// The weight w of `data` in the mixture; 1 without one.
  double weight() const;

  using torch::nn::Module::to;
  /// Stays on the CPU, where its tables are searched.
  void to(at::Device, bool = false) override {}

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<int32_t> start_symbol() const override { return std::nullopt; }
  bool ends() const override { return false; }
  at::Tensor text_scores(const Tokens& texts) override;
  std::unique_ptr<DecodeState> start(const Start& start) override;
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override;
  at::Tensor score(const Tokens& texts, const at::Tensor& z) override;

 private:
  /// Log-probabilities of all tokens after each history, [N, V].
  at::Tensor rows(const std::vector<std::span<const int32_t>>& histories) const;

  Vocabulary vocabulary_;
  int64_t history_;  ///< largest number of tokens before the predicted one
  std::shared_ptr<Ngrams> ngrams_;
  std::shared_ptr<Ngrams> domain_;  ///< null without a mixture
  at::Tensor weight_;               ///< [1] float64; undefined without a mixture
};

}  // namespace lvtext
