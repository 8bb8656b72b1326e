#include "framework/core/nn/transformer.h"

#include "framework/core/base/error.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {

LayerNorm::LayerNorm(const Init& init, int64_t width, double eps)
    : eps_(eps),
      weight_(register_parameter("weight", uniform_init(init.child("weight"), {width}, 0) + 1)),
      bias_(ModuleScope(*this, init).uniform("bias", {width}, 0)) {}

at::Tensor LayerNorm::forward(const at::Tensor& x) const {
  LVT_CHECK_SHAPE(x, {kLeadingDims, weight_.size(0)});
  return at::layer_norm(x, {weight_.size(0)}, weight_, bias_, eps_);
}

TransformerBlock::TransformerBlock(const Init& init, const TransformerLayout& layout)
    : layout_(layout) {
  LVT_ASSERT(layout.heads > 0 && layout.width % layout.heads == 0,
             "the number of heads must divide the width");
  const ModuleScope scope(*this, init);
  const int64_t width = layout.width;
  attention_norm_ = scope.add<LayerNorm>("attention_norm", width, layout.norm_eps);
  qkv_ = scope.add<Linear>("qkv", width, 3 * width, layout.deviation);
  attention_output_ = scope.add<Linear>("attention_output", width, width, layout.deviation);
  mlp_norm_ = scope.add<LayerNorm>("mlp_norm", width, layout.norm_eps);
  mlp_input_ = scope.add<Linear>("mlp_input", width, layout.inner, layout.deviation);
  mlp_output_ = scope.add<Linear>("mlp_output", layout.inner, width, layout.deviation);
}

at::Tensor TransformerBlock::mlp(const at::Tensor& x) const {
  return mlp_output_->forward(
      at::gelu(mlp_input_->forward(x), layout_.gelu == Gelu::kTanh ? "tanh" : "none"));
}

/// `attend` maps the projections [..., 3C] to [..., C]; `drop` is applied to the outputs.
template <class Attend, class Drop>
at::Tensor TransformerBlock::run(const at::Tensor& x, const Attend& attend,
                                 const Drop& drop) const {
  const auto attended = [&](const at::Tensor& input) {
    return drop(attention_output_->forward(attend(qkv_->forward(input))), "attention_output");
  };
  if (layout_.norm_first) {
    const at::Tensor y = x + attended(attention_norm_->forward(x));
    return y + drop(mlp(mlp_norm_->forward(y)), "mlp_output");
  }
  const at::Tensor y = attention_norm_->forward(x + attended(x));
  return mlp_norm_->forward(y + drop(mlp(y), "mlp_output"));
}

std::array<at::Tensor, 3> TransformerBlock::heads_of(const at::Tensor& projected, int64_t texts,
                                                     int64_t length) const {
  const at::Tensor parts =
      projected.view({texts, length, 3, layout_.heads, layout_.width / layout_.heads})
          .permute({2, 0, 3, 1, 4});
  return {parts[0], parts[1], parts[2]};
}

at::Tensor TransformerBlock::forward(const at::Tensor& x, const at::Tensor& lengths,
                                     const LayerNoise* noise, const std::string& name,
                                     AttentionCache* cache, int64_t layer) const {
  LVT_CHECK_SHAPE(x, {-1, -1, layout_.width});
  const int64_t rows = x.size(0), time = x.size(1);
  const AttentionScope scope{layout_.causal, lengths};
  const auto attend = [&](const at::Tensor& projected) {
    const auto [q, k, v] = heads_of(projected, rows, time);
    if (cache != nullptr) cache->store(layer, k, v);
    const at::Tensor result =
        noise == nullptr
            ? attention(q, k, v, scope)
            : attention_with_dropout(q, k, v, scope, layout_.attention_dropout,
                                     noise->key(name + "attention"), noise->example_ids);
    return result.transpose(1, 2).reshape({rows, time, layout_.width});
  };
  return run(x, attend, [&](const at::Tensor& y, const char* use) {
    if (noise == nullptr) return y;
    return dropout(y, noise->key(name + use), noise->example_ids, layout_.residual_dropout);
  });
}

at::Tensor TransformerBlock::forward_packed(const at::Tensor& x,
                                            const std::vector<EqualTexts>& groups) const {
  LVT_CHECK_SHAPE(x, {-1, layout_.width});
  const auto attend = [&](const at::Tensor& projected) {
    std::vector<at::Tensor> attended;
    int64_t from = 0;
    for (const auto& [texts, length] : groups) {
      const auto [q, k, v] = heads_of(projected.narrow(0, from, texts * length), texts, length);
      attended.push_back(attention(q, k, v, {.causal = layout_.causal})
                             .transpose(1, 2)
                             .reshape({texts * length, layout_.width}));
      from += texts * length;
    }
    LVT_ASSERT(from == x.size(0), "the groups do not have the number of tokens");
    return groups.empty() ? x : at::cat(attended);
  };
  return run(x, attend, [](const at::Tensor& y, const char*) { return y; });
}

at::Tensor TransformerBlock::step(const at::Tensor& x, AttentionCache& cache, int64_t layer) const {
  LVT_CHECK_SHAPE(x, {cache.rows(), layout_.width});
  const at::NoGradGuard no_grad;
  const auto attend = [&](const at::Tensor& projected) {
    const at::Tensor parts =
        projected.view({x.size(0), 3, layout_.heads, layout_.width / layout_.heads});
    return cache.attend(layer, parts.select(1, 0), parts.select(1, 1), parts.select(1, 2))
        .reshape({x.size(0), layout_.width});
  };
  return run(x, attend, [](const at::Tensor& y, const char*) { return y; });
}

}  // namespace lvtext
