// The options of SentencePiece.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/options/options.h"

namespace lvtext {

/// Algorithm by which SentencePiece builds its vocabulary.
enum class TokenizerType { kUnigram, kBpe, kChar };

/// SentencePiece's name of it.
inline std::string to_string(TokenizerType type) {
  switch (type) {
    case TokenizerType::kUnigram: return "unigram";
    case TokenizerType::kBpe: return "bpe";
    case TokenizerType::kChar: return "char";
  }
  return "";
}

/// Options of SentencePiece that change the model. Defaults: Kudo and Richardson 2018's, but for a
/// character coverage of 1, which leaves no unknown character in the training text.
struct TokenizerOptions {
  TokenizerType type = TokenizerType::kUnigram;  ///< not visited: the tokenizer's name says it
  int64_t vocab = 8000;
  double character_coverage = 1.0;
  std::string normalization = "nmt_nfkc";
  std::string unk_piece = "<unk>";
  std::vector<std::string> user_defined_symbols;
  int64_t max_line_bytes = 4192;

  template <class V>
  void visit(V& v) {
    v.field("vocab", vocab, "number of tokens; fewer come out of a small corpus",
            in_range(8, 1000000));
    v.field("character_coverage", character_coverage,
            "share of the training text's characters that are covered by the vocabulary",
            in_range(0.9, 1));
    v.field("normalization", normalization, "rewriting of characters before cutting",
            one_of({"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}));
    v.field("unk_piece", unk_piece,
            "name of the unknown token; another one than <unk> if the text itself holds <unk>",
            not_empty());
    v.field("user_defined_symbols", user_defined_symbols,
            "texts that are always one token, such as <unk> and ## in masked sets");
    v.field("max_line_bytes", max_line_bytes, "longer lines are left out of the training",
            in_range(16, 1 << 20), unit("bytes"));
  }
};

}  // namespace lvtext
