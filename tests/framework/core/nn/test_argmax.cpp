#include "framework/core/nn/argmax.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("argmax: equals LibTorch's for every width, ties are broken by the first", "[nn]") {
  const int64_t width = GENERATE(1, 7, 32, 511, 512, 1031, 5000);
  // Few distinct values: many ties.
  const auto scores = (normal_step({.seed = 2}, {40, width}, at::kFloat) * 3).round();
  CHECK(first_argmax(scores).equal(scores.argmax(1)));
  if (width > 2) {
    CHECK(first_argmax(scores.narrow(1, 2, width - 2)).equal(scores.slice(1, 2).argmax(1)));
  }
  CHECK(first_argmax(scores.to(at::kDouble)).equal(scores.argmax(1)));
}

TEST_CASE("argmax: infinite scores", "[nn]") {
  const float infinity = INFINITY;
  const auto scores =
      at::tensor({-infinity, -infinity, -infinity, -infinity, 1.0f, infinity}).view({2, 3});
  CHECK(first_argmax(scores).equal(at::tensor({0, 2}, at::kLong)));
}
