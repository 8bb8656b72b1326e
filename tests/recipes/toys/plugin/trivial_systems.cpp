// Systems that transfer nothing: what they leave beside what `copy` and `random_lines` would is the
// style that was asked for, as a transfer leaves it.
#include <ATen/ATen.h>

#include "columns.h"
#include "framework/inference/inference.h"
#include "framework/model/registries.h"
#include "framework/tensor/philox.h"

using namespace lvtext;

namespace toys {
namespace {

struct TrivialOptions {
  bool draw = false;
  int64_t seed = 0;

  template <class V>
  void visit(V& v) {
    v.field("draw", draw, "another text of the data, drawn by the seed, in place of the same one");
    v.field("seed", seed, "of the draws", at_least(0));
  }
};

class TrivialSystem : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  explicit TrivialSystem(const TrivialOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = "text", .help = "the texts"},
            {.name = "records",
             .help = "the same with the column style",
             .type = ArtifactType::kDataset}};
  }

  Inferred run(const Inputs& inputs, const Notify&) const override {
    const Text& text = inputs.text("text");
    const at::Tensor styles = numbers_of(inputs.dataset("records"), "style").to(at::kLong);
    std::vector<TokenIds> outputs(text.ids().begin(), text.ids().end());
    if (options_.draw) {
      const auto count = static_cast<int64_t>(text.size());
      const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("toys.trivial")};
      const at::Tensor drawn =
          (uniform(key, at::arange(count), {}, at::kDouble) * static_cast<double>(count))
              .floor()
              .to(at::kLong);
      for (int64_t i = 0; i < count; ++i) {
        outputs[i] = text.ids()[drawn[i].item<int64_t>()];
      }
    }
    return {.text = Text(std::move(outputs), text.shared_tokenizer()),
            .columns = {{.decl = {.name = "source"}, .text = text},
                        {.decl = {.name = "style", .kind = ColumnKind::kLabel, .classes = 2},
                         .values = (1 - styles).to(at::kInt)}}};
  }

 private:
  TrivialOptions options_;
};

}  // namespace

void add_trivial_systems(Registries& registries) {
  add_inference<TrivialSystem, TrivialOptions>(registries, "toy_untransferred",
                                               "Texts as they are, or others of the data", {});
}

}  // namespace toys
