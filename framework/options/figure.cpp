#include "framework/options/figure.h"

namespace lvtext {

const std::vector<EnumName<FigureKind>>& enum_names(FigureKind) {
  static const std::vector<EnumName<FigureKind>> names{
      {"posterior_tsne", FigureKind::kPosteriorTsne,
       "draws of the posterior of test sentences, laid out by t-SNE"}};
  return names;
}

}  // namespace lvtext
