// Sentence embeddings by pooling word vectors.
#include <ATen/ATen.h>

#include "capabilities.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/plugin.h"
#include "small_decoder.h"

namespace toys {

using namespace lvtext;

enum class Pool { kMean, kMax };
inline const std::vector<EnumName<Pool>>& enum_names(Pool) {
  static const std::vector<EnumName<Pool>> names = {
      {"mean", Pool::kMean, "mean of the vectors"},
      {"max", Pool::kMax, "maximum of each coordinate"}};
  return names;
}

struct PoolingOptions {
  Pool pool = Pool::kMean;

  template <class V>
  void visit(V& v) {
    v.field("pool", pool, "pooling of the word vectors of a sentence");
  }
};

/// Mean, or maximum of each coordinate, of the vectors of a sentence's words. For an empty sentence
/// the zero vector.
class Pooling : public Fitted, public SentenceEmbedder {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const PoolingOptions&) {
    return {{.name = "vectors", .help = "word vectors", .type = ArtifactType::kModel}};
  }

  /// The size of the vectors is only known once they are set.
  Pooling(const PoolingOptions& options, const ModelInputs&)
      : options_(options), vectors_(register_buffer("vectors", at::zeros({0, 0}))) {}

  void fit(const Inputs& inputs, const Notify&) override {
    vectors_.set_data(inputs.serve<WordVectors>("vectors").vectors().clone());
  }

  int64_t embedding_size() const override { return vectors_.size(1); }
  std::string embedding_signature() const override { return "pool:" + enum_name(options_.pool); }
  at::Tensor embed(const Tokens& sentences) override {
    const at::NoGradGuard no_grad;
    const at::Tensor ids = sentences.ids.to(vectors_.device());
    const at::Tensor words = vectors_.index_select(0, ids.flatten()).unflatten(0, ids.sizes());
    const at::Tensor mask = example::token_mask(sentences, 0, words).unsqueeze(2);
    const at::Tensor counts = mask.sum(1);
    if (options_.pool == Pool::kMean) return (words * mask).sum(1) / counts.clamp_min(1);
    const at::Tensor largest = (words + (mask - 1) * 1e9).amax(1);
    return at::where(counts > 0, largest, at::zeros_like(largest));
  }

 private:
  PoolingOptions options_;
  at::Tensor vectors_;  // [V, D]
};

void add_pooling(Registries& registries) {
  add_fit<Pooling, PoolingOptions>(registries, "toy_pooling", "Sentences as pooled word vectors",
                                   {});
}

}  // namespace toys
