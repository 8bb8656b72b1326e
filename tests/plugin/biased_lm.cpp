// A second stage on a frozen first one: adds a learned bias for each token to a language model's
// scores.
#include <ATen/ATen.h>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/plugin.h"
#include "framework/core/nn/module_scope.h"

namespace example {

using namespace lvtext;

struct BiasedLmOptions {
  template <class V>
  void visit(V&) {}
};

/// p(x_t | x_<t) = softmax(s(x_<t) + b), where s are the scores of the frozen first model, the
/// input `first`.
class BiasedLm : public Trainable, public NextTokenModel, public TextScorer {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const BiasedLmOptions&) {
    return {{.name = "first",
             .help = "frozen first model",
             .type = ArtifactType::kModel,
             .capabilities = {NextTokenModel::kName},
             .without = {Encoder::kName},
             .same_tokenizer = true}};
  }

  BiasedLm(const BiasedLmOptions&, const ModelInputs& inputs)
      : first_(inputs.models.at("first").model),
        scores_(inputs.serve<NextTokenModel>("first")),
        vocabulary_(inputs.vocabulary()),
        start_(start_of(vocabulary_)),
        eos_(eos_of(vocabulary_, "biased_lm")),
        bias_(ModuleScope(*this, {inputs.seed}).uniform("bias", {vocabulary_.size}, 0.01)) {}

  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override { return {first_}; }
  std::vector<ParamGroup> groups() override {
    return {{.name = "bias", .params = {{"bias", bias_}}}};
  }
  std::vector<Phase> phases() const override {
    return {{.name = "bias",
             .updates = {{"default", {"bias"}}},
             .draws = {{}},
             .terms = {{.name = "nll"}}}};
  }
  Sums losses(const Phase&, const Batches& batches, StepContext&) override {
    return {nll(batches.at(0).tokens()).sum()};
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start& start) override { return scores_.start(start); }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    const at::NoGradGuard no_grad;
    return scores_.step(state, ids) + bias_;
  }
  at::Tensor score(const Tokens& sentences, const at::Tensor&) override {
    const at::NoGradGuard no_grad;
    return nll(sentences);
  }

 private:
  /// NLL of each sentence in nats, including EOS: [B].
  at::Tensor nll(const Tokens& sentences) {
    const at::Tensor inputs = with_bos(sentences, start_).to(bias_.device());
    const at::Tensor targets = with_eos(sentences, eos_).to(bias_.device());
    const auto state = scores_.start({.rows = sentences.rows()});
    std::vector<at::Tensor> nats;
    for (int64_t t = 0; t < inputs.size(1); ++t) {
      const at::Tensor given = scores_.step(*state, inputs.select(1, t)).detach();
      const at::Tensor log_p = at::log_softmax(given + bias_, 1);
      nats.push_back(-log_p.gather(1, targets.narrow(1, t, 1)).squeeze(1));
    }
    const at::Tensor locations = at::arange(inputs.size(1));
    const at::Tensor counts = locations.unsqueeze(0) <= sentences.lengths.unsqueeze(1);
    return (at::stack(nats, 1) * counts.to(bias_.device())).sum(1);
  }

  std::shared_ptr<Model> first_;
  NextTokenModel& scores_;
  Vocabulary vocabulary_;
  int64_t start_, eos_;
  at::Tensor bias_;
};

void add_biased_lm(Registries& registries) {
  add_model<BiasedLm, BiasedLmOptions>(
      registries, "biased_lm", "A frozen language model with a learned bias for each token", {});
}

}  // namespace example
