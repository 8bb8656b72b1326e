#include "models/pooling/pooling.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// Mean, sum or maximum of the rows `ids` of `vectors` ([V, D] float32), written to `out`.
void pool_rows(Pool pool, const at::Tensor& vectors, std::vector<int64_t> ids, float* out) {
  const int64_t width = vectors.size(1);
  const auto* rows = vectors.const_data_ptr<float>();
  std::sort(ids.begin(), ids.end());
  std::vector<double> pooled(width, 0);
  for (size_t i = 0; i < ids.size(); ++i) {
    const float* row = rows + ids[i] * width;
    for (int64_t d = 0; d < width; ++d) {
      if (pool == Pool::kMax) {
        pooled[d] = i == 0 ? row[d] : std::max<double>(pooled[d], row[d]);
      } else {
        pooled[d] += row[d];
      }
    }
  }
  const double divisor =
      pool == Pool::kMean && !ids.empty() ? static_cast<double>(ids.size()) : 1.0;
  for (int64_t d = 0; d < width; ++d) out[d] = static_cast<float>(pooled[d] / divisor);
}

}  // namespace

const std::vector<EnumName<Pool>>& enum_names(Pool) {
  static const std::vector<EnumName<Pool>> names = {
      {"mean", Pool::kMean, "mean of the vectors"},
      {"sum", Pool::kSum, "sum of the vectors"},
      {"max", Pool::kMax, "maximum of each coordinate"},
      {"concat", Pool::kConcat, "the vectors one after the other"}};
  return names;
}

std::vector<InputDecl> Pooling::inputs(const PoolingOptions&) {
  return {{.name = "vectors",
           .help = "word vectors",
           .type = ArtifactType::kModel,
           .capabilities = {WordVectors::kName}}};
}

Pooling::Pooling(const PoolingOptions& options, const ModelInputs&)
    : options_(options), vectors_(register_buffer("vectors", at::zeros({0, 0}))) {}

void Pooling::fit(const Inputs& inputs, const Notify&) {
  vectors_.set_data(
      inputs.serve<WordVectors>("vectors").vectors().to(at::kCPU, at::kFloat).clone());
}

int64_t Pooling::embedding_size() const {
  int64_t vectors = 0;
  for (const Pool pool : options_.pool) vectors += pool == Pool::kConcat ? *options_.positions : 1;
  return vectors * vectors_.size(1);
}

std::string Pooling::embedding_signature() const {
  std::string signature = "pool";
  for (const Pool pool : options_.pool) signature += ":" + enum_name(pool);
  return signature + (options_.positions ? ":" + std::to_string(*options_.positions) : "");
}

at::Tensor Pooling::embed(const Tokens& sentences) {
  const at::Tensor vectors = vectors_.to(at::kCPU).contiguous();
  const at::Tensor ids = sentences.ids.to(at::kCPU, at::kLong).contiguous();
  const int64_t width = vectors.size(1);
  at::Tensor embedded = at::zeros({ids.size(0), embedding_size()});
  auto* out = embedded.mutable_data_ptr<float>();
  for (int64_t row = 0; row < ids.size(0); ++row) {
    const auto* first = ids.const_data_ptr<int64_t>() + row * ids.size(1);
    const int64_t count = sentences.lengths[row].item<int64_t>();
    for (const Pool pool : options_.pool) {
      if (pool != Pool::kConcat) {
        pool_rows(pool, vectors, {first, first + count}, out);
        out += width;
        continue;
      }
      for (int64_t i = 0; i < *options_.positions; ++i, out += width) {
        if (i < count) std::copy_n(vectors.const_data_ptr<float>() + first[i] * width, width, out);
      }
    }
  }
  return embedded.to(vectors_.device());
}

void register_pooling(Registries& registries) {
  add_fit<Pooling, PoolingOptions>(registries, "pooling", "Sentences as pooled word vectors", {});
}

}  // namespace lvtext
