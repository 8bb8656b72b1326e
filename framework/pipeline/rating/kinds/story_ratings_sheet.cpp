// Rating sheet: continuations of stories.
#include "framework/pipeline/rating/add_sheet.h"

namespace lvtext {
namespace {

struct StoryRatingsOptions {
  template <class V>
  void visit(V& /*v*/) {}
};

Aspect of_five_levels(const std::string& id, const std::string& question) {
  return {.id = id, .question = question, .anchors = {{1, "very poor"}, {5, "very good"}}};
}

/// The questions of Martins, Marinho and Martins 2020, section 5.2: 100 stories of each model, five
/// raters.
class StoryRatings {
 public:
  static constexpr int kRevision = 1;
  explicit StoryRatings(const StoryRatingsOptions& /*options*/) {}

  std::vector<InputDecl> inputs() const {
    return {{.name = "context", .help = "the beginning of each story"},
            {.name = "continuation",
             .help = "the rated continuation",
             .by_default = reference("row.outputs")}};
  }
  SheetKind kind() const {
    return {.aspects = {of_five_levels("fluency", "How well is the continuation written?"),
                        of_five_levels("coherence",
                                       "How well does the continuation fit the beginning and "
                                       "itself?"),
                        of_five_levels("engagement", "Would you like to read on?")},
            .each = 100,
            .raters = 5};
  }
};

}  // namespace

void register_story_ratings_sheet(Registries& registries) {
  add_sheet<StoryRatings, StoryRatingsOptions>(
      registries, "story_ratings", "fluency, coherence and engagement of continued stories",
      {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"});
}

}  // namespace lvtext
