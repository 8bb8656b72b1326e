#include "models/pooling/pooling.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// TokenRows of `vectors` ([V, D] float32, contiguous) by token.
class TokenRows {
 public:
  TokenRows(const at::Tensor& vectors, std::vector<int64_t> ids)
      : values_(vectors.const_data_ptr<float>()), width_(vectors.size(1)), ids_(std::move(ids)) {}

  int64_t width() const { return width_; }
  int64_t size() const { return std::ssize(ids_); }
  const float* operator[](int64_t i) const { return values_ + ids_[i] * width_; }
  TokenRows by_id() const {
    TokenRows sorted = *this;
    std::sort(sorted.ids_.begin(), sorted.ids_.end());
    return sorted;
  }

 private:
  const float* values_;
  int64_t width_;
  std::vector<int64_t> ids_;
};

/// Adds value(x) of all values x to `sums` [D].
template <class Value>
void add_rows(const TokenRows& rows, const Value& value, std::vector<double>& sums) {
  for (int64_t i = 0; i < rows.size(); ++i) {
    for (int64_t d = 0; d < rows.width(); ++d) sums[d] += value(static_cast<double>(rows[i][d]));
  }
}

void scale(std::vector<double>& values, double by) {
  for (double& value : values) value *= by;
}

/// Makes `largest` [D] the maximum of itself and `values`, or `values` if these are the first ones.
template <class Value>
void keep_largest(const Value* values, bool is_first, std::vector<double>& largest) {
  for (size_t d = 0; d < largest.size(); ++d) {
    const auto value = static_cast<double>(values[d]);
    largest[d] = is_first ? value : std::max(largest[d], value);
  }
}

std::vector<double> maximum(const TokenRows& rows) {
  std::vector<double> largest(rows.width(), 0);
  for (int64_t i = 0; i < rows.size(); ++i) keep_largest(rows[i], i == 0, largest);
  return largest;
}

std::vector<double> minimum(const TokenRows& rows) {
  std::vector<double> least(rows.width(), 0);
  for (int64_t i = 0; i < rows.size(); ++i) {
    for (int64_t d = 0; d < rows.width(); ++d) {
      least[d] = i == 0 ? rows[i][d] : std::min<double>(least[d], rows[i][d]);
    }
  }
  return least;
}

/// Maximum of the means of all windows of `window` rows.
std::vector<double> hierarchical(const TokenRows& rows, int64_t window) {
  if (rows.size() < window) return maximum(rows);
  std::vector<double> largest(rows.width()), mean(rows.width());
  for (int64_t i = 0; i + window <= rows.size(); ++i) {
    std::fill(mean.begin(), mean.end(), 0);
    for (int64_t k = i; k < i + window; ++k) {
      for (int64_t d = 0; d < rows.width(); ++d) mean[d] += rows[k][d];
    }
    scale(mean, 1.0 / static_cast<double>(window));
    keep_largest(mean.data(), i == 0, largest);
  }
  return largest;
}

double root_of(double mean, int64_t power, PowerRoot root) {
  const double size = std::pow(std::abs(mean), 1.0 / static_cast<double>(power));
  if (mean >= 0) return size;
  return root == PowerRoot::kSigned
             ? -size
             : size * std::cos(std::numbers::pi / static_cast<double>(power));
}

/// (Mean of x^power)^(1/power).
std::vector<double> power_mean(const TokenRows& rows, int64_t power, PowerRoot root) {
  std::vector<double> mean(rows.width(), 0);
  if (rows.size() == 0) return mean;
  add_rows(
      rows, [&](double x) { return std::pow(x, static_cast<double>(power)); }, mean);
  scale(mean, 1.0 / static_cast<double>(rows.size()));
  for (double& each : mean) each = root_of(each, power, root);
  return mean;
}

std::vector<double> sum_of(const TokenRows& rows) {
  std::vector<double> sums(rows.width(), 0);
  add_rows(
      rows, [](double x) { return x; }, sums);
  return sums;
}

std::vector<double> mean_of(const TokenRows& rows) {
  std::vector<double> sums = sum_of(rows);
  const auto divisor = static_cast<double>(std::max<int64_t>(1, rows.size()));
  for (double& value : sums) value /= divisor;
  return sums;
}

