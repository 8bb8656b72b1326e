// Stubs of the components that the skeletons use and lvtext lacks: options, inputs, streams and
// scores. A skeleton can be checked and its graph built with them; none of them can run.
#include <ATen/ATen.h>

#include "evaluators/evaluator.h"
#include "framework/core/model/plugin.h"
#include "framework/core/nn/module_scope.h"
#include "framework/pipeline/inference/inference.h"

namespace skeletons {

using namespace lvtext;

constexpr const char* kStub = "Stub of a component that is not implemented; it cannot run";
constexpr ArtifactType kText = ArtifactType::kText;
constexpr ArtifactType kDataset = ArtifactType::kDataset;
constexpr ArtifactType kModel = ArtifactType::kModel;

[[noreturn]] void refuse() {
  throw ConfigError("stubs of skeletons cannot be run");
}

// Definitions of components

struct StubModel : Trainable {
  explicit StubModel(std::vector<StreamDecl> streams)
      : streams_(std::move(streams)), weights_(register_parameter("weights", at::zeros({1}))) {}

  std::vector<ParamGroup> groups() override {
    return {{.name = "all", .params = {{"weights", weights_}}}};
  }
  std::vector<Phase> phases() const override {
    Phase phase{.name = "all", .updates = {{"default", {"all"}}}, .terms = {{.name = "loss"}}};
    for (const StreamDecl& stream : streams_) phase.draws.push_back({.stream = stream.name});
    return {phase};
  }
  std::vector<StreamDecl> streams() const override { return streams_; }
  Sums losses(const Phase&, const Batches&, StepContext&) override { refuse(); }

 private:
  std::vector<StreamDecl> streams_;
  at::Tensor weights_;
};

struct StubEvaluator : Evaluator {
  explicit StubEvaluator(std::vector<InputDecl> inputs) : inputs_(std::move(inputs)) {}
  std::vector<InputDecl> inputs() const override { return inputs_; }
  std::vector<Score> evaluate(const Inputs&) const override { refuse(); }

 private:
  std::vector<InputDecl> inputs_;
};

struct StubInference : InferenceOfParts {
  StubInference(std::vector<InputDecl> inputs, std::vector<NamedPart> parts)
      : inputs_(std::move(inputs)), parts_(std::move(parts)) {}
  std::vector<InputDecl> inputs() const override { return inputs_; }
  std::vector<NamedPart> parts() const override { return parts_; }
  std::vector<Inferred> run_parts(const Inputs&, const std::vector<size_t>&,
                                  const Notify&) const override {
    refuse();
  }

 private:
  std::vector<InputDecl> inputs_;
  std::vector<NamedPart> parts_;
};

InputDecl input(const std::string& name, ArtifactType type,
                InputDecl::Arity arity = InputDecl::Arity::kOne) {
  return {.name = name, .help = "input of the paper's component", .type = type, .arity = arity};
}

InputDecl input(const std::string& name, ArtifactType type, const std::string& by_default) {
  InputDecl decl = input(name, type);
  decl.by_default = reference(by_default);
  return decl;
}

/// A model with `capability`.
InputDecl serving(const std::string& name, const std::string& capability,
                  InputDecl::Arity arity = InputDecl::Arity::kOne) {
  InputDecl decl = input(name, kModel, arity);
  decl.capabilities = {capability};
  return decl;
}

template <class Options>
void stub_model(Registries& registries, const std::string& name,
                const std::vector<std::string>& capabilities,
                const std::vector<InputDecl>& inputs = {},
                const std::vector<StreamDecl>& streams = {{}}) {
  Component component = component_of<Options>(
      registries, name, kStub, {},
      [inputs, streams](Configured& configured, const std::shared_ptr<const Options>&) {
        configured.inputs = inputs;
        configured.model = [streams](const ModelInputs&) -> std::shared_ptr<Trainable> {
          return std::make_shared<StubModel>(streams);
        };
      });
  component.capabilities = capabilities;
  registries.models.add(name, std::move(component), registries.origin());
}

template <class Options>
void stub_inference(Registries& registries, const std::string& name, ArtifactType gives,
                    const std::vector<InputDecl>& inputs) {
  Component component = component_of<Options>(
      registries, name, kStub, {},
      [inputs](Configured& configured, const std::shared_ptr<const Options>& options) {
        configured.inputs = inputs;
        if constexpr (requires { options->policies; }) {
          configured.parts = named_parts(options->policies);
        }
        configured.inference = std::make_shared<StubInference>(inputs, configured.parts);
      });
  component.gives = gives;
  if constexpr (requires(Options options) { options.policies; })
    component.parts_option = "policies";
  registries.inference.add(name, std::move(component), registries.origin());
}

template <class Options>
void stub_evaluator(Registries& registries, const std::string& name,
                    const std::vector<std::string>& scores, const std::vector<InputDecl>& inputs,
                    ScoresOf scores_of = ScoresOf::kRow) {
  Component component = component_of<Options>(
      registries, name, kStub, {},
      [inputs](Configured& configured, const std::shared_ptr<const Options>&) {
        configured.inputs = inputs;
        configured.evaluator = std::make_shared<StubEvaluator>(inputs);
      });
  for (const std::string& score : scores) component.scores.push_back({score, ""});
  component.scores_of = scores_of;
  registries.evaluators.add(name, std::move(component), registries.origin());
}

// Options

constexpr const char* kHelp = "option of the paper's component";

struct NoOptions {
  template <class V>
  void visit(V&) {}
};

void add_vec2sent(Registries& all) {
  const std::string embeds = SentenceEmbedder::kName;
  stub_model<NoOptions>(all, "quickthought", {embeds});
  stub_model<NoOptions>(all, "transformer_encoder", {embeds});
  const InputDecl encoder = serving("encoder", embeds);
  stub_evaluator<NoOptions>(
      all, "sentence_tasks", {"score"},
      {encoder, input("train", kDataset), input("valid", kDataset), input("test", kDataset)});
}

}  // namespace skeletons

LVTEXT_PLUGIN(registries) {
  using namespace skeletons;
  add_vec2sent(registries);
}
