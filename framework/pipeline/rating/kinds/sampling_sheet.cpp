// Rating sheet: fluency of samples.
#include "framework/pipeline/rating/kinds/eval_all.h"

namespace lvtext {

void register_sampling_sheet(Registries& registries) {
  add_sheet(registries, "sampling", "fluency of sentences sampled from the models",
            eval_all_source(),
            {{.name = "text", .help = "the rated text", .by_default = reference("row.samples")}},
            {.aspects = {fluency()}, .sorted_by = "fluency", .raters = kEvalAllRaters});
}

}  // namespace lvtext
