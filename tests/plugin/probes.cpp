// An evaluator that trains models: probes on the latent vectors of a model.
#include "evaluators/evaluator.h"
#include "framework/core/decoding/over_sentences.h"
#include "framework/core/model/plugin.h"
#include "probe_bank.h"
#include "trainers/options.h"

namespace example {

using namespace lvtext;

struct ProbesOptions {
  int64_t sentences = 120;
  int64_t epochs = 50;

  template <class V>
  void visit(V& v) {
    v.field("sentences", sentences, "number of sentences for training and test of probes",
            in_range(20, 100000));
    v.field("epochs", epochs, "maximum number of training epochs", at_least(1));
  }
};

/// "length": accuracy of three probes that predict from the latent vector whether a sentence is
/// longer than most. Each holds out a different fold for validation; the last fold is the test set
/// of all.
class Probes : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  static constexpr int64_t kFolds = 4;
  explicit Probes(const ProbesOptions& options) : options_(options) {}
  static std::vector<ScoreDecl> scores() { return {{"length", ""}}; }

  std::vector<InputDecl> inputs() const override {
    return {{.name = "model",
             .help = "model whose latent vectors are probed",
             .type = ArtifactType::kModel,
             .by_default = reference("row.model"),
             .capabilities = {Encoder::kName}},
            {.name = "text",
             .help = "encoded sentences",
             .by_default = reference("data.test"),
             .rows = options_.sentences}};
  }

  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const auto table = table_of(inputs);
    // The first rows are the probes' folds, the last ones are the test set.
    const int64_t tested = table->features.size(0) / kFolds;
    const int64_t trained = tested * (kFolds - 1);
    const std::vector<int64_t> folds = {0, 1, 2};
    const auto bank = std::make_shared<ProbeBank>(
        1, table, std::vector<Probe>{{"a", 0}, {"b", 1e-3}, {"c", 1e-1}});
    const auto stream = [&](bool held_out) -> DataLoaders {
      return {{"train", std::make_shared<FoldStream>(trained, kFolds - 1, folds, held_out)}};
    };
    const MemoryTraining training =
        inputs.train(bank, train_options(), stream(false), stream(true));
    const at::Tensor features = table->features.slice(0, trained, trained + tested).to(at::kCPU);
    const at::Tensor classes = table->classes.slice(0, trained, trained + tested).to(at::kCPU);
    at::Tensor right = at::zeros({tested}, at::kDouble);
    for (size_t k = 0; k < folds.size(); ++k) {
      const auto& best =
          training.kept_checkpoints.at(ProbeBank::best(training.evaluations, k).step);
      const auto row = static_cast<int64_t>(k);
      const at::Tensor scores =
          at::matmul(features, best.at("weights")[row].t()) + best.at("biases")[row];
      right += scores.argmax(1).eq(classes).to(at::kDouble) / 3;
    }
    const double* first = right.const_data_ptr<double>();
    return {summarized({.id = "length",
                        .unit = "accuracy",
                        .signature = "probes|n_sentences:" + std::to_string(tested) +
                                     "|stopped_by:" + training.result.stopped_by,
                        .rows = {"mean", 1, std::vector<double>(first, first + tested)}})};
  }

 private:
  std::shared_ptr<FeatureTable> table_of(const Inputs& inputs) const {
    const auto ids = ids_for(inputs.model("model"), inputs.text("text").first(options_.sentences));
    std::vector<int64_t> lengths;
    for (const auto& sentence : ids) lengths.push_back(static_cast<int64_t>(sentence.size()));
    const at::Tensor length = at::tensor(lengths, at::kLong);
    const at::Tensor z = posterior_means(inputs.serve<Encoder>("model"), ids, /*batch=*/64);
    // Scale coordinates to unit variance, independent of the model's scale.
    return std::make_shared<FeatureTable>((z - z.mean(0)) / (z.std(0) + 1e-6),
                                          length.gt(length.median()).to(at::kLong));
  }

  TrainOptions train_options() const {
    TrainOptions options;
    options.stop = {{Period::epochs(static_cast<double>(options_.epochs))}};
    options.validate_every = Period::epochs(1);
    options.keep.checkpoints = options.validate_every;
    options.optimizers["default"].lr = 0.05;
    return options;
  }

  ProbesOptions options_;
};

void add_probes(Registries& registries) {
  add_evaluator<Probes, ProbesOptions>(registries, "probes",
                                       "Probes of sentence length on latent vectors", {});
}

}  // namespace example
