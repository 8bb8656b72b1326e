// The verbs of a trained model (generate, encode, ...); each runs an inference component.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/cli/token_table.h"
#include "framework/core/decoding/decoder.h"
#include "framework/pipeline/evaluate/recorded_encoder.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/store/trained_run.h"

namespace lvtext {

/// Decoding options; the defaults equal those of a recipe's samples and reconstructions.
struct VerbOptions {
  std::optional<DecodingPolicy> policy;  ///< unset: see ModelVerbs::policy()
  int64_t seed = 0;
  int64_t max_length = GenerationOptions{}.max_length;  ///< maximum number of tokens of a sentence
  int64_t steps = 7;    ///< points of an interpolation, both ends included
  int64_t draws = 1;    ///< images of a caption
  int64_t history = 0;  ///< utterances of a dialogue that are read before a reply; 0: all
};

/// The tokens that a verb wrote, after those that the model had read.
struct WrittenTokens {
  TokenIds context, tokens;
  bool begins_text = true;  ///< false: they continue the text of the context
};

/// Styles of a transfer, as indices of ModelVerbs::styles().
struct StylePair {
  size_t from = 0, to = 0;
};

/// The verbs that a model of this component supports, among "generate", "complete", "reconstruct",
/// "transfer", "interpolate", "encode", "draw", "score" and "tokens". "reply" depends on the
/// tokenizer, too: see ModelVerbs::can().
std::vector<std::string> verbs_of(const Component& model, const Registries& registries);

/// A trained model with its tokenizer. Results depend only on text, options and index; the number
/// of sentences per call affects rounding only. No gradients are computed.
class ModelVerbs {
 public:
  /// `registries` must outlive it.
  ModelVerbs(TrainedRun run, const Registries& registries);

  const TrainedRun& run() const { return run_; }
  /// The supported verbs.
  std::vector<std::string> verbs() const;
  bool can(const std::string& verb) const;
  /// Throws UsageError, listing the supported verbs, unless the model supports this one.
  void require(const std::string& verb) const;
  /// Decoding policy of a verb: options.policy, else sampling_policy() for "generate", "complete"
  /// and "reply", and greedy decoding for other verbs.
  DecodingPolicy policy(const std::string& verb, const VerbOptions& options) const;
  /// The initial verb of a conversation: "reply" for models of dialogues, else "transfer", else
  /// "reconstruct", else "complete" for models that only continue texts, else "generate".
  std::string chat_verb() const;
  /// The default verb of `probe`: "encode", else "score".
  std::string probe_verb() const;

