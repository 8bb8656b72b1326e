// Inference component `copy`: returns a text unchanged.
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/labeled_text.h"

namespace lvtext {
namespace {

/// Returns the sentences of a data set unchanged, as the output of an identity system (a baseline),
/// with their labels.
class Copy : public Inference {
 public:
  static constexpr int kRevision = 3;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "data";
  explicit Copy(const NoOptions&) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "data",
             .help = "sentences to copy; labels are passed on",
             .type = ArtifactType::kDataset,
             .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const Text text = sentences_of(inputs, "data");
    return {.text = text,
            .columns = source_columns(inputs, "data"),
            .metadata = {{"count", text.size()}}};
  }
};

}  // namespace

void register_copy(Registries& registries) {
  add_inference<Copy, NoOptions>(registries, "copy", "Copies sentences (identity baseline)", {});
}

}  // namespace lvtext
