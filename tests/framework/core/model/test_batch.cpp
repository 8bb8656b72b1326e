#include "framework/core/model/batch.h"

#include <ATen/ATen.h>

#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("batch: BOS starts every sentence, EOS is at its own end", "[model]") {
  const Tokens tokens = pad_sentences({{7, 8, 9}, {}, {5}});
  CHECK(at::equal(with_bos(tokens, 1),
                  at::tensor({1, 7, 8, 9, 1, 0, 0, 0, 1, 5, 0, 0}, at::kLong).view({3, 4})));
  CHECK(at::equal(with_eos(tokens, 2),
                  at::tensor({7, 8, 9, 2, 2, 0, 0, 0, 5, 2, 0, 0}, at::kLong).view({3, 4})));
}

TEST_CASE("batch: a micro-batch is cut to its own longest sentence", "[model]") {
  const Tokens tokens = pad_sentences({{7, 8, 9}, {}, {5}});
  Batch batch{at::arange(3), {{"text", tokens.ids}, {"text.lengths", tokens.lengths}}};
  const Batch part = batch.slice(1, 3);
  CHECK(part.rows() == 2);
  CHECK(part.tokens().ids.size(1) == 1);
  CHECK(part.tokens().lengths[1].item<int64_t>() == 1);
  CHECK(part.example_ids[0].item<int64_t>() == 1);
}
