// Figure kind `curves`: line charts of scores.
#include "framework/core/model/registration.h"
#include "framework/pipeline/figures/shared/chart.h"

namespace lvtext {
namespace {

class Curves : public Chart {
 public:
  static constexpr int kRevision = 1;
  explicit Curves(const ChartOptions& options) : Chart(options, /*points=*/false) {}
};

}  // namespace

void register_curves(Registries& registries) {
  add_figure<Curves, ChartOptions>(
      registries, "curves",
      "Line charts of scores over a number in the rows' ids, or over another score", {});
}

}  // namespace lvtext
