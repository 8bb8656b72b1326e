// A kind of rating sheet in a plug-in: clarity of a text.
#include "framework/core/model/plugin.h"
#include "framework/pipeline/rating/add_sheet.h"

namespace example {

using namespace lvtext;

struct ClaritySheetOptions {
  int64_t levels = 3;

  template <class V>
  void visit(V& v) {
    v.field("levels", levels, "highest answer; answers are 1 to this number", in_range(2, 9));
  }
};

class ClaritySheet {
 public:
  static constexpr int kRevision = 1;
  explicit ClaritySheet(const ClaritySheetOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const {
    return {{.name = "text", .help = "rated text", .by_default = reference("row.samples")}};
  }
  SheetKind kind() const {
    const Aspect clarity = {.id = "clarity",
                            .question = "How clear is the text?",
                            .highest = static_cast<int>(options_.levels)};
    return {.aspects = {clarity}, .sorted_by = "clarity"};
  }

 private:
  ClaritySheetOptions options_;
};

void add_clarity_sheet(Registries& registries) {
  add_sheet<ClaritySheet, ClaritySheetOptions>(registries, "clarity", "How clear a text is", {});
}

}  // namespace example
