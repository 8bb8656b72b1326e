// Rating sheet: continuations of stories.
#include "framework/pipeline/rating/kinds/sparse_generation.h"

namespace lvtext {

void register_story_ratings_sheet(Registries& registries) {
  // The questions of Martins, Marinho and Martins 2020, section 5.2: 100 stories of each model,
  // five raters.
  add_sheet(registries, "story_ratings", "fluency, coherence and engagement of continued stories",
            sparse_generation_source(),
            {{.name = "context", .help = "the beginning of each story"},
             {.name = "continuation",
              .help = "the rated continuation",
              .by_default = reference("row.outputs")}},
            {.aspects = {of_five_levels("fluency", "How well is the continuation written?"),
                         of_five_levels("coherence",
                                        "How well does the continuation fit the beginning and "
                                        "itself?"),
                         of_five_levels("engagement", "Would you like to read on?")},
             .each = 100,
             .raters = 5});
}

}  // namespace lvtext
