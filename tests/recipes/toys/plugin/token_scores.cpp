// Scores of token records.
#include <cmath>

#include "columns.h"
#include "evaluators/evaluator.h"
#include "framework/core/model/plugin.h"

namespace toys {

using namespace lvtext;

struct TokenMeanOptions {
  std::string column = "sparsemax";

  template <class V>
  void visit(V& v) {
    v.field("column", column, "column of the records", one_of({"sparsemax", "support"}));
  }
};

/// "mean": the mean of a column of token records.
class TokenMean : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit TokenMean(const TokenMeanOptions& options) : options_(options) {}
  static std::vector<ScoreDecl> scores() { return {{"mean", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "tokens", .help = "token records", .type = ArtifactType::kDataset}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    std::vector<double> values = values_of(numbers_of(inputs.dataset("tokens"), options_.column));
    return {summarized({.id = "mean",
                        .direction = Direction::kHigher,
                        .signature = options_.column + "|n_tokens:" + std::to_string(values.size()),
                        .rows = {"mean", 1, std::move(values)}})};
  }

 private:
  TokenMeanOptions options_;
};

/// "perplexity" exp(-mean log((p + e) / (1 + e V))) of the true tokens, with the e from 1e-6 to 1
/// that is best for separate records (Martins, Marinho and Martins 2020); "epsilon" is that e.
class EpsilonPerplexity : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit EpsilonPerplexity(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"perplexity", ""}, {"epsilon", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "tokens", .help = "token records", .type = ArtifactType::kDataset},
            {.name = "fitted_on",
             .help = "records to which the smoothing is fitted",
             .type = ArtifactType::kDataset}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const at::Tensor fitted_on = numbers_of(inputs.dataset("fitted_on"), "gold");
    const auto words = static_cast<double>(
        numbers_of(inputs.dataset("fitted_on"), "vocabulary").max().item<double>());
    const auto nats = [words](const at::Tensor& p, double epsilon) {
      return at::log((p + epsilon) / (1 + epsilon * words)).neg();
    };
    double best = 1, least = INFINITY;
    for (int step = 0; step <= 60; ++step) {
      const double epsilon = std::pow(10, -step / 10.0);
      const double mean = nats(fitted_on, epsilon).mean().item<double>();
      if (mean < least) {
        least = mean;
        best = epsilon;
      }
    }
    std::vector<double> pairs;
    const at::Tensor tokens = numbers_of(inputs.dataset("tokens"), "gold");
    for (const double each : values_of(nats(tokens, best))) {
      pairs.push_back(each);
      pairs.push_back(1);
    }
    return {
        summarized({.id = "perplexity",
                    .direction = Direction::kLower,
                    .signature = "epsilon_perplexity|n_tokens:" + std::to_string(tokens.size(0)),
                    .rows = {"exp_ratio", 2, std::move(pairs)}}),
        {.id = "epsilon", .value = best, .n = fitted_on.size(0)}};
  }
};

void add_token_scores(Registries& registries) {
  add_evaluator<TokenMean, TokenMeanOptions>(registries, "toy_token_mean",
                                             "Mean of a column of token records", {});
  add_evaluator<EpsilonPerplexity, NoOptions>(
      registries, "toy_epsilon_perplexity",
      "Smoothed perplexity; the smoothing is fitted to other records",
      {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"});
}

}  // namespace toys
