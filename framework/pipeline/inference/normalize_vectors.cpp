// Inference component `normalize_vectors`: centers vectors and gives them a common variance, also
// in all directions (whitening).
#include <ATen/ATen.h>

#include <optional>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/shared/vector_column.h"

namespace lvtext {
namespace {

struct NormalizeOptions {
  std::string column = "embedding";
  std::string name;
  double variance = 30;
  bool per_dimension = false;
  std::optional<double> whiten;

  template <class V>
  void visit(V& v) {
    v.field("column", column, "column of vectors", not_empty());
    v.field("name", name, "name of the output column; unset: that of the input column");
    v.field("variance", variance,
            "variance of the result, summed over dimensions, on the vectors of `statistics`",
            above(0));
    v.field("per_dimension", per_dimension,
            "divide each dimension by its own standard deviation, so that all have the same share "
            "of the variance, instead of all by one number, which keeps angles and ratios of "
            "distances");
    v.field("whiten", whiten,
            "give all principal directions the same share of the variance; those with less than "
            "this part of the largest variance become 0 (unset: not whitened)",
            in_range(1e-12, 1));
    v.check(!(whiten && per_dimension), "whiten and per_dimension exclude each other");
  }
};

/// The vectors x of a column as (x - m) s: m is the mean of the vectors of the input `statistics`,
/// and s makes their variances (with denominator N), summed over dimensions, `variance`: one number
/// sqrt(variance / sum of variances), or sqrt(variance / (D variance_d)) for each dimension d.
/// Without `whiten` dimensions that are constant in `statistics` are only centered. With it the
/// result is (x - m) V diag(s) V^T: V and v are the eigenvectors and eigenvalues of the covariance
/// of the vectors of `statistics`, and s_d = sqrt(variance / (K v_d)) for the K directions whose
/// v_d is at least `whiten` times the largest, otherwise 0. In double precision.
class NormalizeVectors : public Inference, public KnownColumns {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kRowsOf = "data";
  explicit NormalizeVectors(const NormalizeOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "data",
             .help = "data set with a column of vectors, such as the output of `encode`",
             .type = ArtifactType::kDataset},
            {.name = "statistics",
             .help = "data set whose vectors decide mean and scale, such as the training split",
             .type = ArtifactType::kDataset}};
  }

  FieldTypes columns() const override {
    return vector_type(options_.name.empty() ? options_.column : options_.name);
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const VectorItems items = read(inputs, "data");
    const at::Tensor fitted = read(inputs, "statistics").values.to(at::kDouble);
    if (fitted.size(1) != items.values.size(1)) {
      throw ConfigError("normalize_vectors: the vectors of `data` have width " +
                        std::to_string(items.values.size(1)) + ", those of `statistics` " +
                        std::to_string(fitted.size(1)));
    }
    if (fitted.size(0) == 0) throw DataError("normalize_vectors: `statistics` has no vectors");
    const at::Tensor mean = fitted.mean(0), variances = fitted.var(0, /*unbiased=*/false);
    const double total = variances.sum().item<double>();
    if (!(total > 0)) {
      throw DataError("normalize_vectors: all vectors of the column '" + options_.column +
                      "' are equal");
    }
    const at::Tensor centered = items.values.to(at::kDouble) - mean;
    nlohmann::ordered_json metadata = {
        {"count", centered.size(0)},
        {"variance_before", total},
        {"constant_dimensions", (variances == 0).sum().item<int64_t>()}};
    at::Tensor result;
    if (options_.whiten) {
      const auto [product, kept] = whitening(fitted - mean);
      result = centered.matmul(product).to(at::kFloat);
      metadata["kept_directions"] = kept;
    } else {
      result = (centered * scales(variances, total)).to(at::kFloat);
    }
    return {
        .columns = {items.column({.name = options_.name.empty() ? options_.column : options_.name,
                                  .kind = ColumnKind::kVector,
                                  .shape = {result.size(1)}},
                                 result)},
        .metadata = std::move(metadata)};
  }

 private:
  VectorItems read(const Inputs& inputs, const std::string& input) const {
    return vector_items(inputs.dataset(input), options_.column, OfRow::kAll);
  }

  /// [D], or a single number.
  at::Tensor scales(const at::Tensor& variances, double total) const {
    if (!options_.per_dimension)
      return at::full({1}, options_.variance / total, at::kDouble).sqrt();
    const double share = options_.variance / static_cast<double>(variances.size(0));
    return at::where(variances > 0, (share / variances).sqrt(), at::ones_like(variances));
  }

  /// The matrix [D, D] from centered vectors [N, D], and the number K of directions.
  std::pair<at::Tensor, int64_t> whitening(const at::Tensor& centered) const {
    const at::Tensor covariance = centered.t().matmul(centered) / centered.size(0);
    const auto [variances, directions] = at::linalg_eigh(covariance);
    const at::Tensor kept = variances >= *options_.whiten * variances.max();
    const auto count = kept.sum().item<int64_t>();
    const double share = options_.variance / static_cast<double>(count);
    const at::Tensor scale = at::where(kept, (share / variances).sqrt(), 0.0);
    return {(directions * scale).matmul(directions.t()), count};
  }

  NormalizeOptions options_;
};

}  // namespace

void register_normalize_vectors(Registries& registries) {
  add_inference<NormalizeVectors, NormalizeOptions>(
      registries, "normalize_vectors", "Vectors centered and scaled to a common variance", {});
}

}  // namespace lvtext
