// Inference component `token_alternatives`: the most probable other tokens for each token.
#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/policy_text.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/decoding/text_end.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/predicted_tokens.h"

namespace lvtext {
namespace {

struct TokenAlternativesOptions {
  std::string policy;
  int64_t alternatives = 5;
  std::optional<Precision> precision;

  template <class V>
  void visit(V& v) {
    v.field("policy", policy,
            "token policy, as --policy, whose distributions are computed; unset, and of greedy and "
            "beam: the distributions of the model; always without BOS and padding");
    v.field("alternatives", alternatives, "number of other tokens of each token",
            in_range(1, 1000));
    v.field("precision", precision, "precision of matrix products; unset: that of the command");
    v.check(policy.empty() || read_policy(policy),
            std::string("policy must be one of ") + kPolicyHelp);
  }

  PolicyOptions distribution() const {
    const DecodingPolicy any = policy.empty() ? PolicyOptions{} : parse_policy(policy);
    const auto* chosen = std::get_if<PolicyOptions>(&any);
    PolicyOptions own{.type = Policy::kTemperature};
    if (chosen == nullptr) return own;
    if (chosen->type != Policy::kGreedy) return *chosen;
    own.alpha = chosen->alpha;
    return own;
  }
};

/// The distribution of each token of a text that the model predicts, under one policy, and the most
/// probable other tokens. Ragged columns, with K the option `alternatives`: "token" (texts of one
/// token; EOS where the model ends a text), "probability", "support" (number of tokens that the
/// policy can choose), and, K for each token, the most probable first, "alternative" (texts of one
/// token) and "alternative_probability", 0 where fewer tokens are possible.
class TokenAlternatives : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kRowsOf = "text";
  explicit TokenAlternatives(const TokenAlternativesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model that scores the next token", {NextTokenModel::kName},
                        {Encoder::kName, StyleTransfer::kName, VectorDecoder::kName}),
            {.name = "text",
             .help = "texts whose tokens are predicted",
             .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const LoadedModel& loaded = inputs.model("model");
    auto& model = inputs.serve<NextTokenModel>("model");
    const std::vector<TokenIds> texts = ids_for(loaded, inputs.text("text"));
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);
    const int64_t others = std::min<int64_t>(options_.alternatives, model.vocabulary().size - 1);
    std::vector<Choices> of_texts(texts.size());
    for_each_batch(texts, texts_at_once(model, texts, "token_alternatives"),
                   [&](const Tokens& batch, const at::Tensor& indices) {
                     const PredictedTokens tokens = predicted_tokens(model, batch);
                     if (tokens.ids.size(0) == 0) return;
                     add(choices(model, tokens.ids, model.text_scores(batch), others),
                         indices.index_select(0, tokens.texts), of_texts);
                   });

    Choices all;
    std::vector<int64_t> rows = {0}, other_rows = {0};
    for (const Choices& text : of_texts) {
      all.append(text);
      rows.push_back(std::ssize(all.tokens));
      other_rows.push_back(std::ssize(all.others));
    }
    const auto& tokenizer = loaded.tokenizer;
    return {
        .columns = {text_column("token", Text(std::move(all.tokens), tokenizer), rows),
                    number_column("probability", at::tensor(all.probability), rows),
                    number_column("support", at::tensor(all.support), rows),
                    text_column("alternative", Text(std::move(all.others), tokenizer), other_rows),
                    number_column("alternative_probability", at::tensor(all.other_probability),
                                  other_rows)},
        .metadata = {{"texts", texts.size()}, {"alternatives", others}}};
  }

 private:
  /// The columns of some tokens.
  struct Choices {
    std::vector<TokenIds> tokens = {}, others = {};
    std::vector<float> probability = {}, support = {}, other_probability = {};

    void append(const Choices& more) {
      const auto add = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      add(tokens, more.tokens);
      add(others, more.others);
      add(probability, more.probability);
      add(support, more.support);
      add(other_probability, more.other_probability);
    }
  };

  /// Those of each token of `ids` [P], from `scores` [P, V].
  std::vector<Choices> choices(const NextTokenModel& model, const at::Tensor& ids,
                               const at::Tensor& scores, int64_t others) const {
    const Candidates from =
        candidates(options_.distribution(), model.output_map(), end_of(model).excluded, scores);
    const at::Tensor targets = ids.to(scores.device()).unsqueeze(1);
    const at::Tensor is_target = from.ids == targets;
    const at::Tensor probability =
        (from.probabilities * is_target).sum(1).to(at::kCPU, at::kFloat).contiguous();
    const at::Tensor support = from.support.to(at::kCPU);
    const int64_t most = std::min(others, from.ids.size(1));
    const auto [best, columns] = from.probabilities.masked_fill(is_target, 0)
                                     .topk(most, 1, /*largest=*/true,
                                           /*sorted=*/true);
    const at::Tensor best_ids = from.ids.gather(1, columns).to(at::kCPU);
    const at::Tensor best_probability = best.to(at::kCPU, at::kFloat);
    std::vector<Choices> all;
    for (int64_t row = 0; row < ids.size(0); ++row) {
      Choices& each = all.emplace_back();
      each.tokens.push_back(TokenIds{static_cast<int32_t>(ids[row].item<int64_t>())});
      each.probability = {probability[row].item<float>()};
      each.support = {static_cast<float>(support[row].item<int64_t>())};
      for (int64_t k = 0; k < others; ++k) {
        const float p = k < most ? best_probability[row][k].item<float>() : 0;
        const auto id = p > 0 ? best_ids[row][k].item<int64_t>() : 0;
        each.others.push_back(TokenIds{static_cast<int32_t>(id)});
        each.other_probability.push_back(p);
      }
    }
    return all;
  }

  /// Appends the choices of tokens to those of their texts.
  static void add(const std::vector<Choices>& choices, const at::Tensor& texts,
                  std::vector<Choices>& to) {
    for (size_t i = 0; i < choices.size(); ++i) {
      to[texts[static_cast<int64_t>(i)].item<int64_t>()].append(choices[i]);
    }
  }

  TokenAlternativesOptions options_;
};

}  // namespace

void register_token_alternatives(Registries& registries) {
  add_inference<TokenAlternatives, TokenAlternativesOptions>(
      registries, "token_alternatives", "The most probable other tokens for each token of a text",
      {});
}

}  // namespace lvtext
