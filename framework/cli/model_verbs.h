// The commands for a trained model, each a verb that runs an inference component.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/decoding/decoder.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/nodes/trained_run.h"

namespace lvtext {

/// How text is made; the defaults are those of a recipe's samples and reconstructions.
struct VerbOptions {
  std::optional<DecodingPolicy> policy;  ///< none: what sampling_policy() or greedy decoding says
  int64_t seed = 0;
  int64_t max_length = GenerationOptions{}.max_length;  ///< tokens of a sentence
  int64_t steps = 7;  ///< codes from one end of an interpolation to the other, both included
};

/// A trained model with its tokenizer. Results depend on text, options and position alone, but for
/// rounding not on how many sentences are handed over together. No gradients are computed.
class ModelVerbs {
 public:
  /// `registries` must outlive it.
  ModelVerbs(TrainedRun run, const Registries& registries);

  const TrainedRun& run() const { return run_; }
  /// Those of "generate", "reconstruct", "interpolate", "encode" and "score" that the model serves.
  std::vector<std::string> verbs() const;
  bool can(const std::string& verb) const;
  /// Throws UsageError, naming what the model can do, unless it can do this.
  void require(const std::string& verb) const;
  /// How this verb chooses tokens.
  DecodingPolicy policy(const std::string& verb, const VerbOptions& options) const;
  /// The verb that a conversation with the model starts with: "reconstruct", else "generate".
  std::string chat_verb() const;
  /// The verb that looks into the model: "encode", else "score".
  std::string probe_verb() const;

  /// Sentences `first` to `first + count - 1` of the sequence of samples.
  std::vector<std::string> generate(int64_t first, int64_t count, const VerbOptions& options);
  /// Each line decoded from its posterior mean; `first` is the number of the first line.
  std::vector<std::string> reconstruct(const std::vector<std::string>& lines, int64_t first,
                                       const VerbOptions& options);
  /// options.steps sentences decoded along the way between the posterior means of two lines;
  /// `number` is that of the pair.
  std::vector<std::string> interpolate(const std::string& from, const std::string& to,
                                       int64_t number, const VerbOptions& options);
  /// Posterior means, [N, Z] float32.
  at::Tensor encode(const std::vector<std::string>& lines);
  /// The same under the policy greedy; under sample one draw of each posterior, of options.seed.
  /// Throws UsageError for another policy.
  at::Tensor encode(const std::vector<std::string>& lines, int64_t first,
                    const VerbOptions& options);
  /// Negative log-likelihood of each line in nats, EOS included, given its posterior mean
  /// for models with a latent variable; and its number of tokens, EOS included.
  struct LineScore {
    double nats = 0;
    int64_t tokens = 0;
  };
  std::vector<LineScore> score(const std::vector<std::string>& lines);

 private:
  /// What the verb's component gives for `lines` under `options`, of which it takes those that it
  /// has; the first line has number `first`.
  Inferred infer(const std::string& verb, const std::vector<std::string>& lines, int64_t first,
                 const std::map<std::string, std::string>& options) const;
  std::vector<std::string> texts(const std::string& verb, const std::vector<std::string>& lines,
                                 int64_t first, const VerbOptions& options) const;

  TrainedRun run_;
  const Registries& registries_;
};

}  // namespace lvtext
