// Token records as evaluators read them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/options/options.h"
#include "framework/core/text/text.h"

namespace lvtext {

/// What a mean of token scores gives the same weight.
enum class MeanOver { kTokens, kTexts };
const std::vector<EnumName<MeanOver>>& enum_names(MeanOver);

/// Records of the tokens of several texts under one next-token distribution p, text after text
/// (inference `token_records`, `spread_records`).
struct TokenRecords {
  std::vector<int64_t> rows;        ///< index of the first token of each text, and their number T
  std::vector<double> probability;  ///< [T], p(x) of the token x that follows
  std::vector<double> squares;      ///< [T], the sum of p^2 over the vocabulary
  std::vector<double> support;      ///< [T], number of tokens with p > 0
  /// [window][T], total probability of the different tokens among the l predicted before, by l, as
  /// recorded.
  std::map<int64_t, std::vector<double>> repeated;
  double vocabulary = 0;  ///< V, number of tokens of the vocabulary
  /// What the records describe, as a part of a signature: V, the number of texts and of tokens, the
  /// number of tokens of the longest text and how many of them at least are given and not
  /// predicted, and the tokenizer.
  std::string signature;

  size_t texts() const { return rows.size() - 1; }
  /// Number of tokens of a text.
  double length(size_t text) const { return static_cast<double>(rows[text + 1] - rows[text]); }
  /// Rows of the functional "ratio": the sum of a text's values [T], and its number of tokens; of a
  /// mean over texts the mean of its values and 1, and nothing of a text without tokens.
  template <class Value>
  SentenceRows means(const std::string& functional, const Value& value,
                     MeanOver over = MeanOver::kTokens) const {
    SentenceRows sums{functional, 2, {}};
    for (size_t text = 0; text < texts(); ++text) {
      double sum = 0;
      for (int64_t t = rows[text]; t < rows[text + 1]; ++t) sum += value(static_cast<size_t>(t));
      if (over == MeanOver::kTokens || length(text) == 0) {
        sums.values.insert(sums.values.end(), {sum, length(text)});
      } else {
        sums.values.insert(sums.values.end(), {sum / length(text), 1});
      }
    }
    return sums;
  }
  /// Weights of the tokens in a mean over texts, up to a factor; empty for one over tokens.
  std::vector<double> weights(MeanOver over) const;
};

/// Declares the input `tokens`: token records, by default the row's `tokens`.
InputDecl tokens_input();

/// Reads the records of an input. Throws DataError if its columns are not those of token records.
TokenRecords read_token_records(const Inputs& inputs, const std::string& input);

/// The texts of records, by their columns: the tokens before the first prediction, those predicted
/// and those drawn in their places. Records of `spread_records` have none.
struct RecordedTexts {
  Text context, target, drawn;
};
/// Whether the records of an input have texts.
bool has_recorded_texts(const Inputs& inputs, const std::string& input);
/// Throws DataError if the records have no texts.
RecordedTexts read_recorded_texts(const Inputs& inputs, const std::string& input);

}  // namespace lvtext