/// The vectors of one pooling of a sentence: [D] each.
std::vector<std::vector<double>> pooled(Pool pool, const TokenRows& rows,
                                        const PoolingOptions& options) {
  switch (pool) {
    case Pool::kMean: return {mean_of(rows.by_id())};
    case Pool::kSum: return {sum_of(rows.by_id())};
    case Pool::kMax: return {maximum(rows.by_id())};
    case Pool::kMin: return {minimum(rows.by_id())};
    case Pool::kHier: return {hierarchical(rows, options.window.effective())};
    case Pool::kPower:
    case Pool::kConcat: break;
  }
  std::vector<std::vector<double>> all;
  if (pool == Pool::kPower) {
    for (const int64_t power : *options.powers) {
      all.push_back(power_mean(rows.by_id(), power, options.root.effective()));
    }
    return all;
  }
  for (int64_t i = 0; i < *options.positions; ++i) {
    all.emplace_back(rows.width(), 0);
    if (i < rows.size()) std::copy_n(rows[i], rows.width(), all.back().begin());
  }
  return all;
}

}  // namespace

const std::vector<EnumName<Pool>>& enum_names(Pool) {
  static const std::vector<EnumName<Pool>> names = {
      {"mean", Pool::kMean, "mean of the vectors"},
      {"sum", Pool::kSum, "sum of the vectors"},
      {"max", Pool::kMax, "maximum of each coordinate"},
      {"min", Pool::kMin, "minimum of each coordinate"},
      {"hier", Pool::kHier,
       "maximum of each coordinate of the means of all windows of `window` words"},
      {"power", Pool::kPower, "power means with the exponents `powers`"},
      {"concat", Pool::kConcat, "the vectors one after the other"}};
  return names;
}

const std::vector<EnumName<PowerRoot>>& enum_names(PowerRoot) {
  static const std::vector<EnumName<PowerRoot>> names = {
      {"principal", PowerRoot::kPrincipal,
       "real part of the principal complex root, |m|^(1/p) cos(pi/p)"},
      {"signed", PowerRoot::kSigned, "-|m|^(1/p)"}};
  return names;
}

std::vector<InputDecl> Pooling::inputs(const PoolingOptions&) {
  return {{.name = "vectors",
           .help = "word vectors",
           .type = ArtifactType::kModel,
           .capabilities = {WordVectors::kName}}};
}

Pooling::Pooling(const PoolingOptions& options, const ModelInputs&)
    : options_(options), vectors_(register_buffer("vectors", at::zeros({0, 0}))) {}

void Pooling::fit(const Inputs& inputs, const Notify&) {
  vectors_.set_data(
      inputs.serve<WordVectors>("vectors").vectors().to(at::kCPU, at::kFloat).clone());
}

int64_t Pooling::embedding_size() const {
  int64_t vectors = 0;
  for (const Pool pool : options_.pool) {
    vectors += pool == Pool::kConcat  ? *options_.positions
               : pool == Pool::kPower ? std::ssize(*options_.powers)
                                      : 1;
  }
  return vectors * vectors_.size(1);
}

std::string Pooling::embedding_signature() const {
  std::string signature = "pool";
  for (const Pool pool : options_.pool) {
    signature += ":" + enum_name(pool);
    if (pool == Pool::kHier) signature += std::to_string(options_.window.effective());
    if (pool != Pool::kPower) continue;
    for (const int64_t power : *options_.powers) signature += std::to_string(power) + ",";
    signature += enum_name(options_.root.effective());
  }
  return signature + (options_.positions ? ":" + std::to_string(*options_.positions) : "");
}

at::Tensor Pooling::embed(const Tokens& sentences) {
  const at::Tensor vectors = vectors_.to(at::kCPU).contiguous();
  const at::Tensor ids = sentences.ids.to(at::kCPU, at::kLong).contiguous();
  at::Tensor embedded = at::zeros({ids.size(0), embedding_size()});
  auto* out = embedded.mutable_data_ptr<float>();
  for (int64_t row = 0; row < ids.size(0); ++row) {
    const auto* first = ids.const_data_ptr<int64_t>() + row * ids.size(1);
    const TokenRows rows(vectors, {first, first + sentences.lengths[row].item<int64_t>()});
    for (const Pool pool : options_.pool) {
      for (const std::vector<double>& values : pooled(pool, rows, options_)) {
        out = std::transform(values.begin(), values.end(), out,
                             [](double value) { return static_cast<float>(value); });
      }
    }
  }
  return embedded.to(vectors_.device());
}

void register_pooling(Registries& registries) {
  add_fit<Pooling, PoolingOptions>(registries, "pooling", "Sentences as pooled word vectors", {});
}

}  // namespace lvtext
