// The output layer with the entmax loss, and its results per row.
#include <cmath>

#include "framework/core/nn/entmax.h"
#include "framework/core/nn/output_layer.h"
#include "framework/core/nn/sparse_rows.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"

using namespace lvtext;

namespace {

struct EntmaxSetup {
  at::Tensor hidden, weight, bias, targets;
};

EntmaxSetup make_entmax_setup(int64_t rows, int64_t width, int64_t vocabulary, at::ScalarType type,
                              double deviation = 1) {
  const auto draw = [&](uint32_t use, at::IntArrayRef shape) {
    return normal_step({.seed = 4, .use = use}, shape, type) * deviation;
  };
  return {draw(1, {rows, width}), draw(2, {vocabulary, width}), draw(3, {vocabulary}),
          (uniform_step({.seed = 5}, {rows}, at::kDouble) * vocabulary).to(at::kLong)};
}

at::Tensor composed(const EntmaxSetup& s, double alpha) {
  return entmax_loss(at::linear(s.hidden, s.weight, s.bias), s.targets, alpha);
}

}  // namespace

TEST_CASE("output layer: the entmax loss equals that of all logits", "[nn]") {
  // Sparse gradients for wide scores, dense ones for narrow scores, several chunks, no bias.
  const double alpha = GENERATE(1.2, 1.3, 1.5, 2.0, 3.0);
  const double deviation = GENERATE(0.1, 1.5);
  const bool with_bias = GENERATE(true, false);
  EntmaxSetup s = make_entmax_setup(23, 6, 400'000, at::kFloat, deviation);
  if (!with_bias) s.bias = at::Tensor();
  std::vector<at::Tensor> inputs{s.hidden.requires_grad_(), s.weight.requires_grad_()};
  if (with_bias) inputs.push_back(s.bias.requires_grad_());
  const at::Tensor weights = normal_step({.seed = 8}, {23}, at::kFloat);
  const at::Tensor expected = composed(s, alpha);
  const at::Tensor rows = output_loss_rows(s.hidden, s.weight, s.bias, s.targets, alpha);
  const at::Tensor sum = output_loss_sum(s.hidden, s.weight, s.bias, s.targets, weights, alpha);
  INFO("alpha " << alpha << ", deviation " << deviation);
  CHECK(rows.allclose(expected, 1e-5, 2e-5));
  CHECK(sum.item<float>() == Approx((expected * weights).sum().item<float>()).epsilon(1e-4));
  const auto exact = torch::autograd::grad({(expected * weights).sum()}, inputs);
  const auto of_rows = torch::autograd::grad({(rows * weights).sum()}, inputs);
  const auto of_sum = torch::autograd::grad({sum}, inputs, {}, /*retain_graph=*/true);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const double scale = exact[i].abs().max().item<double>();
    CHECK((of_rows[i] - exact[i]).abs().max().item<double>() < 1e-5 * scale + 1e-6);
    CHECK((of_sum[i] - exact[i]).abs().max().item<double>() < 1e-5 * scale + 1e-6);
  }
  const auto again = torch::autograd::grad({sum}, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) CHECK(again[i].allclose(of_sum[i], 1e-5, 1e-6));
}

TEST_CASE("output layer: gradients of the entmax loss agree with finite differences", "[nn]") {
  const double alpha = GENERATE(1.1, 1.5, 2.0);
  const EntmaxSetup s = make_entmax_setup(6, 3, 40, at::kDouble);
  const auto weights = normal_step({.seed = 8}, {6}, at::kDouble);
  check_gradients({s.hidden, s.weight, s.bias}, [&](const std::vector<at::Tensor>& v) {
    return output_loss_sum(v[0], v[1], v[2], s.targets, weights, alpha);
  });
  check_gradients({s.hidden, s.weight}, [&](const std::vector<at::Tensor>& v) {
    return weighted_sum({output_loss_rows(v[0], v[1], {}, s.targets, alpha)});
  });
}

