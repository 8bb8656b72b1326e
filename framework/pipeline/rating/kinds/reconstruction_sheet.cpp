// Rating sheet: fluency and relevance of reconstructions.
#include "framework/pipeline/rating/kinds/eval_all.h"

namespace lvtext {

void register_reconstruction_sheet(Registries& registries) {
  const Aspect relevance = {
      .id = "relevance",
      .question = "How well does the text express the meaning of the source?",
      .anchors = {{1, "unrelated"}, {3, "reasonable paraphrase"}, {5, "identical or equivalent"}}};
  add_sheet(
      registries, "reconstruction", "fluency and relevance of reconstructed test sentences",
      eval_all_source(),
      {{.name = "source",
        .help = "source sentences of the rated texts",
        .by_default = reference("data.test")},
       {.name = "text", .help = "the rated text", .by_default = reference("row.reconstructions")}},
      {.aspects = {fluency(), relevance}, .sorted_by = "relevance", .raters = kEvalAllRaters});
}

}  // namespace lvtext
