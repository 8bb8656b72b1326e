#include "framework/pipeline/inference/shared/tsne.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"
#include "framework/core/tensor/wait_policy.h"

// Compile the innermost loop for several instruction sets; the loader selects one.
#if defined(__x86_64__) && defined(__linux__)
#define LVT_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LVT_EACH_CPU
#endif

namespace lvtext {
namespace {

constexpr double kFloor = 1e-12;
constexpr double kStartDeviation = 1e-4;
constexpr double kExaggeration = 12;
constexpr int64_t kExaggerated = 250;  // iterations
constexpr double kMinGain = 0.01;
constexpr int kBisections = 100;
constexpr double kEntropyTolerance = 1e-10;
// Number of partial sums, added in a fixed order so that rounding does not depend on the threads.
constexpr int64_t kParts = 16;

/// Index of the first pair of row i among the pairs i < j.
int64_t row_start(int64_t i, int64_t n) {
  return i * (2 * n - i - 1) / 2;
}

/// Computes p_j|i of one point from its squared distances to all others; returns the precision.
double conditional(const std::vector<double>& distances, double entropy, double* p) {
  const size_t n = distances.size();
  const double nearest = *std::min_element(distances.begin(), distances.end());
  double beta = 1, low = 0, high = INFINITY;
  for (int step = 0;; ++step) {
    double sum = 0, weighted = 0;
    for (size_t j = 0; j < n; ++j) {
      const double distance = distances[j] - nearest;  // otherwise exp may underflow for all j
      p[j] = std::exp(-beta * distance);
      sum += p[j];
      weighted += p[j] * distance;
    }
    const double surplus = std::log(sum) + beta * weighted / sum - entropy;
    if (std::abs(surplus) < kEntropyTolerance || step == kBisections) {
      for (size_t j = 0; j < n; ++j) p[j] /= sum;
      return beta;
    }
    (surplus > 0 ? low : high) = beta;
    beta = std::isinf(high) ? beta * 2 : (low + high) / 2;
  }
}

/// Sums over one part of the pairs: attraction and repulsion of every point, and the sum of
/// 1 / (1 + d^2).
struct Forces {
  explicit Forces(int64_t n) : attract_x(n), attract_y(n), repel_x(n), repel_y(n) {}
  std::vector<double> attract_x, attract_y, repel_x, repel_y;
  double normalizer = 0;
};

/// Adds the pairs (i, j) for j = i + 1 ... n - 1; p[0] belongs to the pair (i, i + 1).
LVT_EACH_CPU void add_row(int64_t i, int64_t n, const double* x, const double* y, const double* p,
                          double* attract_x, double* attract_y, double* repel_x, double* repel_y,
                          double* normalizer) {
  const double xi = x[i], yi = y[i];
  double ax = 0, ay = 0, rx = 0, ry = 0, sum = 0;
  p -= i + 1;
#pragma omp simd reduction(+ : ax, ay, rx, ry, sum)
  for (int64_t j = i + 1; j < n; ++j) {
    const double dx = xi - x[j], dy = yi - y[j];
    const double q = 1 / (1 + dx * dx + dy * dy);
    const double near = p[j] * q, far = q * q;
    ax += near * dx;
    ay += near * dy;
    rx += far * dx;
    ry += far * dy;
    sum += q;
    attract_x[j] -= near * dx;
    attract_y[j] -= near * dy;
    repel_x[j] -= far * dx;
    repel_y[j] -= far * dy;
  }
  attract_x[i] += ax;
  attract_y[i] += ay;
  repel_x[i] += rx;
  repel_y[i] += ry;
  *normalizer += sum;
}

/// Computes gradients repeatedly for one set of points; reuses the memory of the sums.
class Gradient {
 public:
  explicit Gradient(const Similarities& p)
      : p_(p), n_(static_cast<int64_t>(p.precisions.size())), parts_(kParts, Forces(n_)) {
    // Split the rows so that the parts have approximately equal numbers of pairs.
    const int64_t pairs = n_ * (n_ - 1) / 2;
    for (int64_t part = 0, i = 0; part <= kParts; ++part) {
      while (i < n_ && row_start(i, n_) < pairs * part / kParts) ++i;
      first_row_.push_back(i);
    }
  }

  /// `x`, `y` and the output gradients `to_x`, `to_y` have shape [N].
  void compute(const std::vector<double>& x, const std::vector<double>& y, double exaggeration,
               std::vector<double>& to_x, std::vector<double>& to_y) {
    at::parallel_for(0, kParts, 1, [&](int64_t from, int64_t to) {
      for (int64_t part = from; part < to; ++part) {
        Forces& sums = parts_[part];
        for (auto* each : {&sums.attract_x, &sums.attract_y, &sums.repel_x, &sums.repel_y}) {
          std::fill(each->begin(), each->end(), 0.0);
        }
        sums.normalizer = 0;
        for (int64_t i = first_row_[part]; i < first_row_[part + 1]; ++i) {
          add_row(i, n_, x.data(), y.data(), p_.pairs.data() + row_start(i, n_),
                  sums.attract_x.data(), sums.attract_y.data(), sums.repel_x.data(),
                  sums.repel_y.data(), &sums.normalizer);
        }
      }
    });
    double normalizer = 0;
    for (const Forces& part : parts_) normalizer += 2 * part.normalizer;
    for (int64_t i = 0; i < n_; ++i) {
      double ax = 0, ay = 0, rx = 0, ry = 0;
      for (const Forces& part : parts_) {
        ax += part.attract_x[i];
        ay += part.attract_y[i];
        rx += part.repel_x[i];
        ry += part.repel_y[i];
      }
      to_x[i] = 4 * (exaggeration * ax - rx / normalizer);
      to_y[i] = 4 * (exaggeration * ay - ry / normalizer);
    }
  }

