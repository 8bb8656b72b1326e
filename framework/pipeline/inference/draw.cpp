// Inference component `draw`: draws images from conditions, such as embeddings of captions.
#include <ATen/ATen.h>

#include "framework/core/base/counts.h"
#include "framework/core/decoding/drawing.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/shared/conditions.h"

namespace lvtext {
namespace {

struct DrawOptions : ConditionsOptions {
  int64_t draws = 1;
  int64_t seed = 0, first = 0;
  int64_t batch = 64;
  int64_t shared_noise = 1;

  template <class V>
  void visit(V& v) {
    ConditionsOptions::visit(v);
    v.field("draws", draws, "number of images for each embedding", in_range(1, 65536));
    v.field("seed", seed, "seed of the noise", at_least(0));
    v.field("first", first, "index of the first row, which determines its noise", at_least(0));
    v.field("batch", batch, "number of images that are drawn at once; it decides no number",
            in_range(1, 65536));
    v.field("shared_noise", shared_noise,
            "number of consecutive rows whose images have the same noise; 2 for data that consist "
            "of pairs",
            at_least(1));
  }
};

/// Ids of the noise of all embeddings: a function of the row divided by the number of rows that
/// share it, and of the position within the row. The draws of an embedding differ in the step of
/// the key, so that a larger number of draws adds images and changes none.
at::Tensor noise_ids(const VectorItems& items, const DrawOptions& options) {
  constexpr int64_t kMaxItems = int64_t{1} << 20;  // of a row
  std::vector<int64_t> ids;
  for (size_t row = 0; row + 1 < items.rows.size(); ++row) {
    const int64_t index = options.first + static_cast<int64_t>(row);
    const int64_t first = index / options.shared_noise * kMaxItems;
    const int64_t count = items.rows[row + 1] - items.rows[row];
    if (count > kMaxItems) throw DataError("draw: a row has too many embeddings");
    for (int64_t i = 0; i < count; ++i) ids.push_back(first + i);
  }
  return at::tensor(ids, at::kLong);
}

/// Draws `draws` images from each embedding: the columns `image`, bytes [C, S, S], and `condition`,
/// [E] float32, what the image was drawn from (ImageGenerator::drawn_from()).
class DrawImages : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kRowsOf = kEmbeddingsInput;
  explicit DrawImages(const DrawOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override { return inputs_of_conditions(); }

  Inferred run(const Inputs& inputs, const Notify& progress) const override {
    const Conditions read = read_conditions(inputs, options_);
    const at::Tensor ids = noise_ids(read.items, options_);
    NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.draw")};
    std::vector<at::Tensor> draws;
    for (int64_t draw = 0; draw < options_.draws; ++draw) {
      key.step = static_cast<uint64_t>(draw);
      draws.push_back(draw_images(read.generator, read.given, ids, key, options_.batch));
      progress(format_count(draw + 1, "draw") + " of " + std::to_string(options_.draws));
    }
    const at::Tensor images = at::stack(draws, 1).flatten(0, 1);
    const ColumnDecl decl{
        .name = "image", .kind = ColumnKind::kImage, .shape = images.sizes().slice(1).vec()};
    return {.columns = {read.items.column(decl, images, options_.draws),
                        condition_column(read, options_.draws)},
            .metadata = {{"count", images.size(0)}}};
  }

 private:
  DrawOptions options_;
};

}  // namespace

void register_draw(Registries& registries) {
  add_inference<DrawImages, DrawOptions>(registries, "draw", "Images drawn from embeddings", {});
}

}  // namespace lvtext
