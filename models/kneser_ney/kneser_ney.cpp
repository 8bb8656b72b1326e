#include "models/kneser_ney/kneser_ney.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"
#include "framework/core/tensor/shape.h"

namespace lvtext {
namespace {

constexpr int kMaxIterations = 1000;
constexpr double kTolerance = 1e-9;

/// Histories of the rows, without a limit on their length.
struct Histories : DecodeState {
  explicit Histories(int64_t rows) : tokens(rows) {}
  void select_rows(const at::Tensor& index) override {
    std::vector<std::vector<int32_t>> chosen;
    const at::Tensor rows = index.to(at::kCPU).contiguous();
    for (int64_t i = 0; i < rows.numel(); ++i) {
      chosen.push_back(tokens.at(rows.const_data_ptr<int64_t>()[i]));
    }
    tokens = std::move(chosen);
  }

  std::vector<std::vector<int32_t>> tokens;
};

std::vector<int32_t> joined(const Text& text) {
  std::vector<int32_t> all;
  for (const TokenIds& row : text.ids()) all.insert(all.end(), row.begin(), row.end());
  return all;
}

/// The tokens of each text.
std::vector<std::vector<int32_t>> rows_of(const Tokens& texts) {
  const at::Tensor ids = texts.ids.to(at::kCPU).contiguous();
  const auto* values = ids.const_data_ptr<int64_t>();
  const auto* lengths = texts.lengths.const_data_ptr<int64_t>();
  std::vector<std::vector<int32_t>> rows;
  for (int64_t row = 0; row < texts.rows(); ++row) {
    const auto* begin = values + row * ids.size(1);
    rows.emplace_back(begin, begin + lengths[row]);
  }
  return rows;
}

/// Calls `each` with the history and the token of every prediction of a text.
template <class Each>
void for_each_prediction(std::span<const int32_t> text, int64_t history, const Each& each) {
  for (int64_t t = 1; t < std::ssize(text); ++t) {
    const int64_t from = std::max<int64_t>(0, t - history);
    each(text.subspan(from, t - from), text[t]);
  }
}

/// The weight of the first of two models that maximizes the likelihood, given the probabilities of
/// the same tokens by both.
double mixture_weight(const std::vector<std::pair<double, double>>& probabilities) {
  double weight = 0.5;
  for (int i = 0; i < kMaxIterations; ++i) {
    double sum = 0;
    for (const auto& [p, q] : probabilities) sum += weight * p / (weight * p + (1 - weight) * q);
    const double next = sum / static_cast<double>(probabilities.size());
    const bool is_done = std::abs(next - weight) < kTolerance;
    weight = next;
    if (is_done) break;
  }
  return weight;
}

}  // namespace

std::vector<InputDecl> KneserNey::inputs(const KneserNeyOptions&) {
  return {{.name = "data",
           .help = "running text whose n-grams are counted",
           .by_default = reference("data.train")},
          {.name = "domain",
           .help = "text whose n-grams are counted alone, for a mixture with those of `data`",
           .arity = InputDecl::Arity::kOptional},
          {.name = "held_out",
           .help = "text whose likelihood determines the weight of the mixture",
           .arity = InputDecl::Arity::kOptional}};
}

KneserNey::KneserNey(const KneserNeyOptions& options, const ModelInputs& inputs)
    : vocabulary_(inputs.vocabulary("data", "text")), history_(options.order - 1) {
  const auto ngrams = [&](const char* name) {
    return register_module(
        name, std::make_shared<Ngrams>(options.order, vocabulary_.size, options.discount));
  };
  ngrams_ = ngrams("data");
  if (!inputs.find("domain", "text")) return;
  domain_ = ngrams("domain");
  weight_ = register_buffer("weight", at::ones({1}, at::kDouble));
}

void KneserNey::fit(const Inputs& inputs, const Notify& progress) {
  const Text& text = inputs.text("data");
  if (inputs.has("domain") != inputs.has("held_out")) {
    throw ConfigError("kneser_ney: the inputs domain and held_out require each other");
  }
  for (const char* name : {"domain", "held_out"}) {
    if (!domain_) break;
    if (inputs.text(name).tokenizer()->sha256() == text.tokenizer()->sha256()) continue;
    throw ConfigError(std::string("kneser_ney: the texts data and ") + name +
                      " have different tokenizers");
  }
  ngrams_->count(joined(text));
  if (!domain_) return;
  domain_->count(joined(inputs.text("domain")));
  std::vector<std::pair<double, double>> probabilities;
  for (const TokenIds& row : inputs.text("held_out").ids()) {
    for_each_prediction(row, history_, [&](std::span<const int32_t> history, int32_t token) {
      probabilities.emplace_back(ngrams_->probability(history, token),
                                 domain_->probability(history, token));
    });
  }
  if (probabilities.empty()) {
    throw DataError("kneser_ney: held_out has no text with two tokens");
  }
  weight_.fill_(mixture_weight(probabilities));
  progress("kneser_ney: weight of data in the mixture " + std::to_string(weight()));
}

double KneserNey::weight() const {
  return domain_ ? weight_.item<double>() : 1;
}

at::Tensor KneserNey::rows(const std::vector<std::span<const int32_t>>& histories) const {
  const auto count = static_cast<int64_t>(histories.size());
  at::Tensor rows = at::zeros({count, vocabulary_.size});
  auto* p = rows.mutable_data_ptr<float>();
  const auto share = static_cast<float>(weight());
  at::parallel_for(0, count, 16, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      float* row = p + i * vocabulary_.size;
      ngrams_->add_row(histories[i], share, row);
      if (domain_) domain_->add_row(histories[i], 1 - share, row);
    }
  });
  return rows.log_();
}

