// Scores of generated images.
#include "capabilities.h"
#include "columns.h"
#include "evaluators/evaluator.h"
#include "framework/core/model/plugin.h"

namespace toys {

using namespace lvtext;

namespace {

InputDecl images_decl() {
  return {.name = "images",
          .help = "generated images, in the column image",
          .type = ArtifactType::kDataset,
          .by_default = reference("row.images")};
}
InputDecl real_decl() {
  return {
      .name = "real", .help = "real images of the same captions", .type = ArtifactType::kDataset};
}

}  // namespace

/// "distance": the mean difference between a critic's values for real and generated images.
class CriticDistance : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit CriticDistance(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"distance", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {images_decl(),
            real_decl(),
            {.name = "critic", .help = "critic of the images", .type = ArtifactType::kModel}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    auto& critic = inputs.serve<ImageScorer>("critic");
    std::vector<double> differences =
        values_of(critic.score_images(images_of(inputs.dataset("real"), "image")) -
                  critic.score_images(images_of(inputs.dataset("images"), "image")));
    return {summarized({.id = "distance",
                        .direction = Direction::kLower,
                        .signature = "critic|n_images:" + std::to_string(differences.size()),
                        .rows = {"mean", 1, std::move(differences)}})};
  }
};

/// "corner": the share of generated images that are brightest in the corner of their caption.
class Corner : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit Corner(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"corner", ""}}; }
  std::vector<InputDecl> inputs() const override { return {images_decl(), real_decl()}; }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    // [N, 1, 2, 2]: the four corners in the order of the classes.
    const at::Tensor light =
        at::avg_pool2d(images_of(inputs.dataset("images"), "image"), {4, 4}).flatten(1);
    const at::Tensor corners = numbers_of(inputs.dataset("real"), "corner");
    std::vector<double> right = values_of(light.argmax(1).eq(corners));
    return {summarized({.id = "corner",
                        .direction = Direction::kHigher,
                        .signature = "corner|n_images:" + std::to_string(right.size()),
                        .rows = {"mean", 1, std::move(right)}})};
  }
};

/// "collapsed": 1 if generated images vary less than a tenth as much as real ones, else 0.
class Collapsed : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit Collapsed(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"collapsed", ""}}; }
  std::vector<InputDecl> inputs() const override { return {images_decl(), real_decl()}; }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const auto spread = [](const at::Tensor& images) {
      return images.flatten(1).var(0).sum().item<double>();
    };
    const at::Tensor images = images_of(inputs.dataset("images"), "image");
    const double real = spread(images_of(inputs.dataset("real"), "image"));
    return {{.id = "collapsed",
             .value = spread(images) < real / 10 ? 1.0 : 0.0,
             .direction = Direction::kLower,
             .n = images.size(0),
             .signature = "collapsed|n_images:" + std::to_string(images.size(0))}};
  }
};

void add_image_scores(Registries& registries) {
  add_evaluator<CriticDistance, NoOptions>(registries, "toy_critic_distance",
                                           "Distance of generated and real images under a critic",
                                           {});
  add_evaluator<Corner, NoOptions>(registries, "toy_corner",
                                   "Share of squares in the corner of their caption", {});
  add_evaluator<Collapsed, NoOptions>(registries, "toy_collapsed",
                                      "Whether generated images have collapsed", {});
}

}  // namespace toys
