// Inference component `disagreements`: the lines of a text about which token policies disagree
// most.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/decoding/divergence.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/predicted_tokens.h"

namespace lvtext {
namespace {

constexpr const char* kModel = "model";
constexpr const char* kSparse = "sparse";
constexpr const char* kText = "text";
constexpr const char* kWords = "words";
constexpr const char* kDivergence = "divergence";

/// A policy and the input whose scores it reads.
struct ComparedPolicy : PolicyOptions {
  std::string of = kModel;

  template <class V>
  void visit(V& v) {
    PolicyOptions::visit(v);
    v.field("of", of, "input with the model whose scores the policy reads",
            one_of({kModel, kSparse}));
  }
};

struct DisagreementsOptions {
  Parts<ComparedPolicy> policies;
  int64_t lines = 20;
  int64_t min_words = 1;
  int64_t max_words = 1000;
  std::optional<Precision> precision;

  template <class V>
  void visit(V& v) {
    v.field("policies", policies, "token policies to compare, by the names of the result's columns",
            required(), not_empty());
    v.field("lines", lines, "number of lines of the result", in_range(1, 100000));
    v.field("min_words", min_words, "minimum number of words of a line", at_least(1));
    v.field("max_words", max_words, "maximum number of words of a line", at_least(1));
    v.field("precision", precision, "precision of matrix products; unset: that of the command");
    v.check(min_words <= max_words, "min_words must not exceed max_words");
    v.check(policies.all.size() != 1, "policies must list at least two policies");
    v.check(std::none_of(policies.all.begin(), policies.all.end(),
                         [](const auto& each) {
                           return each.id.find('.') != std::string::npos || each.id == kText ||
                                  each.id == kWords || each.id == kDivergence;
                         }),
            "policies must have names without a dot, other than text, words and divergence");
  }
};

/// First token of a word of a line, and the token after its last one.
using WordRange = std::pair<int64_t, int64_t>;

/// A line of a text.
struct ComparedLine {
  TokenIds ids;
  std::vector<WordRange> words;
  double divergence = 0;                          ///< mean over its tokens
  std::vector<std::vector<float>> probabilities;  ///< [K][word]
};

/// Finds the lines of a text of which all tokens are predicted, and ranks them by the mean over
/// their tokens of the generalized Jensen-Shannon divergence of the policies' distributions
/// p_1..p_K over the whole vocabulary, given the tokens before in the same record of the data
/// (Martins, Marinho and Martins 2020, tables 11 and 12):
///   JS = H(m) - 1/K sum_k H(p_k), m = 1/K sum_k p_k, in nats, in [0, ln K].
/// The result has the lines with the largest means, in descending order: the columns "text",
/// "divergence", the ragged texts "words", and for each policy a ragged column of that name with
/// the probability of each word, the product of those of its tokens.
///
/// A line is what is between two line ends of a record; the first begins with the record if the
/// model has a start symbol, the last ends with it if EOS ends its texts. Otherwise (blocks of
/// running text) they are parts of lines and are left out.
class Disagreements : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  explicit Disagreements(const DisagreementsOptions& options) : options_(options) {
    for (const auto& policy : options.policies.all) {
      const bool is_sparse = policy.options.of == kSparse;
      (is_sparse ? uses_sparse_ : uses_model_) = true;
    }
  }

  std::vector<InputDecl> inputs() const override {
    std::vector<InputDecl> inputs;
    const auto add = [&](const char* name, const char* help, Node by_default) {
      inputs.push_back({.name = name,
                        .help = help,
                        .type = ArtifactType::kModel,
                        .by_default = std::move(by_default),
                        .capabilities = {NextTokenModel::kName},
                        .without = {Encoder::kName, VectorDecoder::kName}});
    };
    if (uses_model_) add(kModel, "model that scores the next token", reference("row.model"));
    if (uses_sparse_) add(kSparse, "second model, with the same tokenizer", {});
    inputs.push_back({.name = kText,
                      .help = "texts whose lines are compared",
                      .by_default = reference("data.test")});
    return inputs;
  }

  Inferred run(const Inputs& inputs, const Notify& progress) const override {
    const std::vector<std::string> names = models();
    const LoadedModel& first = inputs.model(names.front());
    auto& model = inputs.serve<NextTokenModel>(names.front());
    check_models(inputs, names);
    const std::vector<TokenIds> texts = ids_for(first, inputs.text(kText));
    const Tokenizer& tokenizer = *first.tokenizer;
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);

