// Shows what a model could have written in place of each token.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/text/tokenizer.h"

namespace lvtext {

/// A token and its probability after the tokens before it.
struct PossibleToken {
  std::string text;  ///< token_label()
  double probability = 0;
};

/// A token of a text, and the most probable other tokens.
struct TokenChoice {
  PossibleToken token;
  int64_t support = 0;  ///< number of tokens that can be chosen here, this one included or not
  std::vector<PossibleToken> others = {};
};

/// The tokens of a text, with how they were chosen.
struct TokenTable {
  std::string distribution;  ///< whose probabilities: "softmax of the model", "policy nucleus:0.9"
  int64_t vocabulary = 0;
  std::string given = {};  ///< token_label() of a first token that the model does not predict
  std::vector<TokenChoice> tokens = {};
};

/// How a token is shown on one line: without the blank before a word, after '+' if it continues
/// the word before it; special tokens as [BOS], [EOS], [PAD]; control characters and bytes that are
/// not UTF-8 as escapes.
std::string token_label(const Tokenizer& tokenizer, int32_t id, bool begins_text);

/// The table as lines of at most 80 columns.
std::vector<std::string> lines_of(const TokenTable& table);
nlohmann::ordered_json to_json(const TokenTable& table);

}  // namespace lvtext
