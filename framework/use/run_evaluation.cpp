#include "framework/use/run_evaluation.h"

#include <algorithm>

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/decoding/over_sentences.h"
#include "framework/decoding/sampling.h"

namespace lvtext {
namespace {

struct Chosen {
  std::string name;
  std::shared_ptr<const Evaluator> evaluator;
};

/// Why eval cannot serve an evaluator for this model; empty if it can.
std::string obstacle(const Evaluator& evaluator, const ModelEntry& model) {
  std::vector<std::string> lacking;
  for (const auto& capability : evaluator.capabilities()) {
    if (!model.can(capability)) lacking.push_back(capability);
  }
  if (!lacking.empty()) {
    return "it needs a model that serves " + join(lacking, " and ") + ", and '" + model.about.name +
           "' serves: " + join(model.capabilities);
  }
  const auto needs = evaluator.needs();
  const bool forward = needs.contains(EvalNeed::kForwardLm);
  if (forward || needs.contains(EvalNeed::kReverseLm)) {
    return std::string("it needs a language model trained on ") +
           (forward ? "the model's samples" : "other real text") +
           ", which eval does not train; name it below `evaluate` of a recipe and run `lvtext "
           "reproduce RECIPE`";
  }
  if (needs.contains(EvalNeed::kSentenceEncoder)) {
    return "it needs a sentence encoder, which eval does not train; name it below `evaluate` of a "
           "recipe and run `lvtext reproduce RECIPE`";
  }
  return "";
}

std::vector<Chosen> choose(const Registries& registries, const ModelEntry& model,
                           const RunEvaluationOptions& options, RunScores& result) {
  const bool named = !options.evaluators.empty();
  std::vector<Chosen> chosen;
  for (const auto& name : named ? options.evaluators : registries.evaluators.names()) {
    const EvaluatorEntry* entry = registries.evaluators.find(name);
    if (!entry) {
      throw UsageError("--evaluators: " + registries.evaluators.unknown_message(name) + "; " +
                       registries.evaluators.known_message(name));
    }
    const auto evaluator = entry->build(Node::mapping({}));
    const std::string reason = obstacle(*evaluator, model);
    if (reason.empty()) {
      chosen.push_back({name, evaluator});
    } else if (named) {
      throw UsageError("--evaluators " + name + ": " + reason);
    } else {
      result.left_out.push_back({name, reason});
    }
  }
  return chosen;
}

/// What some evaluators share, made when the first of them needs it.
class Inputs {
 public:
  Inputs(const TrainedRun& run, const RunEvaluationOptions& options, int64_t samples,
         const std::function<void(const std::string&)>& progress)
      : run_(run), options_(options), samples_wanted_(samples), progress_(progress) {
    inputs_.encodes = dynamic_cast<Encodes*>(run.trained.model.get());
    inputs_.scores_text = dynamic_cast<ScoresText*>(run.trained.model.get());
    inputs_.pieces = run.tokenizer->sha256().substr(0, 8);
    inputs_.to_text = [&run](std::span<const int32_t> ids) { return run.tokenizer->decode(ids); };
  }

  const EvalInputs& prepared(const std::set<EvalNeed>& needs) {
    const auto needed = [&](EvalNeed need, const auto& have) {
      return needs.contains(need) && have.empty();
    };
    const bool reconstructed = needs.contains(EvalNeed::kReconstructions);
    if (needed(EvalNeed::kTest, test_) || (reconstructed && test_.empty())) {
      test_ = split_of_run(run_, options_.split);
    }
    if (needed(EvalNeed::kTrain, train_)) train_ = split_of_run(run_, "train");
    if (needed(EvalNeed::kSamples, drawn_)) draw();
    if (reconstructed && reconstructions_.empty()) {
      progress_("reconstructions of " + format_count(static_cast<int64_t>(test_.size())) +
                " sentences");
      const DecodeOptions decoding{.policy = {}, .max_length = options_.max_length};
      reconstructions_ =
          lvtext::reconstruct(*inputs_.encodes, decoder(), test_, decoding).sentences;
    }
    inputs_.test = test_;
    inputs_.train = train_;
    inputs_.samples = drawn_;
    inputs_.reconstructions = reconstructions_;
    return inputs_;
  }

 private:
  NextToken& decoder() const { return dynamic_cast<NextToken&>(*run_.trained.model); }

  void draw() {
    auto* prior = dynamic_cast<SamplesPrior*>(run_.trained.model.get());
    const DecodeOptions decoding{.policy = sampling_policy(prior != nullptr),
                                 .max_length = options_.max_length};
    const auto wanted = static_cast<size_t>(samples_wanted_);
    while (drawn_.size() < wanted) {
      const auto done = static_cast<int64_t>(drawn_.size());
      progress_("samples: " + format_count(done) + "/" + format_count(samples_wanted_));
      Decoded part =
          sample_sentences(decoder(), prior, done, std::min(kDecodeBatch, samples_wanted_ - done),
                           options_.seed, decoding);
      for (auto& sentence : part.sentences) drawn_.push_back(std::move(sentence));
    }
  }

  const TrainedRun& run_;
  const RunEvaluationOptions& options_;
  int64_t samples_wanted_;
  const std::function<void(const std::string&)>& progress_;
  std::vector<TokenIds> test_, train_, drawn_, reconstructions_;
  EvalInputs inputs_;
};

}  // namespace

RunScores evaluate_run(const TrainedRun& run, const Registries& registries,
                       const RunEvaluationOptions& options,
                       const std::function<void(const std::string&)>& progress) {
  const at::NoGradGuard no_grad;
  RunScores result;
  const auto chosen = choose(registries, registries.models.get(run.trained.name), options, result);
  int64_t samples = 0;
  for (const auto& each : chosen) samples = std::max(samples, each.evaluator->samples());
  if (options.samples > 0) samples = std::min(samples, options.samples);
  const std::function<void(const std::string&)> tell =
      progress ? progress : [](const std::string&) {};
  Inputs inputs(run, options, samples, tell);
  for (const auto& each : chosen) {
    try {
      const EvalInputs& prepared = inputs.prepared(each.evaluator->needs());
      tell(each.name);
      result.scored.push_back({each.name, each.evaluator->evaluate(prepared)});
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      result.failed.push_back({each.name, error.what()});
    }
  }
  return result;
}

}  // namespace lvtext
