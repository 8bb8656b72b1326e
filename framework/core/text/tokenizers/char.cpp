#include "framework/core/text/sentencepiece_fit.h"

namespace lvtext {
namespace {

struct CharFit : SentencePieceFit {
  CharFit() : SentencePieceFit(TokenizerType::kChar) {}
};

}  // namespace

void add_char(Choices<TokenizerFit>& tokenizers) {
  add_component<CharFit>(tokenizers, "char", "single characters");
}

}  // namespace lvtext
