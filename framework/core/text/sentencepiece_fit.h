// Base class of the tokenizers that SentencePiece trains.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/text/tokenizer_fit.h"
#include "framework/core/text/tokenizer_options.h"

namespace lvtext {

struct SentencePieceFit : TokenizerFit {
  TokenizerOptions options;

  explicit SentencePieceFit(TokenizerType type) { options.type = type; }

  template <class V>
  void visit(V& v) {
    options.visit(v);
  }

  FittedTokenizer fit(const std::vector<std::string>& texts,
                      const std::filesystem::path& folder) const override;
  std::shared_ptr<const Tokenizer> load(const std::filesystem::path& folder) const override;
  std::string summary() const override;
};

}  // namespace lvtext