TEST_CASE("output layer: constant inputs get no gradient", "[nn]") {
  const double alpha = GENERATE(1.0, 1.5);
  const EntmaxSetup s = make_entmax_setup(5, 4, 30, at::kFloat);
  const at::Tensor hidden = s.hidden.clone().requires_grad_();
  const at::Tensor weight = s.weight.clone().requires_grad_();
  const at::Tensor bias = s.bias.clone().requires_grad_();
  const auto all = torch::autograd::grad(
      {output_loss_sum(hidden, weight, bias, s.targets, {}, alpha)}, {hidden, weight, bias});
  const auto sum_of = [&](const at::Tensor& h, const at::Tensor& w, const at::Tensor& b) {
    return output_loss_sum(h, w, b, s.targets, {}, alpha);
  };
  CHECK(torch::autograd::grad({sum_of(hidden, s.weight, s.bias)}, {hidden})[0].equal(all[0]));
  CHECK(torch::autograd::grad({sum_of(s.hidden, weight, s.bias)}, {weight})[0].equal(all[1]));
  CHECK(torch::autograd::grad({sum_of(s.hidden, s.weight, bias)}, {bias})[0].equal(all[2]));
}

TEST_CASE("output layer: results per row equal those of the distributions", "[nn]") {
  const double alpha = GENERATE(1.0, 1.2, 1.5, 2.0);
  const EntmaxSetup s = make_entmax_setup(9, 5, 300, at::kFloat);
  const OutputRows rows = output_rows(s.hidden, s.weight, s.bias, s.targets, alpha);
  const at::Tensor p = entmax(at::linear(s.hidden, s.weight, s.bias), alpha);
  INFO("alpha " << alpha);
  CHECK(rows.loss.allclose(composed(s, alpha), 1e-5, 1e-6));
  CHECK(rows.probability.allclose(p.gather(1, s.targets.unsqueeze(1)).squeeze(1), 1e-5, 1e-7));
  CHECK(rows.squares.allclose(p.square().sum(1), 1e-5, 1e-7));
  CHECK(rows.support.equal(alpha == 1 ? at::full({9}, 300, at::kLong) : (p > 0).sum(1)));
}

TEST_CASE("sparse rows: products equal those of the dense matrix", "[nn]") {
  const at::Tensor dense = at::where(uniform_step({.seed = 1}, {7, 90}, at::kDouble) < 0.1,
                                     normal_step({.seed = 2}, {7, 90}, at::kDouble), 0);
  const SparseRows<double> sparse = sparse_rows<double>(dense);
  CHECK(sparse.rows() == 7);
  CHECK(sparse.columns == 90);
  const SparseRows<float> in_float = sparse_rows<float>(dense.to(at::kFloat));
  CHECK(in_float.offsets == sparse.offsets);
  CHECK(in_float.ids == sparse.ids);
  size_t next = 0;
  for (int64_t r = 0; r < 7; ++r) {
    CHECK(sparse.offsets[r] == static_cast<int64_t>(next));
    for (int64_t v = 0; v < 90; ++v) {
      const auto value = dense[r][v].item<double>();
      if (value == 0) continue;
      REQUIRE(next < sparse.ids.size());
      CHECK(sparse.ids[next] == v);
      CHECK(in_float.values[next] == static_cast<float>(value));
      CHECK(sparse.values[next++] == value);
    }
  }
  CHECK(next == sparse.ids.size());
  // Above the density there are no rows.
  const double density = static_cast<double>(next) / 630;
  CHECK(sparse_rows<double>(dense, density * 1.001).columns == 90);
  CHECK(sparse_rows<double>(dense, density * 0.999).columns == 0);
  const at::Tensor columns = normal_step({.seed = 3}, {90, 5}, at::kDouble);
  at::Tensor product = at::ones({7, 5}, at::kDouble);
  sparse_product(sparse, columns, product);
  CHECK(product.allclose(dense.mm(columns)));
  const at::Tensor rows = normal_step({.seed = 4}, {7, 5}, at::kDouble);
  at::Tensor sum = at::ones({90, 5}, at::kDouble);
  add_transposed_product(sparse, rows, sum);
  CHECK(sum.allclose(dense.t().mm(rows) + 1));
  at::Tensor total = at::ones({90}, at::kDouble);
  add_column_sums(sparse, total);
  CHECK(total.allclose(dense.sum(0) + 1));
}
