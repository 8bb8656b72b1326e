// Rating sheet: content preservation and fluency of outputs.
#include "framework/pipeline/rating/kinds/textual_transfer.h"

namespace lvtext {
namespace {

Aspect of_four_levels(const std::string& id, const std::string& question) {
  return {.id = id,
          .question = question,
          .highest = 4,
          .anchors = {{1, "extremely bad"},
                      {2, "bad, okay, or needs improvement"},
                      {3, "good"},
                      {4, "very good"}}};
}

}  // namespace

void register_content_fluency_sheet(Registries& registries) {
  add_sheet(registries, "content_fluency",
            "content preservation and fluency of outputs, from 1 to 4", transfer_source(),
            original_and_output(),
            {.aspects = {of_four_levels("content",
                                        "How well does the text preserve the original's content, "
                                        "apart from its style?"),
                         of_four_levels("fluency", "How fluent is the text?")},
             .sorted_by = "content",
             .each = 38});  // the paper's 150 sentences, with four rows
}

}  // namespace lvtext
