// Inference component `conditions`: what a generator of images draws from.
#include "framework/pipeline/inference/shared/conditions.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// The column `condition` of `draw` alone, one for each embedding: for pairs with other images.
class ConditionColumn : public Inference, public KnownColumns {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kDataset;
  static constexpr const char* kRowsOf = kEmbeddingsInput;
  explicit ConditionColumn(const ConditionsOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override { return inputs_of_conditions(); }

  FieldTypes columns() const override { return vector_type(kConditionColumn); }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const Conditions read = read_conditions(inputs, options_);
    return {.columns = {condition_column(read, 1)},
            .metadata = {{"count", read.items.rows.back()}}};
  }

 private:
  ConditionsOptions options_;
};

}  // namespace

void register_conditions(Registries& registries) {
  add_inference<ConditionColumn, ConditionsOptions>(
      registries, "conditions", "What a generator draws images from, without noise", {});
}

}  // namespace lvtext
