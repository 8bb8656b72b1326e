// Annealing schedules of the KL weight, from about 0 to 1 with the number of updates t.
#pragma once

namespace lvtext {

/// min(1, t / steps).
double linear_annealing(double t, double steps = 10000);
/// 1 / (1 + exp(-k (t - center))).
double logistic_annealing(double t, double k = 0.0025, double center = 2500);
/// (tanh((t - center) / scale) + 1) / 2.
double tanh_annealing(double t, double center = 3500, double scale = 1000);
/// min(1, 0.1 + t / (10 updates_per_epoch)): reaches 1 after nine epochs.
double epoch_annealing(double t, double updates_per_epoch);

}  // namespace lvtext
