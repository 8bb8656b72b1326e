#include "losses/annealing.h"

#include <algorithm>
#include <cmath>

namespace lvtext {

double linear_annealing(double t, double steps) {
  return std::min(1.0, t / steps);
}

double logistic_annealing(double t, double k, double center) {
  return 1 / (1 + std::exp(-k * (t - center)));
}

double tanh_annealing(double t, double center, double scale) {
  return (std::tanh((t - center) / scale) + 1) / 2;
}

double epoch_annealing(double t, double updates_per_epoch) {
  return std::min(1.0, 0.1 + t / (10 * updates_per_epoch));
}

}  // namespace lvtext
