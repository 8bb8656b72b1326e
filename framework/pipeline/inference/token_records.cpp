// Inference component `token_records`: what token policies give to each token of a text.
#include <ATen/ATen.h>

#include <algorithm>
#include <span>
#include <utility>

#include "framework/core/base/counts.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/distribution.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/predicted_tokens.h"

namespace lvtext {
namespace {

struct TokenRecordsOptions {
  Parts<PolicyOptions> policies;
  std::optional<Precision> precision;
  std::vector<int64_t> windows = {16, 32, 128, 512};
  int64_t seed = 0;

  template <class V>
  void visit(V& v) {
    v.field("policies", policies, "parts of the result, with one token policy each", required(),
            not_empty());
    v.field("precision", precision, "precision of matrix products; unset: that of the command");
    v.field("windows", windows, "numbers of preceding tokens whose total probability is recorded",
            in_range(1, 1000000));
    v.field("seed", seed, "seed of the draws", at_least(0));
  }
};

/// Records of one policy, text after text.
struct PolicyRecords {
  at::Tensor probability, squares, support;  ///< [T] float32
  at::Tensor repeated;                       ///< [T, windows] float32
  std::vector<TokenIds> drawn;
};

/// Records of `tokens` tokens in `texts` texts, to be filled.
std::vector<PolicyRecords> empty_records(size_t policies, int64_t tokens, size_t texts,
                                         int64_t windows) {
  std::vector<PolicyRecords> records(policies);
  for (PolicyRecords& each : records) {
    for (at::Tensor* column : {&each.probability, &each.squares, &each.support}) {
      *column = at::empty({tokens}, at::kFloat);
    }
    each.repeated = at::empty({tokens, windows}, at::kFloat);
    each.drawn.resize(texts);
  }
  return records;
}

/// Writes the rows of a batch at the positions `at` of the records. Throws DataError for
/// probabilities that are not finite.
void write_rows(const PolicyRows& rows, const at::Tensor& at, PolicyRecords& records) {
  if (!rows.probability.isfinite().all().item<bool>()) throw nonfinite_scores();
  records.probability.index_copy_(0, at, rows.probability.to(at::kFloat));
  records.squares.index_copy_(0, at, rows.squares.to(at::kFloat));
  records.support.index_copy_(0, at, rows.support.to(at::kFloat));
  if (rows.masses.defined()) records.repeated.index_copy_(0, at, rows.masses.to(at::kFloat));
}

/// The different tokens among the predicted ones before each token of its text, the latest first,
/// in each of `windows`, which are in ascending order.
TokenSets preceding(const PredictedTokens& tokens, const std::vector<int64_t>& windows,
                    int64_t vocabulary) {
  TokenSets sets{.sets = std::ssize(windows)};
  if (windows.empty()) return sets;
  const auto* id = tokens.ids.const_data_ptr<int64_t>();
  const auto* text = tokens.texts.const_data_ptr<int64_t>();
  std::vector<int64_t> seen_by(static_cast<size_t>(vocabulary), -1);
  for (int64_t row = 0, first = 0; row < tokens.ids.size(0); ++row) {
    if (text[row] != text[first]) first = row;
    sets.begins.push_back(std::ssize(sets.ids));
    int64_t at = row;
    for (const int64_t window : windows) {
      for (const int64_t from = std::max(first, row - window); at > from;) {
        --at;
        if (std::exchange(seen_by[id[at]], row) != row) {
          sets.ids.push_back(static_cast<int32_t>(id[at]));
        }
      }
      sets.counts.push_back(std::ssize(sets.ids) - sets.begins.back());
    }
  }
  return sets;
}

/// The row of the first token of each text in the records, and the number of all rows. A text has
/// `extra` rows more than tokens.
std::vector<int64_t> first_rows(std::span<const TokenIds> texts, int64_t extra) {
  std::vector<int64_t> rows = {0};
  for (const TokenIds& text : texts) {
    rows.push_back(rows.back() + std::max<int64_t>(0, std::ssize(text) + extra));
  }
  return rows;
}

/// The first `count` tokens of each text.
std::vector<TokenIds> first_tokens(std::span<const TokenIds> texts, int64_t count) {
  std::vector<TokenIds> first;
  for (const TokenIds& text : texts) {
    first.emplace_back(text.begin(), text.begin() + std::min(count, std::ssize(text)));
  }
  return first;
}

/// Computes the records of all tokens of a text that the model predicts, given the tokens before
/// them in the same record of the data (a sentence, a block of running text), for several policies
/// from one pass of the model. The distributions are over the whole vocabulary.
///
/// With the input `context` the tokens of a context are given before each text, such as those of a
/// dialogue before a reply, and all tokens of the text are predicted. Of a context that is too long
/// for the model's positions the last tokens are read.
///
/// A row of the result is a record of the data, so that scores are resampled by records. Columns:
/// "vocabulary", the size V; for each predicted token "probability", that of the token, "squares",
/// the sum of the squares of all probabilities, and "support", the number of tokens that the policy
/// can choose, and "repeated_16" and the like, the total probability of the different tokens among
/// the 16 predicted before it, for each of `windows`; the texts "context" (the tokens before the
/// first prediction), "target" and "drawn" (a token from the policy in place of each target, a
/// function of the seed, the index of the record, the position and the policy).
///
/// Numbers are float32. The relative error 6e-8 of a probability changes sparsemax score,
/// Jensen-Shannon divergence and negative log likelihood by less than 1e-7 per token, also where
/// 1 - p is tiny, since their derivatives for p or ln p are at most 1; probabilities down to 1e-38
/// keep this relative error.
class TokenRecordsOf : public InferenceOfParts {
 public:
  static constexpr int kRevision = 2;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kParts = "policies";
  static constexpr const char* kRowsOf = "text";
  explicit TokenRecordsOf(const TokenRecordsOptions& options) : options_(options) {}

