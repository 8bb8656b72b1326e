// Inference that generates images from embeddings.
#include "capabilities.h"
#include "columns.h"
#include "framework/core/model/plugin.h"
#include "framework/pipeline/inference/inference.h"

namespace toys {

using namespace lvtext;

struct DrawnImagesOptions {
  int64_t seed = 0;

  template <class V>
  void visit(V& v) {
    v.field("seed", seed, "seed of the random numbers", at_least(0));
  }
};

/// The column "image": an image for each row, generated from its first embedding.
class DrawnImages : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  explicit DrawnImages(const DrawnImagesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "model",
             .help = "generator of the images",
             .type = ArtifactType::kModel,
             .by_default = reference("row.model")},
            {.name = "embeddings",
             .help = "embeddings of the captions, in the column embedding",
             .type = ArtifactType::kDataset,
             .by_default = reference("row.embeddings")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const at::Tensor conditions =
        numbers_of(inputs.dataset("embeddings"), "embedding").to(at::kFloat);
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("toys.draw")};
    const at::Tensor images =
        inputs.serve<ImageGenerator>("model").draw(conditions, at::arange(conditions.size(0)), key);
    return {.columns = {{.decl = {.name = "image",
                                  .kind = ColumnKind::kImage,
                                  .shape = images.sizes().slice(1).vec()},
                         .values = (images * 255).round().to(at::kCPU, at::kByte).contiguous()}}};
  }

 private:
  DrawnImagesOptions options_;
};

void add_drawn_images(Registries& registries) {
  add_inference<DrawnImages, DrawnImagesOptions>(registries, "toy_draw",
                                                 "Images generated from embeddings", {});
}

}  // namespace toys
