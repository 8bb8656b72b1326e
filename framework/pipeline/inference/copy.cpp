// Inference component `copy`: returns a text unchanged.
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct CopyOptions {
  template <class V>
  void visit(V&) {}
};

/// Returns the sentences of a text unchanged, as the output of an identity system (a baseline).
class Copy : public Inference {
 public:
  static constexpr int kRevision = 2;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "text";
  explicit Copy(const CopyOptions&) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "text", .help = "text to copy", .by_default = reference("data.test")}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const Text& text = inputs.text("text");
    return {.text = text,
            .columns = {{.decl = {.name = "source"}, .text = text}},
            .metadata = {{"count", text.size()}}};
  }
};

}  // namespace

void register_copy(Registries& registries) {
  add_inference<Copy, CopyOptions>(registries, "copy", "Copies a text (identity baseline)", {});
}

}  // namespace lvtext
