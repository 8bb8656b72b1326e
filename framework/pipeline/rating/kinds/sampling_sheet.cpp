// Rating sheet: fluency of samples.
#include "framework/pipeline/rating/kinds/eval_all.h"

namespace lvtext {
namespace {

class Sampling {
 public:
  static constexpr int kRevision = 1;
  explicit Sampling(const EvalAllSheetOptions& /*options*/) {}

  std::vector<InputDecl> inputs() const {
    return {{.name = "text", .help = "the rated text", .by_default = reference("row.samples")}};
  }
  SheetKind kind() const {
    return {.aspects = {fluency()}, .sorted_by = "fluency", .raters = kEvalAllRaters};
  }
};

}  // namespace

void register_sampling_sheet(Registries& registries) {
  add_sheet<Sampling, EvalAllSheetOptions>(
      registries, "sampling", "fluency of sentences sampled from the models", eval_all_source());
}

}  // namespace lvtext
