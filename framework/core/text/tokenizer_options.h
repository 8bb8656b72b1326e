// Options of SentencePiece.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// Algorithm with which SentencePiece builds its vocabulary.
enum class TokenizerType { kUnigram, kBpe, kChar };

/// SentencePiece's name of the algorithm.
inline std::string to_string(TokenizerType type) {
  switch (type) {
    case TokenizerType::kUnigram: return "unigram";
    case TokenizerType::kBpe: return "bpe";
    case TokenizerType::kChar: return "char";
  }
  return "";
}

/// Options of SentencePiece that affect the model. The defaults are those of Kudo and Richardson
/// (2018), except for a character coverage of 1, so that every character of the training text is in
/// the vocabulary.
struct TokenizerOptions {
  TokenizerType type = TokenizerType::kUnigram;  ///< no option: set by the tokenizer's name
  int64_t vocab = 8000;
  double character_coverage = 1.0;
  std::string normalization = "nmt_nfkc";
  std::string unk_piece = "<unk>";
  std::vector<std::string> user_defined_symbols;
  int64_t max_line_bytes = 4192;

  template <class V>
  void visit(V& v) {
    v.field("vocab", vocab, "vocabulary size; may be smaller on a small corpus",
            in_range(8, 1000000));
    v.field("character_coverage", character_coverage,
            "share of the characters of the training text covered by the vocabulary",
            in_range(0.9, 1));
    v.field("normalization", normalization, "normalization of characters before tokenization",
            one_of({"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}));
    v.field("unk_piece", unk_piece,
            "string of the unknown token; must differ from <unk> if the text itself contains <unk>",
            not_empty());
    v.field("user_defined_symbols", user_defined_symbols,
            "strings that are always a single token, such as <unk> and ## in masked data sets");
    v.field("max_line_bytes", max_line_bytes,
            "maximum length of a training line; longer lines are skipped", in_range(16, 1 << 20),
            unit("bytes"));
  }
};

}  // namespace lvtext
