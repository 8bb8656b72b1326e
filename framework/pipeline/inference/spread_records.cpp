// Inference component `spread_records`: the record of a token in closed form.
#include <ATen/ATen.h>

#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct SpreadRecordsOptions {
  double probability = 0.5;
  int64_t vocabulary = 50000;

  template <class V>
  void visit(V& v) {
    v.field("probability", probability, "probability p(x) of the token that follows",
            in_range(0, 1), required());
    v.field("vocabulary", vocabulary, "number of tokens V of the vocabulary", in_range(2, 1 << 24));
  }
};

/// One record (see token_records, without texts) of a distribution that gives p(x) to the token x
/// and spreads 1 - p(x) evenly over the V - 1 others (Martins, Marinho and Martins 2020, figure 2):
/// |p|^2 = p(x)^2 + (1 - p(x))^2 / (V - 1). It shows what the metrics of token records make of
/// p(x).
class SpreadRecords : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  explicit SpreadRecords(const SpreadRecordsOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override { return {}; }

  Inferred run(const Inputs&, const Notify&) const override {
    const double p = options_.probability;
    const auto others = static_cast<double>(options_.vocabulary - 1);
    const double support = (p > 0 ? 1 : 0) + (p < 1 ? others : 0);
    const auto column = [](const char* name, double value, std::vector<int64_t> rows) {
      return number_column(name, at::full({1}, static_cast<float>(value)), std::move(rows));
    };
    return {.columns = {column("vocabulary", others + 1, {}), column("probability", p, {0, 1}),
                        column("squares", p * p + (1 - p) * (1 - p) / others, {0, 1}),
                        column("support", support, {0, 1})}};
  }

 private:
  SpreadRecordsOptions options_;
};

}  // namespace

void register_spread_records(Registries& registries) {
  add_inference<SpreadRecords, SpreadRecordsOptions>(
      registries, "spread_records",
      "The record of a token of given probability, with the rest spread evenly over the vocabulary",
      {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"});
}

}  // namespace lvtext
