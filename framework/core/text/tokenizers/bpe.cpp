#include "framework/core/text/sentencepiece_fit.h"

namespace lvtext {
namespace {

struct BpeFit : SentencePieceFit {
  BpeFit() : SentencePieceFit(TokenizerType::kBpe) {}
};

}  // namespace

void add_bpe(Choices<TokenizerFit>& tokenizers) {
  add_component<BpeFit>(tokenizers, "bpe", "byte pair encoding (Sennrich et al. 2016)");
}

}  // namespace lvtext
