#include "evaluators/vector_statistics/vector_statistics_evaluator.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/white_space.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

struct Vectors {
  at::Tensor values;          // [N, D] double
  std::vector<int64_t> rows;  // index of each row's first vector, and N
};

Vectors read_vectors(const Dataset& dataset, const std::string& name) {
  const DatasetColumn& column = dataset.column(name);
  if (column.decl().kind != ColumnKind::kVector) {
    throw ConfigError("vector_statistics: the column '" + name + "' has no vectors");
  }
  Vectors read{.rows = {0}};
  for (int64_t row = 0; row < column.size(); ++row) {
    read.rows.push_back(read.rows.back() + column.items(row));
  }
  if (read.rows.back() == 0) {
    throw DataError("vector_statistics: the column '" + name + "' is empty");
  }
  const int64_t width = column.decl().width();
  read.values = at::empty({read.rows.back(), width}, at::kDouble);
  auto* out = read.values.mutable_data_ptr<double>();
  for (int64_t row = 0; row < column.size(); ++row) {
    for (int64_t item = 0; item < column.items(row); ++item, out += width) {
      column.copy(row, item, out);
    }
  }
  return read;
}

/// Sum and number of the cosines of the pairs of texts of a row with the same words in another
/// order. `units`: vectors of length 1, or 0.
std::pair<double, double> permuted_pairs(const at::Tensor& units, int64_t begin, int64_t end,
                                         std::span<const std::string> lines) {
  std::vector<std::vector<std::string_view>> words, sorted;
  for (int64_t i = begin; i < end; ++i) {
    words.push_back(split_white_space(lines[static_cast<size_t>(i)]));
    sorted.push_back(words.back());
    std::sort(sorted.back().begin(), sorted.back().end());
  }
  double sum = 0, count = 0;
  for (size_t a = 0; a < words.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (sorted[a] != sorted[b] || words[a] == words[b]) continue;
      const auto first = begin + static_cast<int64_t>(a), second = begin + static_cast<int64_t>(b);
      sum += units[first].dot(units[second]).item<double>();
      count += 1;
    }
  }
  return {sum, count};
}

}  // namespace

std::vector<InputDecl> VectorStatisticsEvaluator::inputs() const {
  return {{.name = "embeddings",
           .help = "data set with a column of vectors, such as the output of `encode`",
           .type = ArtifactType::kDataset},
          {.name = "texts",
           .help = "the texts of the vectors, for those of a row with the same words",
           .arity = InputDecl::Arity::kOptional,
           .column = options_.texts,
           .aligned_with = "embeddings"}};
}

std::vector<Score> VectorStatisticsEvaluator::evaluate(const Inputs& inputs) const {
  const Vectors read = read_vectors(inputs.dataset("embeddings"), options_.column);
  const at::Tensor norms = read.values.norm(2, 1);
  const at::Tensor units =
      read.values / at::where(norms > 0, norms, at::ones_like(norms)).unsqueeze(1);
  const at::Tensor variances = read.values.var(0, /*unbiased=*/false);
  const auto size = static_cast<int64_t>(read.rows.size()) - 1;

  std::vector<double> norm_rows, next, permuted;
  const std::vector<double> of_vectors = to_doubles(norms);
  for (int64_t row = 0; row < size; ++row) {
    const int64_t begin = read.rows[row], end = read.rows[row + 1];
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += of_vectors[static_cast<size_t>(i)];
    norm_rows.insert(norm_rows.end(), {sum, static_cast<double>(end - begin)});
    const int64_t other = read.rows[(row + 1) % size];
    const bool has_pair = size > 1 && end > begin && other < read.rows[(row + 1) % size + 1];
    next.insert(next.end(), {has_pair ? units[begin].dot(units[other]).item<double>() : 0,
                             has_pair ? 1.0 : 0.0});
  }
  double pairs = 0;
  const bool has_texts = inputs.has("texts");
  if (has_texts) {
    const Text& text = inputs.text("texts");
    const std::vector<int64_t>& rows = inputs.rows("texts");
    const bool fits = rows.empty() ? read.rows.back() == size : rows == read.rows;
    if (!fits || std::ssize(text.lines()) != read.rows.back()) {
      throw DataError("vector_statistics: 'texts' has " + format_count(std::ssize(text.lines())) +
                      " texts, and 'embeddings' " + format_count(read.rows.back(), "vector") +
                      "; each row needs as many of both");
    }
    for (int64_t row = 0; row < size; ++row) {
      const auto [sum, count] =
          permuted_pairs(units, read.rows[row], read.rows[row + 1], text.lines());
      permuted.insert(permuted.end(), {sum, count});
      pairs += count;
    }
  }
  const auto score = [&](const std::string& id, double value) {
    return Score{.id = id,
                 .value = value,
                 .n = size,
                 .signature = "vector_statistics|n_vectors:" + std::to_string(read.rows.back()) +
                              "|" + id + "|version:" + std::to_string(kRevision)};
  };
  const auto of_rows = [&](const std::string& id, std::vector<double> rows,
                           const std::string& reason) {
    Score of = score(id, std::nan(""));
    of.reason = reason;
    if (rows.empty()) return of;
    of.rows = {"ratio", 2, std::move(rows)};
    return summarized(std::move(of));
  };
  const auto sd = [](const at::Tensor& variance) { return std::sqrt(variance.item<double>()); };
  return {of_rows("norm", std::move(norm_rows), ""),
          score("norm_sd", sd(norms.var(0, /*unbiased=*/false))),
          score("variance", variances.sum().item<double>()),
          score("smallest_sd", sd(variances.min())),
          score("largest_sd", sd(variances.max())),
          score("constant", (variances == 0).sum().item<double>()),
          of_rows("next_cosine", std::move(next), "there is one row"),
          of_rows("permuted_cosine", std::move(permuted),
                  has_texts ? "no two texts of a row have the same words in another order"
                            : "the input 'texts' is not given"),
          score("permuted", pairs)};
}

void register_vector_statistics(Registries& registries) {
  add_evaluator<VectorStatisticsEvaluator, VectorStatisticsOptions>(
      registries, "vector_statistics",
      "Norms and spread of vectors of texts, and cosines of permuted texts", {});
}

}  // namespace lvtext