 private:
  const Similarities& p_;
  int64_t n_;
  std::vector<Forces> parts_;
  std::vector<int64_t> first_row_;
};

/// Values and optimizer state of one coordinate of all points.
struct Coordinate {
  explicit Coordinate(int64_t n) : position(n), gradient(n), step(n), gain(n) {}
  std::vector<double> position, gradient, step, gain;

  /// Resets the momentum and the gains.
  void start() {
    std::fill(step.begin(), step.end(), 0.0);
    std::fill(gain.begin(), gain.end(), 1.0);
  }
  void move(double momentum, double learning_rate) {
    for (size_t i = 0; i < position.size(); ++i) {
      const bool onward = step[i] * gradient[i] < 0;
      gain[i] = std::max(kMinGain, onward ? gain[i] + 0.2 : gain[i] * 0.8);
      step[i] = momentum * step[i] - learning_rate * gain[i] * gradient[i];
      position[i] += step[i];
    }
  }
};

}  // namespace

Similarities similarities(std::span<const double> points, int64_t n, double perplexity) {
  LVT_ASSERT(n >= 2 && points.size() % n == 0,
             "t-SNE requires at least two points of equal dimension");
  const int64_t width = static_cast<int64_t>(points.size()) / n;
  Similarities result{std::vector<double>(n), std::vector<double>(n * (n - 1) / 2)};
  std::vector<double> given(n * (n - 1));  // p_j|i, excluding j = i
  at::parallel_for(0, n, 1, [&](int64_t from, int64_t to) {
    std::vector<double> distances(n - 1);
    for (int64_t i = from; i < to; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        if (j == i) continue;
        double sum = 0;
        for (int64_t k = 0; k < width; ++k) {
          const double difference = points[i * width + k] - points[j * width + k];
          sum += difference * difference;
        }
        distances[j - (j > i)] = sum;
      }
      result.precisions[i] =
          conditional(distances, std::log(perplexity), given.data() + i * (n - 1));
    }
  });
  for (int64_t i = 0, pair = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j, ++pair) {
      const double both = given[i * (n - 1) + j - 1] + given[j * (n - 1) + i];
      result.pairs[pair] = std::max(both / (2 * static_cast<double>(n)), kFloor);
    }
  }
  return result;
}

double tsne_divergence(const Similarities& p, std::span<const double> embedding) {
  const auto n = static_cast<int64_t>(p.precisions.size());
  const auto closeness = [&](int64_t i, int64_t j) {
    const double dx = embedding[2 * i] - embedding[2 * j];
    const double dy = embedding[2 * i + 1] - embedding[2 * j + 1];
    return 1 / (1 + dx * dx + dy * dy);
  };
  double normalizer = 0, sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) normalizer += 2 * closeness(i, j);
  }
  for (int64_t i = 0, pair = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j, ++pair) {
      sum += 2 * p.pairs[pair] * std::log(p.pairs[pair] * normalizer / closeness(i, j));
    }
  }
  return sum;
}

std::vector<double> tsne_gradient(const Similarities& p, std::span<const double> embedding,
                                  double exaggeration) {
  const size_t n = p.precisions.size();
  LVT_ASSERT(embedding.size() == 2 * n, "the embedding must have two coordinates per point");
  std::vector<double> x(n), y(n), to_x(n), to_y(n), gradient(2 * n);
  for (size_t i = 0; i < n; ++i) x[i] = embedding[2 * i], y[i] = embedding[2 * i + 1];
  Gradient(p).compute(x, y, exaggeration, to_x, to_y);
  for (size_t i = 0; i < n; ++i) gradient[2 * i] = to_x[i], gradient[2 * i + 1] = to_y[i];
  return gradient;
}

std::vector<double> tsne_start(int64_t n, int64_t seed) {
  const NoiseKey key{static_cast<uint64_t>(seed), 0, 0, noise_use("tsne.start")};
  const at::Tensor noise = normal(key, at::arange(n), {2}, at::kDouble) * kStartDeviation;
  const double* first = noise.const_data_ptr<double>();
  return {first, first + 2 * n};
}

std::vector<double> tsne(std::span<const double> points, int64_t n, const TsneOptions& options,
                         std::vector<double> start) {
  LVT_ASSERT(static_cast<int64_t>(start.size()) == 2 * n,
             "the initial embedding must have two coordinates per point");
  const Similarities p = similarities(points, n, options.perplexity);
  Gradient gradient(p);
  Coordinate x(n), y(n);
  for (int64_t i = 0; i < n; ++i) x.position[i] = start[2 * i], y.position[i] = start[2 * i + 1];
  for (int64_t iteration = 0; iteration < options.iterations; ++iteration) {
    adapt_wait_policy();
    const bool early = iteration < kExaggerated;
    if (iteration == 0 ||
        iteration == kExaggerated) {  // the objective changes: reset momentum and gains
      x.start();
      y.start();
    }
    gradient.compute(x.position, y.position, early ? kExaggeration : 1, x.gradient, y.gradient);
    for (Coordinate* each : {&x, &y}) each->move(early ? 0.5 : 0.8, options.learning_rate);
  }
  for (int64_t i = 0; i < n; ++i) start[2 * i] = x.position[i], start[2 * i + 1] = y.position[i];
  return start;
}

}  // namespace lvtext
