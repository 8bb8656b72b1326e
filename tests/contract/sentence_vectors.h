// Requirements on the vectors of sentences.
#pragma once

#include <ATen/ATen.h>

#include "framework/core/model/capabilities.h"
#include "framework/core/text/special_ids.h"
#include "tests/catch.h"

namespace lvtext::testing {

/// The vector of a sentence does not depend on the sentences beside it or on padding; sentences of
/// one token, of unknown tokens and without tokens have one.
inline void check_sentence_vectors(SentenceEmbedder& embedder) {
  const std::vector<TokenIds> sentences = {{4, 9, 5, 6, 7}, {7}, {}, {3, 3}, {8, 8}, {7}};
  Tokens wide = pad_sentences(sentences);
  wide.ids = at::cat({wide.ids, at::full({6, 9}, kPad, at::kLong)}, 1);
  const at::Tensor together = embedder.embed(pad_sentences(sentences));
  const at::Tensor with_padding = embedder.embed(wide);
  CHECK(together.sizes() == at::IntArrayRef{6, embedder.embedding_size()});
  CHECK(at::isfinite(together).all().item<bool>());
  CHECK(at::allclose(together, with_padding, 0, 1e-6));
  for (size_t i = 0; i < sentences.size(); ++i) {
    INFO("sentence " << i);
    const at::Tensor alone = embedder.embed(pad_sentences({sentences[i]}));
    CHECK(at::allclose(together[static_cast<int64_t>(i)], alone[0], 0, 1e-6));
  }
  CHECK_FALSE(at::allclose(together[0], together[4], 0, 1e-6));
  CHECK_FALSE(embedder.embedding_signature().empty());
}

}  // namespace lvtext::testing
