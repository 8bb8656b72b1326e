// Layers reject tensors of wrong shapes and name them.
#include "framework/core/nn/argmax.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/lstm.h"
#include "framework/core/nn/output_layer.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("shapes: a recurrent layer checks its input, state and masks", "[nn]") {
  const int64_t input = 3, hidden = 2;
  const Lstm lstm({at::zeros({4 * hidden, input}), at::zeros({4 * hidden, hidden}),
                   at::zeros({4 * hidden}), at::zeros({4 * hidden})});
  const at::Tensor x = at::zeros({5, 4, input});
  CHECK(lstm.forward(x, {}).outputs.sizes() == at::IntArrayRef({5, 4, hidden}));
  CHECK_THROWS_WITH(lstm.forward(at::zeros({5, 4, 2}), {}),
                    Contains("input has the shape [5, 4, 2]") && Contains("= [*, *, 3]"));
  CHECK_THROWS_WITH(lstm.forward(x, {}, {at::zeros({1, hidden})}),
                    Contains("initial.h has the shape [1, 2]") && Contains("= [5, 2]"));
  CHECK_THROWS_WITH(lstm.forward(x, {}, {}, {.sentence_bias = at::zeros({5, hidden})}),
                    Contains("extras.sentence_bias has the shape [5, 2]") && Contains("= [5, 8]"));
  CHECK_THROWS_WITH(lstm.forward(x, {}, {}, {.mask_h = at::zeros({hidden})}),
                    Contains("extras.mask_h has the shape [2]"));
  CHECK_THROWS_WITH(lstm.forward_words(at::zeros({5}, at::kLong), at::zeros({7, input}), {}),
                    Contains("ids has the shape [5]"));
  CHECK_THROWS_WITH(lstm.forward_words(at::zeros({5, 4}, at::kLong), at::zeros({7, 2}), {}),
                    Contains("table has the shape [7, 2]") && Contains("= [*, 3]"));
}

TEST_CASE("shapes: the output layer, dropout and argmax check their inputs", "[nn]") {
  const at::Tensor hidden = at::zeros({6, 2}), weight = at::zeros({7, 2}), bias = at::zeros({7});
  const at::Tensor targets = at::zeros({6}, at::kLong);
  CHECK_THROWS_WITH(output_loss_rows(at::zeros({6, 3}), weight, bias, targets),
                    Contains("hidden has the shape [6, 3]") && Contains("= [*, 2]"));
  CHECK_THROWS_WITH(output_loss_rows(hidden, weight, at::zeros({1}), targets),
                    Contains("bias has the shape [1]") && Contains("= [7]"));
  CHECK_THROWS_WITH(output_loss_sum(hidden, weight, bias, targets, at::zeros({6, 1})),
                    Contains("row_weights has the shape [6, 1]") && Contains("= [6]"));
  CHECK_THROWS_WITH(apply_variational(at::zeros({5, 4, 3}), at::zeros({5, 2})),
                    Contains("mask has the shape [5, 2]") && Contains("= [5, 3]"));
  CHECK_THROWS_WITH(dropout(at::zeros({5, 4}), {.seed = 1}, at::arange(4), 0.5),
                    Contains("example_ids has the shape [4]") && Contains("= [5]"));
  CHECK_THROWS_WITH(first_argmax(at::zeros({5})), Contains("scores has the shape [5]"));
}
