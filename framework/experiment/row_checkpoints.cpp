#include "framework/experiment/row_checkpoints.h"

namespace lvtext {

RowCheckpoints row_checkpoints(const FinishedResults& /*results*/, const ExperimentPanel& /*row*/,
                               const CheckedFigure& /*figure*/) {
  return {{}, "the row keeps no checkpoints"};
}

}  // namespace lvtext