  /// Sentences `first` to `first + count - 1` of the sequence of samples.
  std::vector<std::string> generate(int64_t first, int64_t count, const VerbOptions& options);
  /// Whether the model only continues texts: it has no start symbol, so that "generate" needs a
  /// prompt.
  bool only_completes() const;
  /// What the model writes after each line; `first` is the index of the first line.
  std::vector<std::string> complete(const std::vector<std::string>& lines, int64_t first,
                                    const VerbOptions& options);
  /// The reply to the last utterance of a dialogue; the persona is that of who replies. `number` is
  /// the index of the reply.
  std::string reply(const std::vector<std::string>& utterances,
                    const std::vector<std::string>& persona, int64_t number,
                    const VerbOptions& options);
  /// What the last call of generate(), complete() or reply() wrote last.
  const std::optional<WrittenTokens>& last_written() const { return written_; }
  /// The tokens of a line, in the form of last_written().
  WrittenTokens tokens_of(const std::string& line) const;
  /// The alternatives of written tokens under options.policy, or under the model's distribution for
  /// policies that only take the most probable text. Of a context that is too long for the model
  /// the last tokens are read.
  TokenTable token_table(const WrittenTokens& written, const VerbOptions& options) const;
  /// Decodes each line from its posterior mean, or from the vector that the recorded encoder of a
  /// decoder's training data gives it; `first` is the index of the first line. Throws MissingError
  /// if these data do not name an encoder.
  std::vector<std::string> reconstruct(const std::vector<std::string>& lines, int64_t first,
                                       const VerbOptions& options);
  /// Names of the styles of a style transfer model (style_names), or "0", "1", ... if they are
  /// unknown; empty for other models.
  const std::vector<std::string>& styles() const { return styles_; }
  /// The index of a style by its name or its index. Throws UsageError, listing the styles, if there
  /// is none; `from` names the origin of the text for the message ("--to").
  size_t style(const std::string& text, const std::string& from) const;
  /// The styles of a transfer. Of two styles, one is enough: the other is nullopt. Throws
  /// UsageError if one is missing.
  StylePair style_pair(std::optional<size_t> from, std::optional<size_t> to) const;
  /// Transfers each line; `first` is the index of the first line.
  std::vector<std::string> transfer(const std::vector<std::string>& lines, const StylePair& styles,
                                    int64_t first, const VerbOptions& options);
  /// Decodes options.steps points on the path between the posterior means, or vectors, of two lines
  /// as reconstruct(); `number` is the index of the pair.
  std::vector<std::string> interpolate(const std::string& from, const std::string& to,
                                       int64_t number, const VerbOptions& options);
  /// Posterior means, [N, Z] float32; for decoders of vectors those of the recorded encoder.
  at::Tensor encode(const std::vector<std::string>& lines);
  /// Posterior means under the policy `greedy`; under `sample` one sample of each posterior, seeded
  /// by options.seed. Throws UsageError for another policy, and for `sample` without posterior.
  at::Tensor encode(const std::vector<std::string>& lines, int64_t first,
                    const VerbOptions& options);
  /// Images of captions, `options.draws` of each, bytes [N * draws, C, S, S]: encoded as the
  /// captions of the training data were; `first` is the index of the first caption. Throws
  /// MissingError if the training data do not name an encoder.
  at::Tensor draw(const std::vector<std::string>& captions, int64_t first,
                  const VerbOptions& options);
  /// Negative log-likelihood of each line in nats, for models with a latent variable given the
  /// posterior mean; and its number of tokens. Both include EOS.
  struct LineScore {
    double nats = 0;
    int64_t tokens = 0;
  };
  std::vector<LineScore> score(const std::vector<std::string>& lines);

 private:
  /// Runs the verb's component on `lines`, or on the texts and datasets of `given`; `options` that
  /// the component lacks are ignored. `first` is the index of the first line. An input of vectors
  /// is filled by `vectors`, else by those of the recorded encoder.
  Inferred infer(const std::string& verb, const std::vector<std::string>& lines, int64_t first,
                 const std::map<std::string, std::string>& options,
                 const Dataset* vectors = nullptr) const;
  Inferred infer(const std::string& verb, const Inputs& given, int64_t first,
                 const std::map<std::string, std::string>& options) const;
  /// The verb's component with these options.
  Configured configured(const std::string& verb, int64_t first,
                        const std::map<std::string, std::string>& options) const;
  /// The options that infer() gets for a verb that decodes.
  std::map<std::string, std::string> decoding_options(const VerbOptions& options) const;
  /// Sets last_written() to the last text.
  void remember(const Inferred& written, bool begins_text);
  /// The text of infer(); `own` are the verb's options besides VerbOptions.
  std::vector<std::string> texts(const std::string& verb, const std::vector<std::string>& lines,
                                 int64_t first, const VerbOptions& options,
                                 const std::map<std::string, std::string>& own = {},
                                 const Dataset* vectors = nullptr);

  bool decodes_vectors() const;
  /// The encoder of the vectors from which the model decodes sentences or draws images.
  const RecordedEncoder& recorded_encoder() const;

  TrainedRun run_;
  const Registries& registries_;
  mutable std::optional<RecordedEncoder> recorded_encoder_;
  std::vector<std::string> styles_;
  std::optional<WrittenTokens> written_;
};

}  // namespace lvtext
