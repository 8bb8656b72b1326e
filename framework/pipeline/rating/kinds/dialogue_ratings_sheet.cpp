// Rating sheet: conversations of two agents.
#include "framework/pipeline/rating/add_sheet.h"

namespace lvtext {

void register_dialogue_ratings_sheet(Registries& registries) {
  const auto five_levels = [](const std::string& id, const std::string& question) {
    return Aspect{.id = id, .question = question, .anchors = {{1, "very poor"}, {5, "very good"}}};
  };
  // The questions of Martins, Marinho and Martins 2020, section 5.3, Table 9: 12 raters, who rated
  // 30 conversations each.
  add_sheet(registries, "dialogue_ratings", "fluency, consistency and engagement of conversations",
            {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"},
            {{.name = "personas",
              .help = "the personas of the two agents",
              .by_default = reference("row.outputs.personas")},
             {.name = "conversation",
              .help = "the rated conversation",
              .by_default = reference("row.outputs.conversation")}},
            {.aspects = {five_levels("fluency", "How well are the utterances written?"),
                         five_levels("consistency",
                                     "How well do the utterances fit what was said before and the "
                                     "persona of who says them?"),
                         five_levels("engagement", "Would you like to take part?")},
             .each = 30});
}

}  // namespace lvtext
