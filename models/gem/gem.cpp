#include "models/gem/gem.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/numbers.h"

namespace lvtext {
namespace {

constexpr double kNoResidual = 5e-7;  // the authors'
constexpr size_t kCoarseTogether = 1024;

/// Vectors [T, D] float64 of those tokens of a sentence whose vector is not zero.
at::Tensor words_of(const at::Tensor& vectors, const std::vector<int64_t>& ids) {
  const at::Tensor words = vectors.index_select(0, at::tensor(ids, at::kLong)).to(at::kDouble);
  return words.index_select(0, words.ne(0).any(1).nonzero().squeeze(1));
}

/// The part of `word` that is orthogonal to `basis`, which is orthonormal.
std::vector<double> residual(std::vector<double> word,
                             const std::vector<std::vector<double>>& basis) {
  for (int pass = 0; pass < 2; ++pass) {  // the second one removes rounding errors of the first
    for (const std::vector<double>& unit : basis) {
      double along = 0;
      for (size_t k = 0; k < word.size(); ++k) along += word[k] * unit[k];
      for (size_t k = 0; k < word.size(); ++k) word[k] -= along * unit[k];
    }
  }
  return word;
}

double length_of(const std::vector<double>& vector) {
  double squares = 0;
  for (const double each : vector) squares += each * each;
  return std::sqrt(squares);
}

/// The residual of word `i` after projection on its neighbors [first, end).
std::vector<double> window_residual(const std::vector<std::vector<double>>& words, int64_t i,
                                    int64_t first, int64_t end) {
  std::vector<std::vector<double>> basis;
  for (int64_t j = first; j < end; ++j) {
    if (j == i) continue;
    std::vector<double> unit = residual(words[j], basis);
    const double length = length_of(unit);
    if (length < kNoResidual) continue;
    for (double& each : unit) each /= length;
    basis.push_back(std::move(unit));
  }
  return residual(words[i], basis);
}

/// The `k` largest eigenvalues of a symmetric matrix, descending, and their vectors as columns.
std::tuple<at::Tensor, at::Tensor> largest_eigen(const at::Tensor& matrix, int64_t k) {
  const auto [values, vectors] = at::linalg_eigh(matrix);
  return {values.flip(0).slice(0, 0, k), vectors.flip(1).slice(1, 0, k)};
}

}  // namespace

const std::vector<EnumName<GemDenominator>>& enum_names(GemDenominator) {
  static const std::vector<EnumName<GemDenominator>> names = {
      {"window", GemDenominator::kWindow, "number of words of the window, the word included"},
      {"full", GemDenominator::kFull,
       "number of words of a whole window, 2 `window` + 1, also at the ends of a sentence"}};
  return names;
}

at::Tensor coarse_vector(const at::Tensor& words, double power) {
  // With the eigenvectors x_j of S S^T and their values w_j: u_j = S^T x_j / sqrt(w_j).
  const auto [values, vectors] = at::linalg_eigh(words.matmul(words.t()));
  const at::Tensor scaled = words.t().matmul(vectors);  // columns sqrt(w_j) u_j
  const at::Tensor largest = scaled.gather(0, scaled.abs().argmax(0, /*keepdim=*/true));
  const at::Tensor factors = values.clamp_min(0).pow((power - 1) / 2) * largest.squeeze(0).sign();
  return scaled.matmul(factors);
}

std::vector<GemWeight> gem_weights(const at::Tensor& words, const at::Tensor& directions,
                                   const at::Tensor& values, const GemOptions& options) {
  // The words in coordinates of their own span: as few numbers as there are words.
  const auto [span, coordinates] = at::linalg_qr(words.t());
  const int64_t n = words.size(0), width = coordinates.size(0);
  const at::Tensor columns = coordinates.t().contiguous();
  std::vector<std::vector<double>> own;
  for (int64_t i = 0; i < n; ++i) {
    const auto* first = columns.const_data_ptr<double>() + i * width;
    own.emplace_back(first, first + width);
  }
  const at::Tensor along = (span.t().matmul(directions) * values).contiguous();  // [width, h]
  const auto h = static_cast<double>(directions.size(1));
  std::vector<GemWeight> weights;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t first = std::max<int64_t>(0, i - options.window);
    const int64_t end = std::min(n, i + options.window + 1);
    std::vector<double> unit = window_residual(own, i, first, end);
    double r = length_of(unit);
    if (r < kNoResidual) r = 0;
    for (double& each : unit) each = r > 0 ? each / r : 0;
    const auto denominator = static_cast<double>(
        options.denominator == GemDenominator::kWindow ? end - first : 2 * options.window + 1);
    const double common = at::tensor(unit, at::kDouble).matmul(along).norm().item<double>();
    weights.push_back({std::exp(r / length_of(own[i])), r / denominator, std::exp(-common / h)});
  }
  return weights;
}

