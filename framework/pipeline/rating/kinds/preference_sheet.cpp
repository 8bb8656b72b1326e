// Rating sheet: which of two outputs is better overall.
#include "framework/pipeline/rating/kinds/textual_transfer.h"

namespace lvtext {
namespace {

class Preference {
 public:
  static constexpr int kRevision = 1;
  explicit Preference(const TransferSheetOptions& /*options*/) {}

  std::vector<InputDecl> inputs() const { return original_and_output(); }
  SheetKind kind() const {
    return {.aspects = {comparison_aspect(
                "preference",
                "Which text is the better transfer of the original, all things considered?",
                /*allows_tie=*/false)},
            .each = 150,
            .compared = 2,
            .skips_equal = true};
  }
};

}  // namespace

void register_preference_sheet(Registries& registries) {
  add_sheet<Preference, TransferSheetOptions>(
      registries, "preference", "which of two outputs is better overall, without ties",
      transfer_source());
}

}  // namespace lvtext
