// How fluent and how relevant reconstructions are.
#include "framework/pipeline/rating/kinds/eval_all.h"

namespace lvtext {
namespace {

class Reconstruction {
 public:
  static constexpr int kRevision = 1;
  explicit Reconstruction(const EvalAllSheetOptions& /*options*/) {}

  std::vector<InputDecl> inputs() const {
    return {
        {.name = "source",
         .help = "the sentences that the texts were made from",
         .by_default = reference("data.test")},
        {.name = "text", .help = "the rated text", .by_default = reference("row.reconstructions")}};
  }
  std::vector<Aspect> aspects() const {
    return {fluency(),
            {"relevance",
             "How well does the text say what the source says?",
             1,
             5,
             {{1, "unrelated"}, {3, "reasonable paraphrase"}, {5, "identical or equivalent"}}}};
  }
  std::string sorted_by() const { return "relevance"; }
};

}  // namespace

void register_reconstruction_sheet(Registries& registries) {
  add_sheet<Reconstruction, EvalAllSheetOptions>(
      registries, "reconstruction",
      "how fluent reconstructions of test sentences are, and how relevant", eval_all_source());
}

}  // namespace lvtext
