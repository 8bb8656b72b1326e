// Rating sheet: conversations of two agents.
#include "framework/pipeline/rating/kinds/sparse_generation.h"

namespace lvtext {

void register_dialogue_ratings_sheet(Registries& registries) {
  // The questions of Martins, Marinho and Martins 2020, section 5.3, Table 9: 12 raters, who rated
  // 30 conversations each.
  add_sheet(
      registries, "dialogue_ratings", "fluency, consistency and engagement of conversations",
      sparse_generation_source(),
      {{.name = "personas",
        .help = "the personas of the two agents",
        .by_default = reference("row.outputs.personas")},
       {.name = "conversation",
        .help = "the rated conversation",
        .by_default = reference("row.outputs.conversation")}},
      {.aspects = {of_five_levels("fluency", "How well are the utterances written?"),
                   of_five_levels("consistency",
                                  "How well do the utterances fit what was said before and the "
                                  "persona of who says them?"),
                   of_five_levels("engagement", "Would you like to take part?")},
       .each = 30});
}

}  // namespace lvtext
