#include "framework/core/text/sentencepiece_fit.h"

namespace lvtext {
namespace {

struct UnigramFit : SentencePieceFit {
  UnigramFit() : SentencePieceFit(TokenizerType::kUnigram) {}
};

}  // namespace

void add_unigram(Choices<TokenizerFit>& tokenizers) {
  add_component<UnigramFit>(tokenizers, "unigram",
                            "subword tokens of a unigram language model (Kudo 2018)");
}

}  // namespace lvtext