    std::vector<std::vector<PolicyOptions>> policies;  // of each model
    for (const std::string& name : names) {
      auto& of_model = policies.emplace_back();
      for (const auto& policy : options_.policies.all) {
        if (policy.options.of == name) of_model.push_back(policy.options);
      }
    }
    std::vector<std::vector<ComparedLine>> of_text(texts.size());
    std::vector<int> breaks(static_cast<size_t>(tokenizer.size()), -1);  // -1: not yet known
    int64_t done = 0, at_once = std::numeric_limits<int64_t>::max();
    for (const std::string& name : names) {
      const auto& each = inputs.serve<NextTokenModel>(name);
      at_once = std::min(at_once, texts_at_once(each, texts, "disagreements, " + name));
    }
    for_each_batch(texts, at_once, [&](const Tokens& batch, const at::Tensor& indices) {
      const PredictedTokens tokens = predicted_tokens(model, batch);
      const Divergences compared = compare(inputs, names, policies, batch, tokens.ids);
      const auto* rows = tokens.texts.const_data_ptr<int64_t>();
      int64_t begin = 0;
      for (int64_t row = 0; row < batch.rows(); ++row) {
        const int64_t text = indices[row].item<int64_t>();
        const int64_t end = std::upper_bound(rows, rows + tokens.texts.size(0), row) - rows;
        of_text[text] = lines_of(model, tokenizer, texts[text], compared, begin, breaks);
        begin = end;
      }
      done += batch.rows();
      progress(std::to_string(done) + "/" + format_count(std::ssize(texts), "text"));
    });
    std::vector<ComparedLine> lines;
    for (auto& each : of_text) {
      std::move(each.begin(), each.end(), std::back_inserter(lines));
    }
    const size_t compared_lines = lines.size();
    std::stable_sort(lines.begin(), lines.end(), [](const ComparedLine& a, const ComparedLine& b) {
      return a.divergence > b.divergence;
    });
    lines.resize(std::min(lines.size(), static_cast<size_t>(options_.lines)));
    return result(lines, first.tokenizer, compared_lines);
  }

 private:
  std::vector<std::string> models() const {
    std::vector<std::string> names;
    if (uses_model_) names.emplace_back(kModel);
    if (uses_sparse_) names.emplace_back(kSparse);
    return names;
  }

  /// Indices of the options' policies, those of each model together.
  std::vector<size_t> order() const {
    std::vector<size_t> order;
    for (const std::string& name : models()) {
      for (size_t k = 0; k < options_.policies.all.size(); ++k) {
        if (options_.policies.all[k].options.of == name) order.push_back(k);
      }
    }
    return order;
  }

  /// Throws ConfigError unless the models read and predict the same tokens.
  static void check_models(const Inputs& inputs, const std::vector<std::string>& names) {
    const std::string& first = names.front();
    const auto& model = inputs.serve<NextTokenModel>(first);
    for (const std::string& name : names) {
      const auto& other = inputs.serve<NextTokenModel>(name);
      if (inputs.model(name).tokenizer->sha256() != inputs.model(first).tokenizer->sha256()) {
        throw ConfigError("disagreements: '" + first + "' and '" + name +
                          "' have different tokenizers; train both on data of the same one");
      }
      if (given_tokens(other) != given_tokens(model) || other.ends() != model.ends()) {
        throw ConfigError("disagreements: '" + first + "' and '" + name +
                          "' do not predict the same tokens of a text: only one of them has a "
                          "start symbol or ends texts with EOS");
      }
    }
  }

  /// Scores a batch with each model. The policies are in the order of order().
  static Divergences compare(const Inputs& inputs, const std::vector<std::string>& names,
                             const std::vector<std::vector<PolicyOptions>>& policies,
                             const Tokens& batch, const at::Tensor& targets) {
    std::vector<PoliciesOfModel> models;
    for (size_t i = 0; i < names.size(); ++i) {
      auto& model = inputs.serve<NextTokenModel>(names[i]);
      models.push_back({policies[i], model.output_map(), model.text_scores(batch)});
    }
    Divergences found = policy_divergences(models, targets);
    if (!found.divergence.isfinite().all().item<bool>()) throw nonfinite_scores();
    return found;
  }

