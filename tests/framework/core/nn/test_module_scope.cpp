#include "framework/core/nn/module_scope.h"

#include "framework/core/nn/linear.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("module scope: a name gives registration, checkpoint name and initial values", "[nn]") {
  torch::nn::Module model;
  const ModuleScope scope(model, {7});
  const auto linear = scope.add<Linear>("to_mean", 4, 2);
  const at::Tensor bias = scope.child("lstm").uniform("bias", {3}, 0.25);
  const at::Tensor scale = scope.normal("scale", {5}, 2);
  scope.buffer("noise", at::ones({}));
  CHECK(model.named_parameters().keys() ==
        std::vector<std::string>{"scale", "to_mean.weight", "to_mean.bias", "lstm.bias"});
  CHECK(model.named_buffers().keys() == std::vector<std::string>{"noise"});
  CHECK(linear->weight().equal(uniform_init({7, "to_mean.weight"}, {2, 4}, 0.5)));
  CHECK(bias.equal(uniform_init({7, "lstm.bias"}, {3}, 0.25)));
  CHECK(scale.equal(normal_init({7, "scale"}, {5}, 2)));
  CHECK(bias.requires_grad());
  CHECK(model.named_parameters()["lstm.bias"].is_same(bias));
}
