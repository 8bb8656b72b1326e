#include "evaluators/gm/gm_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "evaluators/gm/gm_evaluator.h"

namespace lvtext {
namespace {

constexpr double kMinFactor = 1e-6;
constexpr int kSteps = 300;

/// Bounds of the integers that are tried for each threshold.
constexpr std::array<std::pair<int, int>, 4> kBounds = {{{0, 99}, {0, 99}, {40, 300}, {-100, 39}}};

double gm(const GmSentence& sentence, const GmThresholds& t) {
  return geometric_mean(sentence.acc, sentence.sim, sentence.pp, t);
}

/// Adds `sign` times the gradient of GM = (f1 f2 f3)^(1/3) by t1, t2 and t3 or t4: -GM / (3 f) for
/// a minimum, GM / (3 f) for a maximum.
void add_gradient(const GmSentence& sentence, const GmThresholds& t, double sign,
                  GmThresholds& to) {
  const bool is_upper = t[2] - sentence.pp < sentence.pp - t[3];
  const std::array<double, 3> factors = {100 * sentence.acc - t[0], 100 * sentence.sim - t[1],
                                         is_upper ? t[2] - sentence.pp : sentence.pp - t[3]};
  if (*std::min_element(factors.begin(), factors.end()) < kMinFactor) return;
  const double third = gm(sentence, t) / 3;
  to[0] -= sign * third / factors[0];
  to[1] -= sign * third / factors[1];
  if (is_upper) {
    to[2] += sign * third / factors[2];
  } else {
    to[3] -= sign * third / factors[2];
  }
}

double margin_loss(const GmPreference& pair, const GmThresholds& t) {
  return std::max(0.0, 1 - gm(pair.preferred, t) + gm(pair.other, t));
}

double loss_of(std::span<const GmPreference> pairs, const GmThresholds& t) {
  double sum = 0;
  for (const GmPreference& pair : pairs) sum += margin_loss(pair, t);
  return sum;
}

/// Thresholds with their loss.
struct Candidate {
  GmThresholds t = {};
  double loss = 0;
};

Candidate search_coordinates(std::span<const GmPreference> pairs, const GmThresholds& start) {
  Candidate best{start, loss_of(pairs, start)};
  for (double before = INFINITY; best.loss < before;) {
    before = best.loss;
    for (size_t i = 0; i < best.t.size(); ++i) {
      GmThresholds t = best.t;
      for (int value = kBounds[i].first; value <= kBounds[i].second; ++value) {
        t[i] = value;
        const double loss = loss_of(pairs, t);
        if (loss < best.loss) best = {t, loss};
      }
    }
  }
  return best;
}

Candidate refine(std::span<const GmPreference> pairs, const Candidate& start) {
  Candidate best = start;
  GmThresholds t = start.t;
  for (int step = 1; step <= kSteps; ++step) {
    const GmLoss loss = gm_loss(pairs, t);
    if (loss.value < best.loss) best = {t, loss.value};
    double norm = 0;
    for (const double each : loss.gradient) norm += each * each;
    if (norm == 0) break;
    const double scale = 1 / (std::sqrt(norm) * std::sqrt(step));
    for (size_t i = 0; i < t.size(); ++i) t[i] -= scale * loss.gradient[i];
  }
  return best;
}

/// The paper's thresholds, and every combination of two values of each.
std::vector<GmThresholds> starts() {
  std::vector<GmThresholds> all = {GmOptions().t};
  for (unsigned bits = 0; bits < 16; ++bits) {
    GmThresholds t;
    for (size_t i = 0; i < kBounds.size(); ++i) {
      const auto [low, high] = kBounds[i];
      const int quarters = (bits >> i) % 2 == 0 ? 1 : 3;
      const int start = low + (high - low) * quarters / 4;
      t.push_back(start);
    }
    all.push_back(std::move(t));
  }
  return all;
}

}  // namespace

GmLoss gm_loss(std::span<const GmPreference> pairs, const GmThresholds& t) {
  GmLoss loss;
  for (const GmPreference& pair : pairs) {
    const double value = margin_loss(pair, t);
    if (value == 0) continue;
    loss.value += value;
    add_gradient(pair.preferred, t, -1, loss.gradient);
    add_gradient(pair.other, t, 1, loss.gradient);
  }
  return loss;
}

GmAgreement gm_agreement(std::span<const GmPreference> pairs, const GmThresholds& t) {
  GmAgreement agreement;
  for (const GmPreference& pair : pairs) {
    const double preferred = gm(pair.preferred, t), other = gm(pair.other, t);
    agreement.agreeing += preferred > other ? 1 : 0;
    agreement.ties += preferred == other ? 1 : 0;
  }
  return agreement;
}

GmThresholds fit_gm(std::span<const GmPreference> pairs) {
  Candidate best;
  best.loss = INFINITY;
  for (const GmThresholds& start : starts()) {
    const Candidate found = search_coordinates(pairs, start);
    if (found.loss < best.loss) best = found;
  }
  return refine(pairs, best).t;
}

}  // namespace lvtext
