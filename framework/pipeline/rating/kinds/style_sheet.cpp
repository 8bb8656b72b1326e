// Rating sheet: the style of outputs.
#include <algorithm>
#include <set>

#include "framework/core/base/registry.h"
#include "framework/pipeline/rating/kinds/textual_transfer.h"

namespace lvtext {
namespace {

struct StyleSheetOptions {
  std::vector<std::string> styles = {"negative", "positive"};

  template <class V>
  void visit(V& v) {
    v.field("styles", styles, "names of the styles, one of which raters choose for each text");
    v.check(styles.size() > 1 && std::all_of(styles.begin(), styles.end(), is_lower_snake) &&
                std::set(styles.begin(), styles.end()).size() == styles.size(),
            "styles must be two or more different names of lower-case letters, digits and _");
  }
};

class Style {
 public:
  static constexpr int kRevision = 1;
  explicit Style(const StyleSheetOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const { return {rated_output()}; }
  SheetKind kind() const {
    return {.aspects = {choice_aspect("style", "Which style does the text have?", options_.styles)},
            .each = 25};
  }

 private:
  StyleSheetOptions options_;
};

}  // namespace

void register_style_sheet(Registries& registries) {
  add_sheet<Style, StyleSheetOptions>(registries, "style", "style of outputs, a forced choice",
                                      transfer_source());
}

}  // namespace lvtext
