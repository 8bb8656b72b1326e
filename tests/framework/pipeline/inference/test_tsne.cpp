// Case C14 of the first paper's specification, and properties that need no reference.
#include "framework/pipeline/inference/shared/tsne.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <numeric>

#include "tests/catch.h"

using namespace lvtext;

namespace {

const std::vector<double> kPoints = {0, 0, 1, 0, 0, 2, 3, 3};
const std::vector<double> kPlane = {0.1, 0, 0, 0.2, -0.1, 0.1, 0.3, -0.2};

void check_near(const std::vector<double>& got, const std::vector<double>& expected,
                double margin) {
  REQUIRE(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    INFO("value " << i);
    CHECK(got[i] == Approx(expected[i]).margin(margin).epsilon(0));
  }
}

/// `each` copies of some distant points in 6 dimensions.
std::vector<double> clusters(int64_t count, int64_t each, double spread) {
  const std::vector<double> noise = tsne_start(3 * (count + count * each), 5);
  std::vector<double> points;
  for (int64_t i = 0; i < count * each; ++i) {
    for (int64_t k = 0; k < 6; ++k) {
      points.push_back(1e4 * noise[(i / each) * 6 + k] + 1e4 * spread * noise[(count + i) * 6 + k]);
    }
  }
  return points;
}

/// Runs with the given number of threads of LibTorch.
template <class Work>
auto with_threads(int threads, const Work& work) {
  const int before = at::get_num_threads();
  at::set_num_threads(threads);
  auto result = work();
  at::set_num_threads(before);
  return result;
}

}  // namespace

TEST_CASE("t-SNE: case C14, precisions and similarities", "[tsne]") {
  const Similarities p = similarities(kPoints, 4, 2);
  check_near(p.precisions, {0.23462625, 0.26185608, 0.67814842, 0.37446068}, 5e-9);
  check_near(p.pairs, {0.17227549, 0.12284856, 0.00607535, 0.07307172, 0.03343006, 0.09229882},
             5e-9);
  CHECK(std::accumulate(p.pairs.begin(), p.pairs.end(), 0.0) == Approx(0.5).margin(1e-12));
}

TEST_CASE("t-SNE: case C14, divergence and gradient", "[tsne]") {
  const Similarities p = similarities(kPoints, 4, 2);
  CHECK(tsne_divergence(p, kPlane) == Approx(0.23778359).margin(5e-9));
  check_near(tsne_gradient(p, kPlane),
             {0.11752926, -0.13635856, -0.00010159, 0.00550716, -0.04320056, 0.03778629,
              -0.07422711, 0.09306511},
             5e-9);
}

TEST_CASE("t-SNE: the gradient equals finite differences of the divergence", "[tsne]") {
  constexpr int64_t n = 45;  // several chunks; not a multiple of a vector register
  const Similarities p = similarities(clusters(5, 9, 0.3), n, 7);
  std::vector<double> plane = tsne_start(n, 2);
  for (double& value : plane) value *= 1e4;
  const std::vector<double> gradient = tsne_gradient(p, plane);
  constexpr double h = 1e-5;
  for (size_t k = 0; k < plane.size(); ++k) {
    const double here = plane[k];
    plane[k] = here + h;
    const double above = tsne_divergence(p, plane);
    plane[k] = here - h;
    const double below = tsne_divergence(p, plane);
    plane[k] = here;
    INFO("coordinate " << k);
    CHECK(gradient[k] == Approx((above - below) / (2 * h)).margin(1e-9));
  }
}

TEST_CASE("t-SNE: exaggeration scales only the attraction", "[tsne]") {
  // gradient(e) = e attraction - repulsion, so three of them are collinear.
  const Similarities p = similarities(kPoints, 4, 2);
  const auto one = tsne_gradient(p, kPlane, 1), two = tsne_gradient(p, kPlane, 2),
             twelve = tsne_gradient(p, kPlane, 12);
  for (size_t k = 0; k < one.size(); ++k) {
    CHECK(twelve[k] - one[k] == Approx(11 * (two[k] - one[k])).margin(1e-14));
  }
  CHECK(twelve[0] != Approx(one[0]));
}

TEST_CASE("t-SNE: more duplicates than the perplexity share the probability evenly", "[tsne]") {
  constexpr int64_t each = 40, n = 3 * each;
  const Similarities p = similarities(clusters(3, each, 0), n, 30);
  for (int64_t i = 0, pair = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j, ++pair) {
      const double expected = i / each == j / each ? 1.0 / (each - 1) / n : 1e-12;
      if (p.pairs[pair] != Approx(expected).epsilon(1e-9)) {
        FAIL("p of points " << i << " and " << j << " is " << p.pairs[pair]);
      }
    }
  }
}

TEST_CASE("t-SNE: identical points remain finite", "[tsne]") {
  const std::vector<double> points(2 * 50, 1.5);
  const auto plane = tsne(points, 50, {.perplexity = 10, .iterations = 300}, tsne_start(50, 1));
  for (const double value : plane) CHECK(std::isfinite(value));
}

TEST_CASE("t-SNE: clusters are separated, and the divergence decreases", "[tsne]") {
  constexpr int64_t each = 25, n = 4 * each;
  const auto points = clusters(4, each, 0.1);
  const auto start = tsne_start(n, 3);
  const auto plane = tsne(points, n, {.perplexity = 10, .learning_rate = 50}, start);
  const Similarities p = similarities(points, n, 10);
  CHECK(tsne_divergence(p, plane) < 0.3 * tsne_divergence(p, start));
  for (int64_t i = 0; i < n; ++i) {  // the nearest point in the plane is of the same cluster
    int64_t nearest = -1;
    double least = INFINITY;
    for (int64_t j = 0; j < n; ++j) {
      const double distance =
          std::hypot(plane[2 * i] - plane[2 * j], plane[2 * i + 1] - plane[2 * j + 1]);
      if (j != i && distance < least) least = distance, nearest = j;
    }
    CHECK(nearest / each == i / each);
  }
}

TEST_CASE("t-SNE: results depend on the seed but not on the number of threads", "[tsne]") {
  constexpr int64_t n = 90;
  const auto points = clusters(9, 10, 0.2);
  const auto run = [&](int64_t seed) {
    return tsne(points, n, {.perplexity = 12, .iterations = 400}, tsne_start(n, seed));
  };
  const auto one = with_threads(1, [&] { return run(1); });
  CHECK(with_threads(2, [&] { return run(1); }) == one);
  CHECK(with_threads(5, [&] { return run(1); }) == one);
  CHECK(run(2) != one);
}

TEST_CASE("t-SNE: the initial standard deviation is 1e-4", "[tsne]") {
  const auto start = tsne_start(5000, 4);
  double squares = 0;
  for (const double value : start) squares += value * value;
  CHECK(std::sqrt(squares / 10000) == Approx(1e-4).epsilon(0.03));
}
