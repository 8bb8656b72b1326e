#include "framework/cli/model_verbs.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/policy_text.h"
#include "framework/core/decoding/sampling.h"
#include "framework/pipeline/nodes/inline_model.h"

namespace lvtext {
namespace {

struct Verb {
  const char* name;
  const char* component;  ///< inference component that implements it
  const char* needs;      ///< requirements on the model, for messages
};
constexpr Verb kVerbs[] = {
    {"generate", "samples", "a prior to sample from, or a decoder without a latent variable"},
    {"reconstruct", "reconstructions", "an encoder and a decoder"},
    {"interpolate", "interpolations", "an encoder and a decoder"},
    {"encode", "encode", "an encoder"},
    {"score", "likelihoods", "the likelihood of a given sentence"},
};

const Verb& verb_of(const std::string& name) {
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return verb;
  }
  throw std::logic_error("no verb '" + name + "'");
}

}  // namespace

ModelVerbs::ModelVerbs(TrainedRun run, const Registries& registries)
    : run_(std::move(run)), registries_(registries) {}

bool ModelVerbs::can(const std::string& verb) const {
  const Component& model = registries_.models.get(run_.model.component);
  // A decoder with a latent variable needs a prior to sample it from.
  if (verb == "generate" && model.can(Encoder::kName) && !model.can(PriorSampler::kName)) {
    return false;
  }
  const Component& component = registries_.inference.get(verb_of(verb).component);
  for (const InputDecl& input : component.configure().inputs) {
    if (input.type == ArtifactType::kModel && !misfit(input, model).empty()) return false;
  }
  return true;
}

std::vector<std::string> ModelVerbs::verbs() const {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) {
    if (can(verb.name)) names.emplace_back(verb.name);
  }
  return names;
}

void ModelVerbs::require(const std::string& verb) const {
  if (can(verb)) return;
  throw UsageError("'" + run_.folder.filename().string() + "' does not support " + verb +
                   ", which needs " + verb_of(verb).needs + "; model '" + run_.model.component +
                   "' supports " + join(verbs()));
}

std::string ModelVerbs::chat_verb() const {
  return can("reconstruct") ? "reconstruct" : "generate";
}
std::string ModelVerbs::probe_verb() const {
  return can("encode") ? "encode" : "score";
}

DecodingPolicy ModelVerbs::policy(const std::string& verb, const VerbOptions& options) const {
  if (options.policy) return *options.policy;
  if (verb != "generate") return PolicyOptions{};
  const Component& model = registries_.models.get(run_.model.component);
  return sampling_policy(model.can(PriorSampler::kName));
}

Inferred ModelVerbs::infer(const std::string& verb, const std::vector<std::string>& lines,
                           int64_t first, const std::map<std::string, std::string>& options) const {
  require(verb);
  const Component& component = registries_.inference.get(verb_of(verb).component);
  Node node = Node::mapping({});
  const auto set = [&](const std::string& key, const std::string& value) {
    for (const FieldSchema& field : component.about.schema.fields) {
      if (field.key == key) node = node.with({key, Node::scalar(value), {}});
    }
  };
  set("first", std::to_string(first));
  for (const auto& [key, value] : options) set(key, value);
  const Configured configured = component.configure(node);
  Inputs inputs;
  for (const InputDecl& input : configured.inputs) {
    if (input.type == ArtifactType::kModel) {
      inputs.add(input.name, run_.model);
    } else {
      inputs.add(input.name, Text(lines));
    }
  }
  const at::NoGradGuard no_grad;
  return configured.inference->run(inputs, [](const std::string&) {});
}

std::vector<std::string> ModelVerbs::texts(const std::string& verb,
                                           const std::vector<std::string>& lines, int64_t first,
                                           const VerbOptions& options) const {
  std::map<std::string, std::string> given = {{"seed", std::to_string(options.seed)},
                                              {"max_length", std::to_string(options.max_length)},
                                              {"steps", std::to_string(options.steps)}};
  if (options.policy) given["policy"] = policy_text(*options.policy);
  if (verb == "generate") given["count"] = std::to_string(lines.size());
  const Text written = infer(verb, lines, first, given).text;
  return {written.lines().begin(), written.lines().end()};
}

std::vector<std::string> ModelVerbs::generate(int64_t first, int64_t count,
                                              const VerbOptions& options) {
  return texts("generate", std::vector<std::string>(count), first, options);
}

std::vector<std::string> ModelVerbs::reconstruct(const std::vector<std::string>& lines,
                                                 int64_t first, const VerbOptions& options) {
  return texts("reconstruct", lines, first, options);
}

std::vector<std::string> ModelVerbs::interpolate(const std::string& from, const std::string& to,
                                                 int64_t number, const VerbOptions& options) {
  return texts("interpolate", {from, to}, number, options);
}

at::Tensor ModelVerbs::encode(const std::vector<std::string>& lines) {
  return infer("encode", lines, 0, {}).columns.front().values;
}

at::Tensor ModelVerbs::encode(const std::vector<std::string>& lines, int64_t first,
                              const VerbOptions& options) {
  const DecodingPolicy any = policy("encode", options);
  const auto* chosen = std::get_if<PolicyOptions>(&any);
  if (chosen && chosen->type == Policy::kGreedy) return encode(lines);
  if (!chosen || chosen->type != Policy::kTemperature || chosen->temperature != 1) {
    throw UsageError(
        "--policy: encode takes greedy (posterior mean) or sample (a sample from the posterior)");
  }
  return infer("encode", lines, first, {{"draw", "true"}, {"seed", std::to_string(options.seed)}})
      .columns.front()
      .values;
}

std::vector<ModelVerbs::LineScore> ModelVerbs::score(const std::vector<std::string>& lines) {
  const auto tensors = infer("score", lines, 0, {}).tensors;
  std::vector<LineScore> scores;
  for (int64_t i = 0; i < tensors.at("nats").numel(); ++i) {
    scores.push_back(
        {tensors.at("nats")[i].item<double>(), tensors.at("tokens")[i].item<int64_t>()});
  }
  return scores;
}

}  // namespace lvtext