at::Tensor KneserNey::text_scores(const Tokens& texts) {
  const auto tokens = rows_of(texts);
  std::vector<std::span<const int32_t>> histories;
  for (const auto& text : tokens) {
    for_each_prediction(text, history_, [&](std::span<const int32_t> history, int32_t) {
      histories.push_back(history);
    });
  }
  return rows(histories);
}

std::unique_ptr<DecodeState> KneserNey::start(const Start& start) {
  auto state = std::make_unique<Histories>(start.rows);
  if (!start.prompt) return state;
  const auto prompts = rows_of(*start.prompt);
  for (size_t i = 0; i < prompts.size(); ++i) {
    state->tokens[i] = prompts[i];
    if (!prompts[i].empty()) state->tokens[i].pop_back();
  }
  return state;
}

at::Tensor KneserNey::step(DecodeState& state, const at::Tensor& ids) {
  auto& all = dynamic_cast<Histories&>(state).tokens;
  LVT_CHECK_SHAPE(ids, {static_cast<int64_t>(all.size())});
  const at::Tensor read = ids.to(at::kCPU).contiguous();
  std::vector<std::span<const int32_t>> histories;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].push_back(static_cast<int32_t>(read.const_data_ptr<int64_t>()[i]));
    const auto used = std::min<size_t>(all[i].size(), static_cast<size_t>(history_));
    histories.push_back(std::span<const int32_t>(all[i]).last(used));
  }
  return rows(histories);
}

at::Tensor KneserNey::score(const Tokens& texts, const at::Tensor&) {
  at::Tensor sums = at::zeros({texts.rows()});
  const double share = weight();
  const auto tokens = rows_of(texts);
  for (size_t i = 0; i < tokens.size(); ++i) {
    double sum = 0;
    for_each_prediction(tokens[i], history_, [&](std::span<const int32_t> history, int32_t token) {
      double p = share * ngrams_->probability(history, token);
      if (domain_) p += (1 - share) * domain_->probability(history, token);
      sum -= std::log(p);
    });
    sums.mutable_data_ptr<float>()[i] = static_cast<float>(sum);
  }
  return sums;
}

void register_kneser_ney(Registries& registries) {
  add_fit<KneserNey, KneserNeyOptions>(
      registries, "kneser_ney", "Interpolated n-grams with Kneser-Ney discounting, of running text",
      {"Chen and Goodman 1999", "https://doi.org/10.1006/csla.1999.0128"});
}

}  // namespace lvtext
