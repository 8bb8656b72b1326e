#include "framework/core/text/sentencepiece_fit.h"

#include "framework/core/base/files.h"
#include "framework/core/text/sentencepiece.h"

namespace lvtext {
namespace {

constexpr const char* kFile = "tokenizer.model";

}  // namespace

FittedTokenizer SentencePieceFit::fit(const std::vector<std::string>& texts,
                                      const std::filesystem::path& folder) const {
  TokenizerTraining seen;
  const SentencePiece trained = SentencePiece::train(texts, options, &seen);
  write_file_atomic(folder / kFile, trained.bytes());
  return {.files = {kFile},
          .metadata = {{"tokens", trained.size()},
                       {"sha256", trained.sha256()},
                       {"lines", seen.lines},
                       {"too_long", seen.too_long}}};
}

std::shared_ptr<const Tokenizer> SentencePieceFit::load(const std::filesystem::path& folder) const {
  return std::make_shared<SentencePiece>(SentencePiece::load(folder / kFile));
}

std::string SentencePieceFit::summary() const {
  return std::to_string(options.vocab) + " at most (" + to_string(options.type) + ")";
}

}  // namespace lvtext