  /// The lines of a text with enough words; `begin` is the index of its first predicted token.
  std::vector<ComparedLine> lines_of(const NextTokenModel& model, const Tokenizer& tokenizer,
                                     const TokenIds& text, const Divergences& compared,
                                     int64_t begin, std::vector<int>& breaks) const {
    const int64_t given = given_tokens(model), size = std::ssize(text);
    const auto* divergence = compared.divergence.const_data_ptr<double>();
    const auto* p = compared.probabilities.const_data_ptr<double>();
    const int64_t policies = compared.probabilities.size(1);
    const std::vector<size_t> order_of_models = order();
    std::vector<ComparedLine> lines;
    for (int64_t from = 0, to; from < size; from = to + 1) {
      to = from;
      while (to < size && !breaks_line(tokenizer, text[to], breaks)) ++to;
      const bool is_whole = (from > 0 || given == 0) && (to < size || model.ends());
      if (!is_whole || from == to) continue;
      ComparedLine line{.ids = TokenIds(text.begin() + from, text.begin() + to)};
      line.words = words_of(tokenizer, line.ids);
      if (std::ssize(line.words) < options_.min_words ||
          std::ssize(line.words) > options_.max_words) {
        continue;
      }
      const int64_t at = begin + from - given;  // index of the first token
      line.divergence = std::accumulate(divergence + at, divergence + at + (to - from), 0.0) /
                        static_cast<double>(to - from);
      line.probabilities.resize(static_cast<size_t>(policies));
      for (int64_t k = 0; k < policies; ++k) {
        std::vector<float>& of_words = line.probabilities[order_of_models[k]];
        for (const auto& [first, end] : line.words) {
          double product = 1;
          for (int64_t t = first; t < end; ++t) product *= p[(at + t) * policies + k];
          of_words.push_back(static_cast<float>(product));
        }
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }

  static bool breaks_line(const Tokenizer& tokenizer, int32_t id, std::vector<int>& breaks) {
    int& known = breaks[static_cast<size_t>(id)];
    if (known < 0) {
      known = tokenizer.decode({&id, 1}).find('\n') == std::string::npos ? 0 : 1;
    }
    return known == 1;
  }

  static std::vector<WordRange> words_of(const Tokenizer& tokenizer, const TokenIds& line) {
    std::vector<WordRange> words;
    for (int64_t t = 0; t < std::ssize(line); ++t) {
      if (t == 0 || tokenizer.begins_word(line[t]).value_or(true)) words.emplace_back(t, t);
      words.back().second = t + 1;
    }
    return words;
  }

  Inferred result(const std::vector<ComparedLine>& lines,
                  std::shared_ptr<const Tokenizer> tokenizer, size_t compared_lines) const {
    std::vector<TokenIds> texts, words;
    std::vector<float> divergences;
    std::vector<int64_t> rows = {0};
    const auto& policies = options_.policies.all;
    std::vector<std::vector<float>> probabilities(policies.size());
    for (const ComparedLine& line : lines) {
      texts.push_back(line.ids);
      divergences.push_back(static_cast<float>(line.divergence));
      for (const auto& [first, end] : line.words) {
        words.emplace_back(line.ids.begin() + first, line.ids.begin() + end);
      }
      rows.push_back(std::ssize(words));
      for (size_t k = 0; k < policies.size(); ++k) {
        const std::vector<float>& of_words = line.probabilities[k];
        probabilities[k].insert(probabilities[k].end(), of_words.begin(), of_words.end());
      }
    }
    Inferred inferred{.text = Text(std::move(texts), tokenizer),
                      .metadata = {{"compared_lines", compared_lines}, {"lines", lines.size()}}};
    inferred.columns.push_back(number_column(kDivergence, at::tensor(divergences, at::kFloat)));
    inferred.columns.push_back(
        text_column(kWords, Text(std::move(words), std::move(tokenizer)), rows));
    for (size_t k = 0; k < policies.size(); ++k) {
      inferred.columns.push_back(
          number_column(policies[k].id, at::tensor(probabilities[k], at::kFloat), rows));
    }
    return inferred;
  }

  DisagreementsOptions options_;
  bool uses_model_ = false, uses_sparse_ = false;
};

}  // namespace

void register_disagreements(Registries& registries) {
  add_inference<Disagreements, DisagreementsOptions>(
      registries, "disagreements",
      "Lines of a text about which token policies of one or two models disagree most, with the "
      "probabilities of their words",
      {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"});
}

}  // namespace lvtext