  std::vector<NamedPart> parts() const override { return named_parts(options_.policies); }
  std::vector<InputDecl> inputs() const override {
    return {model_input("model that scores the next token", {NextTokenModel::kName},
                        {Encoder::kName, VectorDecoder::kName}),
            {.name = "text",
             .help = "texts whose tokens are predicted",
             .by_default = reference("data.test")},
            {.name = "context",
             .help = "text before each of the texts, which is given and not predicted",
             .arity = InputDecl::Arity::kOptional,
             .aligned_with = "text"}};
  }

  std::vector<Inferred> run_parts(const Inputs& inputs, const std::vector<size_t>& parts,
                                  const Notify& progress) const override {
    const LoadedModel& loaded = inputs.model("model");
    auto& model = inputs.serve<NextTokenModel>("model");
    const std::vector<TokenIds> texts = ids_for(loaded, inputs.text("text"));
    std::vector<PolicyOptions> policies;
    for (const size_t part : parts) policies.push_back(options_.policies.all[part].options);
    std::vector<int64_t> windows = options_.windows;
    std::sort(windows.begin(), windows.end());
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);

    const bool has_contexts = inputs.has("context");
    std::vector<TokenIds> contexts;
    if (has_contexts) contexts = contexts_of(loaded, model, inputs.text("context"), texts);
    const int64_t given = has_contexts ? 0 : given_tokens(model), end = model.ends() ? 1 : 0;
    const std::vector<int64_t> rows = first_rows(texts, end - given);
    std::vector<PolicyRecords> records =
        empty_records(policies.size(), rows.back(), texts.size(), std::ssize(windows));
    const int64_t vocabulary = model.vocabulary().size;
    std::vector<TokenIds> targets(texts.size());
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.token_records")};
    const at::Tensor begins = at::tensor(rows, at::kLong);
    int64_t done = 0;
    for_each_batch(texts, texts_at_once(model, texts, "token_records"),
                   [&](const Tokens& batch, const at::Tensor& indices) {
                     PredictedTokens tokens;
                     const at::Tensor scores =
                         predicted_scores(model, contexts, batch, indices, tokens);
                     const at::Tensor ids = indices.index_select(0, tokens.texts);
                     const std::vector<PolicyRows> of_policies =
                         policy_rows(policies, model.output_map(), {}, scores, tokens.ids, ids,
                                     tokens.positions, key, preceding(tokens, windows, vocabulary));
                     const at::Tensor at = begins.index_select(0, ids) + tokens.positions - given;
                     add(tokens.ids, ids, targets);
                     for (size_t i = 0; i < policies.size(); ++i) {
                       write_rows(of_policies[i], at, records[i]);
                       add(of_policies[i].draws, ids, records[i].drawn);
                     }
                     done += batch.rows();
                     progress(std::to_string(done) + "/" + format_count(std::ssize(texts), "text"));
                   });

