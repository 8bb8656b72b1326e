// Rating sheet: continuations of stories.
#include "framework/pipeline/rating/add_sheet.h"

namespace lvtext {

void register_story_ratings_sheet(Registries& registries) {
  const auto five_levels = [](const std::string& id, const std::string& question) {
    return Aspect{.id = id, .question = question, .anchors = {{1, "very poor"}, {5, "very good"}}};
  };
  // The questions of Martins, Marinho and Martins 2020, section 5.2: 100 stories of each model,
  // five raters.
  add_sheet(registries, "story_ratings", "fluency, coherence and engagement of continued stories",
            {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"},
            {{.name = "context", .help = "the beginning of each story"},
             {.name = "continuation",
              .help = "the rated continuation",
              .by_default = reference("row.outputs")}},
            {.aspects = {five_levels("fluency", "How well is the continuation written?"),
                         five_levels("coherence",
                                     "How well does the continuation fit the beginning and "
                                     "itself?"),
                         five_levels("engagement", "Would you like to read on?")},
             .each = 100,
             .raters = 5});
}

}  // namespace lvtext
