// Figure kind `scatter`: scatter plots of two scores.
#include "framework/core/model/registration.h"
#include "framework/pipeline/figures/shared/chart.h"

namespace lvtext {
namespace {

class Scatter : public Chart {
 public:
  static constexpr int kRevision = 1;
  explicit Scatter(const ChartOptions& options) : Chart(options, /*points=*/true) {}
};

}  // namespace

void register_scatter(Registries& registries) {
  add_figure<Scatter, ChartOptions>(
      registries, "scatter", "Scatter plot of two scores of rows, or of their checkpoints", {});
}

}  // namespace lvtext
