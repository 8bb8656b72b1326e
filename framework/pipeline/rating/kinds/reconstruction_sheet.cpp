// Rating sheet: fluency and relevance of reconstructions.
#include "framework/pipeline/rating/kinds/eval_all.h"

namespace lvtext {
namespace {

class Reconstruction {
 public:
  static constexpr int kRevision = 1;
  explicit Reconstruction(const EvalAllSheetOptions& /*options*/) {}

  std::vector<InputDecl> inputs() const {
    return {
        {.name = "source",
         .help = "source sentences of the rated texts",
         .by_default = reference("data.test")},
        {.name = "text", .help = "the rated text", .by_default = reference("row.reconstructions")}};
  }
  SheetKind kind() const {
    const Aspect relevance = {
        .id = "relevance",
        .question = "How well does the text express the meaning of the source?",
        .anchors = {
            {1, "unrelated"}, {3, "reasonable paraphrase"}, {5, "identical or equivalent"}}};
    return {.aspects = {fluency(), relevance}, .sorted_by = "relevance", .raters = kEvalAllRaters};
  }
};

}  // namespace

void register_reconstruction_sheet(Registries& registries) {
  add_sheet<Reconstruction, EvalAllSheetOptions>(
      registries, "reconstruction", "fluency and relevance of reconstructed test sentences",
      eval_all_source());
}

}  // namespace lvtext
