// Copy of a text.
#include "framework/core/model/registration.h"
#include "framework/pipeline/inference/inference.h"

namespace lvtext {
namespace {

struct CopyOptions {
  template <class V>
  void visit(V&) {}
};

/// The sentences of a text: the output of a system that changes nothing.
class Copy : public Inference {
 public:
  static constexpr int kRevision = 2;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "text";
  explicit Copy(const CopyOptions&) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "text", .help = "sentences", .by_default = reference("data.test")}};
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
  add_inference<Copy, CopyOptions>(registries, "copy", "Copy of a text", {});
}

}  // namespace lvtext