std::vector<InputDecl> Gem::inputs(const GemOptions&) {
  return {{.name = "data",
           .help = "text whose principal directions are computed",
           .by_default = reference("data.train")},
          {.name = "vectors",
           .help = "word vectors",
           .type = ArtifactType::kModel,
           .capabilities = {WordVectors::kName},
           .same_tokenizer = true}};
}

Gem::Gem(const GemOptions& options, const ModelInputs&)
    : options_(options),
      vectors_(register_buffer("vectors", at::zeros({0, 0}))),
      directions_(register_buffer("directions", at::zeros({0, 0}, at::kDouble))),
      values_(register_buffer("values", at::zeros({0}, at::kDouble))) {}

void Gem::fit(const Inputs& inputs, const Notify& progress) {
  const at::Tensor vectors =
      inputs.serve<WordVectors>("vectors").vectors().to(at::kCPU, at::kFloat).contiguous();
  const int64_t width = vectors.size(1);
  if (options_.directions > width || options_.sentence_directions >= width) {
    throw ConfigError("gem: " + std::to_string(options_.directions) + " directions, " +
                      std::to_string(options_.sentence_directions) +
                      " of them removed from a sentence, of word vectors of width " +
                      std::to_string(width) + "; set `directions` to at most " +
                      std::to_string(width) + " and `sentence_directions` to at most " +
                      std::to_string(width - 1));
  }
  const std::span<const TokenIds> sentences = inputs.text("data").ids();
  at::Tensor products = at::zeros({width, width}, at::kDouble);
  std::vector<at::Tensor> coarse;
  const auto add_coarse = [&] {
    if (coarse.empty()) return;
    const at::Tensor rows = at::stack(coarse);
    products += rows.t().matmul(rows);
    coarse.clear();
  };
  int64_t read = 0;
  for (size_t i = 0; i < sentences.size(); ++i) {
    throw_if_stopped();
    const at::Tensor words = words_of(vectors, {sentences[i].begin(), sentences[i].end()});
    if (words.size(0) > 0) {
      coarse.push_back(coarse_vector(words, options_.power));
      ++read;
    }
    if (coarse.size() < kCoarseTogether) continue;
    add_coarse();
    progress(format_count(static_cast<int64_t>(i + 1), "sentence"));
  }
  add_coarse();
  if (read == 0) throw DataError("gem: the text has no word with a vector");
  const auto [values, directions] = largest_eigen(products, options_.directions);
  vectors_.set_data(vectors.clone());
  directions_.set_data(directions.contiguous());
  values_.set_data(values.clamp_min(0).sqrt());
}

std::string Gem::embedding_signature() const {
  return "gem:window:" + std::to_string(options_.window) +
         ",directions:" + std::to_string(options_.directions) + "/" +
         std::to_string(options_.sentence_directions) + ",power:" + format_number(options_.power) +
         ",denominator:" + enum_name(options_.denominator);
}

at::Tensor Gem::embed(const Tokens& sentences) {
  const at::Tensor ids = sentences.ids.to(at::kCPU, at::kLong).contiguous();
  at::Tensor embedded = at::zeros({ids.size(0), embedding_size()});
  for (int64_t row = 0; row < ids.size(0); ++row) {
    const auto* first = ids.const_data_ptr<int64_t>() + row * ids.size(1);
    const at::Tensor words =
        words_of(vectors_, {first, first + sentences.lengths[row].item<int64_t>()});
    if (words.size(0) == 0) continue;
    const at::Tensor shares = values_ * words.matmul(directions_).norm(2, 0);
    const at::Tensor chosen = std::get<1>(shares.sort(/*stable=*/true, 0, /*descending=*/true))
                                  .slice(0, 0, options_.sentence_directions);
    const at::Tensor directions = directions_.index_select(1, chosen);
    std::vector<double> weights;
    for (const GemWeight& each :
         gem_weights(words, directions, values_.index_select(0, chosen), options_)) {
      weights.push_back(each.sum());
    }
    const at::Tensor sum = at::tensor(weights, at::kDouble).matmul(words);
    embedded[row].copy_(sum - directions.matmul(directions.t().matmul(sum)));
  }
  return embedded;
}

void register_gem(Registries& registries) {
  add_fit<Gem, GemOptions>(registries, "gem",
                           "Sentences as word vectors weighted by what is new in each word",
                           {"Yang, Zhu and Chen 2019", "https://aclanthology.org/D19-1059"});
}

}  // namespace lvtext
