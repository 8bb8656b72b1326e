// A critic that is trained on a finished generator until its own stop condition holds.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/plugin.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/module_scope.h"

namespace toys {

using namespace lvtext;

struct ImageCriticOptions {
  int64_t hidden = 8;
  int64_t patience = 3;

  template <class V>
  void visit(V& v) {
    v.field("hidden", hidden, "hidden units", in_range(1, 65536));
    v.field("patience", patience, "validations without an improvement of 1 % that end its training",
            at_least(1));
  }
};

/// f(x) with weights of at most 0.1, trained to be high on real images and low on those that a
/// frozen generator produces for the same captions (Arjovsky et al. 2017). "distance" is the
/// difference.
class ImageCritic : public Trainable, public ImageScorer {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const ImageCriticOptions&) {
    return {{.name = "generator",
             .help = "generator of the images that are not real",
             .type = ArtifactType::kModel}};
  }

  ImageCritic(const ImageCriticOptions& options, const ModelInputs& inputs)
      : patience_(options.patience),
        generator_(inputs.models.at("generator").model),
        draws_(inputs.serve<ImageGenerator>("generator")) {
    const ModuleScope scope(*this, {inputs.seed});
    hidden_ = scope.add<Linear>("hidden", 64, options.hidden);
    output_ = scope.add<Linear>("output", options.hidden, 1);
  }

  std::vector<ParamGroup> groups() override {
    ParamGroup critic = group("critic", {hidden_, output_});
    critic.project = {Constraint::kClamp, 0.1, Constraint::kAfter};
    return {critic};
  }
  std::vector<Phase> phases() const override {
    return {{.name = "critic",
             .updates = {{"default", {"critic"}}},
             .draws = {{"train", Draw::kNext}},
             .terms = {{.name = "distance", .weight = -1}},
             .precision = PhasePrecision::kFp32}};
  }
  std::vector<StreamDecl> streams() const override {
    return {{.fields = {{"image", ColumnKind::kImage}, {"embedding", ColumnKind::kVector}}}};
  }
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override { return {generator_}; }

  Sums losses(const Phase&, const Batches& batches, StepContext& context) override {
    const at::Tensor& condition = batches[0].field("embedding");
    const at::Tensor fake =
        (draws_.draw(condition, batches[0].example_ids, context.noise("image")) + 1) / 2;
    const at::Tensor real = batches[0].field("image").to(condition.scalar_type()) / 255;
    return {(scored(real) - scored(fake)).sum()};
  }

  std::optional<std::string> stop_reason(const TrainerState& state) const override {
    double best = 0;
    int64_t since = 0;
    for (const auto& evaluation : state.evaluations) {
      const double distance = evaluation.terms.at("critic/distance");
      const bool risen = distance > best + 0.01 * std::abs(best);
      since = risen ? 0 : since + 1;
      if (risen) best = distance;
    }
    if (since < patience_) return std::nullopt;
    return "plateau";
  }

  at::Tensor score_images(const at::Tensor& images) override {
    const at::NoGradGuard no_grad;
    return scored(images);
  }

 private:
  at::Tensor scored(const at::Tensor& images) const {
    const at::Tensor hidden = hidden_->forward(images.flatten(1));
    return output_->forward(at::leaky_relu(hidden, 0.2)).squeeze(1);
  }

  int64_t patience_;
  std::shared_ptr<Model> generator_;
  ImageGenerator& draws_;
  std::shared_ptr<Linear> hidden_, output_;
};

void add_image_critic(Registries& registries) {
  add_model<ImageCritic, ImageCriticOptions>(
      registries, "toy_image_critic", "A critic of a finished generator's images",
      {"Arjovsky, Chintala and Bottou 2017", "https://arxiv.org/abs/1701.07875"});
}

}  // namespace toys
