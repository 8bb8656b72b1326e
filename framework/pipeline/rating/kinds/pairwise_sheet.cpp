// Rating sheet: which of two outputs is better in style, content and fluency.
#include "framework/pipeline/rating/kinds/textual_transfer.h"

namespace lvtext {

void register_pairwise_sheet(Registries& registries) {
  add_sheet(
      registries, "pairwise", "which of two outputs is better in style, content and fluency",
      transfer_source(), original_and_output(),
      {.aspects = {comparison_aspect(
                       "style", "Which text is better in the style opposite to the original's?",
                       /*allows_tie=*/true),
                   comparison_aspect("content",
                                     "Which text preserves more of the original's content, apart "
                                     "from its style?",
                                     /*allows_tie=*/true),
                   comparison_aspect("fluency", "Which text is more fluent?",
                                     /*allows_tie=*/true)},
       .each = 120,
       .compared = 2});
}

}  // namespace lvtext