    if (!has_contexts) contexts = first_tokens(texts, given);
    const nlohmann::ordered_json metadata = {
        {"texts", texts.size()},
        {"tokens", rows.back()},
        {"vocabulary", vocabulary},
        {"context", has_contexts ? "tokens of a context, and before in the record"
                                 : "tokens before in the same record"},
        {"given_tokens", given},
        {"tokenizer", loaded.tokenizer->sha256()}};
    std::vector<Inferred> all;
    for (const PolicyRecords& each : records) {
      Inferred& made = all.emplace_back(
          result(each, rows, windows, vocabulary, {contexts, targets}, loaded.tokenizer));
      made.metadata = metadata;
    }
    return all;
  }

 private:
  /// Texts that the results of all policies share.
  struct SharedTexts {
    const std::vector<TokenIds>&contexts, &targets;
  };
  /// The columns of one policy; `rows`: the first token of each text in the records.
  static Inferred result(const PolicyRecords& records, const std::vector<int64_t>& rows,
                         const std::vector<int64_t>& windows, int64_t vocabulary,
                         const SharedTexts& texts,
                         const std::shared_ptr<const Tokenizer>& tokenizer) {
    const at::Tensor sizes = at::full({std::ssize(texts.targets)}, static_cast<float>(vocabulary));
    Inferred made{.columns = {number_column("vocabulary", sizes),
                              number_column("probability", records.probability, rows),
                              number_column("squares", records.squares, rows),
                              number_column("support", records.support, rows),
                              text_column("context", Text(texts.contexts, tokenizer)),
                              text_column("target", Text(texts.targets, tokenizer)),
                              text_column("drawn", Text(records.drawn, tokenizer))}};
    for (size_t k = 0; k < windows.size(); ++k) {
      made.columns.push_back(
          number_column("repeated_" + std::to_string(windows[k]),
                        records.repeated.select(1, static_cast<int64_t>(k)).contiguous(), rows));
    }
    return made;
  }

  /// The scores of the tokens that a model predicts in texts; `tokens` is set to these tokens.
  /// `contexts`: of all texts, empty for none; `indices`: of these texts among all.
  static at::Tensor predicted_scores(NextTokenModel& model, const std::vector<TokenIds>& contexts,
                                     const Tokens& texts, const at::Tensor& indices,
                                     PredictedTokens& tokens) {
    if (!contexts.empty()) {
      return continuation_scores(model, chosen(contexts, indices), texts, tokens);
    }
    tokens = predicted_tokens(model, texts);
    return model.text_scores(texts);
  }

  /// The last tokens of each context that the model can read before its text. Throws ConfigError
  /// for a text that is too long for any.
  static std::vector<TokenIds> contexts_of(const LoadedModel& loaded, const NextTokenModel& model,
                                           const Text& read, std::span<const TokenIds> texts) {
    std::vector<TokenIds> contexts = ids_for(loaded, read);
    if (contexts.size() != texts.size()) {
      throw DataError("token_records: `context` has " + format_count(std::ssize(contexts), "text") +
                      ", but `text` has " + std::to_string(texts.size()));
    }
    const int64_t least = model.start_symbol() ? 0 : 1;
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto most = model.max_positions();
      // The last token that is predicted is not read.
      const int64_t room = !most ? std::ssize(contexts[i])
                                 : *most - (model.start_symbol() ? 1 : 0) - std::ssize(texts[i]) +
                                       (model.ends() ? 0 : 1);
      if (room < least || std::ssize(contexts[i]) < least) {
        throw ConfigError(
            "token_records: text " + format_count(static_cast<int64_t>(i) + 1) +
            (room < least ? " leaves no position for a context" : " has an empty context"));
      }
      if (std::ssize(contexts[i]) > room) {
        contexts[i].erase(contexts[i].begin(), contexts[i].end() - room);
      }
    }
    return contexts;
  }
  static Tokens chosen(const std::vector<TokenIds>& all, const at::Tensor& indices) {
    std::vector<TokenIds> some;
    for (int64_t i = 0; i < indices.size(0); ++i) some.push_back(all[indices[i].item<int64_t>()]);
    return pad_sentences(some);
  }
  /// Appends tokens to the texts with these indices.
  static void add(const at::Tensor& tokens, const at::Tensor& texts, std::vector<TokenIds>& to) {
    const auto* token = tokens.const_data_ptr<int64_t>();
    const auto* text = texts.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < tokens.size(0); ++i) {
      to[text[i]].push_back(static_cast<int32_t>(token[i]));
    }
  }

  TokenRecordsOptions options_;
};

}  // namespace

void register_token_records(Registries& registries) {
  add_inference<TokenRecordsOf, TokenRecordsOptions>(
      registries, "token_records",
      "What token policies give to each token of a text: probability, support, a draw",
      {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"});
}

}  // namespace lvtext
