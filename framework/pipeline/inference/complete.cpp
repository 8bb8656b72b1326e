// Inference component `complete`: continues texts with a model of the next token.
#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/counts.h"
#include "framework/core/base/white_space.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/decoding/sampling.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/decoding_options.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct CompleteOptions : DecodingFields {
  std::optional<int64_t> words, tokens;
  std::optional<std::vector<std::string>> stop;
  int64_t min_words = 0;
  int64_t at_most = 0;

  template <class V>
  void visit(V& v) {
    v.field(
        "words", words,
        "length of the prompt, the beginning of each text, in words between white space; unset: "
        "`tokens`",
        at_least(1));
    v.field("tokens", tokens, "length of the prompt in tokens of the model; unset: the whole text",
            at_least(1));
    v.field("min_words", min_words, "texts with fewer words are left out", at_least(0));
    v.field("at_most", at_most, "maximum number of texts, from the first; 0: no limit",
            at_least(0));
    v.field(
        "stop", stop,
        "added tokens of the tokenizer, such as <eos>, each of which ends a continuation and is "
        "not part of it (unset: none)",
        not_empty());
    DecodingFields::visit(v);
    v.check(!words || !tokens, "the prompt has a number of `words` or of `tokens`, not both");
  }
};

/// Continues each text by `max_length` tokens, or up to EOS if the model ends texts, or up to one
/// of the tokens of `stop`; by default the tokens are drawn from the model's distribution. The
/// result has the continuations, and in columns the prompts ("prompt"), what the text itself has in
/// place of each continuation, of at most `max_length` tokens, or the text of the input `original`
/// ("original"), and the index of each text ("index"). A continuation is a function of prompt, seed
/// and index. Of a prompt that is too long for the model's positions the last tokens are read.
class Complete : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  explicit Complete(const CompleteOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {
        model_input("model that continues the texts", {NextTokenModel::kName},
                    {Encoder::kName, StyleTransfer::kName, VectorDecoder::kName}),
        {.name = "text", .help = "texts to continue", .by_default = reference("data.test")},
        {.name = "original",
         .help = "what follows each text, such as the reply to a context; unset: the rest of it",
         .arity = InputDecl::Arity::kOptional,
         .aligned_with = "text"}};
  }

  Inferred run(const Inputs& inputs, const Notify& progress) const override {
    const LoadedModel& model = inputs.model("model");
    auto& decoder = inputs.serve<NextTokenModel>("model");
    const Prompts prompts = prompts_of(inputs, model);
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.complete")};
    DecodeOptions decoding = options_.decoding(sampling_policy(/*has_prior=*/false));
    decoding.stop_ids = stop_ids(*model.tokenizer);
    const at::Tensor ids = at::tensor(prompts.indices, at::kLong) + options_.first;
    const auto count = std::ssize(prompts.ids);
    std::vector<TokenIds> read = prompts.ids, written;
    const int64_t cut_prompts = keep_last(read, decoder);
    int64_t cut_off = 0;
    for (int64_t done = 0; done < count;) {
      const int64_t rows = std::min(decoding.batch, count - done);
      Decoded part = decode(decoder, {}, ids.narrow(0, done, rows), key, decoding,
                            std::span(read).subspan(done, rows));
      for (TokenIds& text : part.sentences) written.push_back(std::move(text));
      cut_off += part.cut_off;
      done += rows;
      progress(std::to_string(done) + "/" + format_count(count, "text"));
    }
    return {.text = Text(std::move(written), model.tokenizer),
            .columns = {text_column("prompt", Text(prompts.ids, model.tokenizer)),
                        text_column("original", Text(prompts.originals, model.tokenizer)),
                        number_column("index", at::tensor(prompts.indices, at::kFloat))},
            .metadata = {{"count", count},
                         {"left_out", prompts.left_out},
                         {"cut_prompts", cut_prompts},
                         {"cut_off", cut_off}}};
  }

 private:
  struct Prompts {
    std::vector<TokenIds> ids, originals;
    std::vector<int64_t> indices;
    int64_t left_out = 0;
  };

  /// Keeps the last tokens of prompts that do not fit into the model's positions together with
  /// `max_length` tokens. Returns the number of these prompts.
  int64_t keep_last(std::vector<TokenIds>& prompts, const NextTokenModel& model) const {
    const std::optional<int64_t> positions = model.max_positions();
    if (!positions) return 0;
    const int64_t room = *positions - options_.max_length + 1 - (model.start_symbol() ? 1 : 0);
    if (room < 1) return 0;  // decode() states what does not fit
    int64_t cut = 0;
    for (TokenIds& prompt : prompts) {
      if (std::ssize(prompt) <= room) continue;
      prompt.erase(prompt.begin(), prompt.end() - room);
      ++cut;
    }
    return cut;
  }

  std::vector<int32_t> stop_ids(const Tokenizer& tokenizer) const {
    std::vector<int32_t> ids;
    for (const std::string& text : options_.stop.value_or(std::vector<std::string>())) {
      const TokenIds token = tokenizer.encode(text);
      if (token.size() != 1 || token.front() == tokenizer.vocabulary().unk) {
        throw ConfigError("complete: stop: '" + text +
                          "' is not one token of the model's tokenizer; name its added tokens");
      }
      ids.push_back(token.front());
    }
    return ids;
  }

  Prompts prompts_of(const Inputs& inputs, const LoadedModel& model) const {
    const Text text = inputs.text("text");
    std::vector<TokenIds> originals;
    const bool are_given = inputs.has("original");
    if (are_given) originals = ids_for(model, inputs.text("original"));
    if (are_given && originals.size() != text.size()) {
      throw DataError("complete: `original` has " + format_count(std::ssize(originals), "text") +
                      ", but `text` has " + std::to_string(text.size()));
    }
    const Tokenizer& tokenizer = *model.tokenizer;
    const bool is_whole = !options_.words && !options_.tokens;
    // The ids of the text, which decoding may not give back (BOS).
    const std::vector<TokenIds> whole_ids =
        is_whole ? ids_for(model, text) : std::vector<TokenIds>();
    Prompts prompts;
    for (size_t i = 0; i < text.size(); ++i) {
      if (options_.at_most > 0 && std::ssize(prompts.ids) == options_.at_most) break;
      const std::string& line = text.lines()[i];
      const std::vector<std::string_view> words = split_white_space(line);
      if (std::ssize(words) < options_.min_words) {
        ++prompts.left_out;
        continue;
      }
      TokenIds prompt, rest;
      if (options_.words) {
        // The rest begins with white space.
        const bool has_rest = *options_.words < std::ssize(words);
        const std::string_view whole = line;
        const std::string_view last = has_rest ? words[*options_.words - 1] : whole;
        const auto end = static_cast<size_t>(last.data() + last.size() - whole.data());
        prompt = tokenizer.encode(whole.substr(0, end));
        rest = tokenizer.encode(whole.substr(end));
      } else if (is_whole) {
        prompt = whole_ids[i];
      } else {
        prompt = tokenizer.encode(line);
        const int64_t length = std::min(*options_.tokens, std::ssize(prompt));
        rest.assign(prompt.begin() + length, prompt.end());
        prompt.resize(static_cast<size_t>(length));
      }
      if (are_given) {
        rest = originals[i];
      } else {
        rest.resize(static_cast<size_t>(std::min(std::ssize(rest), options_.max_length)));
      }
      prompts.ids.push_back(std::move(prompt));
      prompts.originals.push_back(std::move(rest));
      prompts.indices.push_back(static_cast<int64_t>(i));
    }
    return prompts;
  }

  CompleteOptions options_;
};

}  // namespace

void register_complete(Registries& registries) {
  add_inference<Complete, CompleteOptions>(registries, "complete",
                                           "Continuations of the beginnings of texts", {});
}

}  // namespace lvtext
