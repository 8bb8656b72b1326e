// Rating sheet: which of two outputs is better overall.
#include "framework/pipeline/rating/kinds/textual_transfer.h"

namespace lvtext {

void register_preference_sheet(Registries& registries) {
  add_sheet(registries, "preference", "which of two outputs is better overall, without ties",
            transfer_source(), original_and_output(),
            {.aspects = {comparison_aspect(
                 "preference",
                 "Which text is the better transfer of the original, all things considered?",
                 /*allows_tie=*/false)},
             .each = 150,
             .compared = 2,
             .skips_equal = true});
}

}  // namespace lvtext
