// Annealing schedules of the KL weight (Bowman et al. 2016, section 3.1): it increases to 1 with
// the number of updates t.
#pragma once

namespace lvtext {

/// min(1, t / steps).
double linear_annealing(double t, double steps);
/// 1 / (1 + exp(-k (t - center))).
double logistic_annealing(double t, double k, double center);
/// (tanh((t - center) / scale) + 1) / 2.
double tanh_annealing(double t, double center, double scale);
/// min(1, 0.1 + t / (10 updates_per_epoch)): from 0.1 to 1 in nine epochs.
double epoch_annealing(double t, double updates_per_epoch);

}  // namespace lvtext
