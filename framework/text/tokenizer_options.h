// The options of a tokenizer.
#pragma once

#include <cstdint>
#include <string>

namespace lvtext {

/// How SentencePiece finds its pieces.
enum class TokenizerType { kUnigram, kBpe };

/// Options of SentencePiece that change the model. Defaults: Kudo and Richardson 2018's, but for a
/// character coverage of 1, which leaves no unknown character in the training text.
struct TokenizerOptions {
  TokenizerType type = TokenizerType::kUnigram;
  int64_t vocab = 8000;
  double character_coverage = 1.0;
  std::string normalization = "nmt_nfkc";
  std::string unk_piece = "<unk>";
  std::string user_defined_symbols;
  int64_t max_line_bytes = 4192;
};

}  // namespace lvtext
