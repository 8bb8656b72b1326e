// Convolution, upsampling, batch normalization of images.
#include <array>
#include <cmath>

#include "framework/core/nn/batch_norm.h"
#include "framework/core/nn/conv2d.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/products.h"
#include "tests/catch.h"
#include "tests/framework/core/nn/gradients.h"

using namespace lvtext;

namespace {

at::Tensor noise(uint32_t use, at::IntArrayRef shape, at::ScalarType type = at::kDouble) {
  return normal_step({.seed = 5, .use = use}, shape, type);
}

}  // namespace

TEST_CASE("convolution: sums over windows, by their definition", "[nn]") {
  for (const auto& [kernel, stride, padding] :
       {std::array<int64_t, 3>{3, 1, 1}, {4, 2, 1}, {4, 4, 0}, {1, 1, 0}}) {
    INFO("kernel " << kernel << ", stride " << stride);
    const at::Tensor x = noise(1, {2, 3, 8, 8}), w = noise(2, {4, 3, kernel, kernel}),
                     b = noise(3, {4});
    const at::Tensor found = convolution(x, w, b, stride, padding);
    const at::Tensor padded = at::constant_pad_nd(x, {padding, padding, padding, padding});
    const int64_t size = (8 + 2 * padding - kernel) / stride + 1;
    REQUIRE(found.sizes() == at::IntArrayRef({2, 4, size, size}));
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        const at::Tensor window =
            padded.narrow(2, i * stride, kernel).narrow(3, j * stride, kernel).flatten(1);
        const at::Tensor sum = window.matmul(w.flatten(1).t()) + b;
        CHECK(at::allclose(found.select(3, j).select(2, i), sum, 1e-10));
      }
    }
  }
}

TEST_CASE("convolution: gradients are those of finite differences", "[nn]") {
  for (const int64_t stride : {1, 2}) {
    check_gradients(
        {noise(1, {2, 2, 6, 6}), noise(2, {3, 2, stride + 2, stride + 2}), noise(3, {3})},
        [&](const auto& in) {
          return weighted_sum(
              {upsample_nearest(convolution(in[0].contiguous(at::MemoryFormat::ChannelsLast), in[1],
                                            in[2], stride, /*padding=*/1))});
        });
  }
}

TEST_CASE("convolution: mixed precision rounds operands and results", "[nn]") {
  const auto rounded = [](const at::Tensor& t) { return t.to(at::kBFloat16).to(at::kDouble); };
  const at::Tensor x = noise(1, {4, 16, 8, 8}, at::kFloat).requires_grad_();
  const at::Tensor w = noise(2, {8, 16, 3, 3}, at::kFloat).requires_grad_();
  const at::Tensor g = noise(3, {4, 8, 8, 8}, at::kFloat);
  at::Tensor found;
  {
    const MixedPrecisionScope scope(true);
    found = convolution(x, w, {}, 1, 1);
  }
  CHECK(found.scalar_type() == at::kFloat);
  CHECK(at::equal(found, found.to(at::kBFloat16).to(at::kFloat)));
  const at::Tensor exact = at::conv2d(rounded(x), rounded(w), {}, 1, 1);
  // One rounding of a result: half a unit of 8 bits; the sums are float32.
  CHECK(at::allclose(found.to(at::kDouble), exact, 1.0 / 250, 1e-4));
  const auto gradients = torch::autograd::grad({found}, {x, w}, {g});
  const auto [dx, dw, db] =
      at::convolution_backward(rounded(g), rounded(x), rounded(w), {}, {1, 1}, {1, 1}, {1, 1},
                               false, {0, 0}, 1, {true, true, false});
  CHECK(at::allclose(gradients[0].to(at::kDouble), dx, 1.0 / 250, 1e-4));
  CHECK(at::allclose(gradients[1].to(at::kDouble), dw, 1.0 / 250, 1e-4));
  // Not rounded without the scope.
  CHECK_FALSE(at::equal(convolution(x, w, {}, 1, 1), found));
}

TEST_CASE("convolution: layers have named parameters and initial values", "[nn]") {
  const Conv2d plain(Init{1, "c"}, {.in = 2, .out = 3, .kernel = 4, .bias = true});
  const auto named = plain.named_parameters();
  CHECK(named["weight"].sizes() == at::IntArrayRef({3, 2, 4, 4}));
  CHECK(named["bias"].sizes() == at::IntArrayRef({3}));
  CHECK(named["weight"].abs().max().item<double>() <= 1 / std::sqrt(32.0));
  const Conv2d normal(Init{1, "c"}, {.in = 64, .out = 64, .kernel = 3, .deviation = 0.02});
  CHECK(normal.named_parameters().size() == 1);
  CHECK(normal.named_parameters()["weight"].std().item<double>() == Approx(0.02).epsilon(0.02));
  const at::Tensor x = noise(1, {2, 2, 8, 8}, at::kFloat);
  CHECK(at::allclose(plain.forward(x), at::conv2d(x, named["weight"], named["bias"]), 1e-5, 1e-6));
  CHECK_THROWS_AS(plain.forward(x.flatten(1)), std::logic_error);
}

TEST_CASE("upsampling: each pixel becomes a square of four", "[nn]") {
  const at::Tensor x = at::arange(6, at::kDouble).view({1, 1, 2, 3});
  const at::Tensor expected = at::tensor(std::vector<double>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2,
                                                             3, 3, 4, 4, 5, 5, 3, 3, 4, 4, 5, 5})
                                  .view({1, 1, 4, 6});
  CHECK(at::equal(upsample_nearest(x), expected));
}

TEST_CASE("batch normalization: values of the specification, of rows and of images", "[nn]") {
  // Specification 3, section 7.12.
  const at::Tensor x = at::tensor({1., 2., 3., 6., 2., 1.}).view({3, 2});
  const at::Tensor expected =
      at::tensor({-1.2247, -.4629, 1.2247, 1.3887, 0., -.9258}).view({3, 2}).to(at::kFloat);
  for (const bool is_image : {false, true}) {
    INFO("image: " << is_image);
    BatchNorm norm(Init{1, "n"}, 2);
    // Images of one place per row have the statistics of rows; [1, 2, 3, 1] has those of its
    // places.
    at::Tensor in = x.to(at::kFloat);
    if (is_image) in = in.t().contiguous().view({1, 2, 3, 1});
    at::Tensor out = norm.forward(in, BatchNormMode::kUpdate);
    if (is_image) out = out.view({2, 3}).t();
    CHECK(at::allclose(out, expected, 0, 1e-4));
    CHECK(at::allclose(norm.named_buffers()["running_mean"], at::tensor({.2F, .3F}), 1e-6));
    CHECK(at::allclose(norm.named_buffers()["running_var"], at::tensor({1.0F, 1.6F}), 1e-6));
    const at::Tensor before = norm.named_buffers()["running_mean"].clone();
    norm.forward(in, BatchNormMode::kBatchOnly);
    norm.forward(in, BatchNormMode::kRunning);
    CHECK(at::equal(norm.named_buffers()["running_mean"], before));
  }
}
