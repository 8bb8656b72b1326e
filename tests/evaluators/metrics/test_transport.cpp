#include "evaluators/metrics/transport.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "framework/core/base/error.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

using Values = std::vector<double>;

/// Euclidean distances of points on a plane, row-major.
Values distances(const std::vector<std::pair<double, double>>& from,
                 const std::vector<std::pair<double, double>>& to) {
  Values result;
  for (const auto& [x, y] : from) {
    for (const auto& [u, v] : to) result.push_back(std::hypot(x - u, y - v));
  }
  return result;
}

/// The least cost of an assignment, by trying all.
double best_assignment(const Values& costs, size_t n) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  double best = INFINITY;
  do {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += costs[i * n + order[i]];
    best = std::min(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

/// Checks that the flow has the margins, and that no other one is cheaper: that there are
/// potentials whose differences are at most the costs, and equal where there is flow.
void check_optimal(const Values& costs, const Values& supply, const Values& demand) {
  Transport transport;
  const double cost = transport.cost(costs, supply, demand);
  const Values flow = transport.flow();
  const size_t m = supply.size(), n = demand.size();
  double total = 0;
  for (size_t i = 0; i < m; ++i) {
    double sum = 0;
    for (size_t j = 0; j < n; ++j) {
      CHECK(flow[i * n + j] >= 0);
      sum += flow[i * n + j];
      total += flow[i * n + j] * costs[i * n + j];
    }
    CHECK(sum == Approx(supply[i]).margin(1e-12));
  }
  for (size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (size_t i = 0; i < m; ++i) sum += flow[i * n + j];
    CHECK(sum == Approx(demand[j]).margin(1e-12));
  }
  CHECK(cost == Approx(total).margin(1e-12));
  // Bellman-Ford on the residual graph: a cheaper flow exists if and only if there is a negative
  // cycle.
  Values distance(m + n, 0);
  bool changes = true;
  for (size_t round = 0; round < m + n + 1 && changes; ++round) {
    changes = false;
    for (size_t i = 0; i < m; ++i) {
      for (size_t j = 0; j < n; ++j) {
        const double c = costs[i * n + j];
        if (distance[i] + c < distance[m + j] - 1e-10) {
          distance[m + j] = distance[i] + c;
          changes = true;
        }
        if (flow[i * n + j] > 1e-14 && distance[m + j] - c < distance[i] - 1e-10) {
          distance[i] = distance[m + j] - c;
          changes = true;
        }
      }
    }
  }
  CHECK_FALSE(changes);
}

}  // namespace

TEST_CASE("transport: the published failures of a usual solver", "[evaluators]") {
  Transport transport;
  // wmayner/pyemd, issue 32: 1.57897.
  const Values far = {2.2360679775,
                      8795.2156412,
                      3.1622776602,  //
                      8796.4805272,
                      0,
                      8792.1069089,  //
                      0,
                      8796.4805272,
                      5};
  CHECK(transport.cost(far, Values{0.5, 0.5, 0}, Values{0, 0.5, 0.5}) ==
        Approx(1.5811388301).margin(1e-9));
  // Equal weights over different points (issue 58: 0).
  const Values between = distances({{0, 0}, {1, 0}}, {{0, 1}, {1, 1}});
  CHECK(transport.cost(between, Values{0.5, 0.5}, Values{0.5, 0.5}) == Approx(1));
  // Unequal masses (issue 57: does not end).
  CHECK_THROWS_AS(transport.cost(between, Values{0.5, 0.5}, Values{0.5, 0.6}), DataError);
  CHECK_THROWS_WITH(transport.cost(Values(9, 0.5), Values{1, 1, 1}, Values{2, 0, 0}),
                    Contains("the same sum"));
  CHECK_THROWS_AS(transport.cost(between, Values{-0.5, 1.5}, Values{0.5, 0.5}), DataError);
}

TEST_CASE("transport: equal masses are an assignment", "[evaluators]") {
  std::mt19937_64 draw(3);
  std::uniform_real_distribution<double> uniform;
  Transport transport;
  for (int round = 0; round < 40; ++round) {
    const size_t n = 2 + round % 6;
    Values costs(n * n);
    for (double& cost : costs)
      cost = round % 2 == 0 ? uniform(draw) : std::floor(uniform(draw) * 3);
    const Values masses(n, 1.0 / static_cast<double>(n));
    CHECK(transport.cost(costs, masses, masses) * static_cast<double>(n) ==
          Approx(best_assignment(costs, n)).margin(1e-12));
  }
}

TEST_CASE("transport: flows keep the margins, and none is cheaper", "[evaluators]") {
  std::mt19937_64 draw(5);
  std::uniform_real_distribution<double> uniform;
  for (int round = 0; round < 60; ++round) {
    const size_t m = 1 + draw() % 40, n = 1 + draw() % 40;
    Values costs(m * n), supply(m), demand(n);
    for (double& cost : costs)
      cost = round % 3 == 0 ? std::floor(uniform(draw) * 4) : uniform(draw);
    for (double& mass : supply) mass = round % 2 == 0 ? 1 : std::floor(uniform(draw) * 4);
    for (double& mass : demand) mass = round % 2 == 0 ? 1 : std::floor(uniform(draw) * 4);
    supply[0] += 1, demand[0] += 1;
    for (Values* side : {&supply, &demand}) {
      const double sum = std::accumulate(side->begin(), side->end(), 0.0);
      for (double& mass : *side) mass /= sum;
    }
    check_optimal(costs, supply, demand);
  }
}

TEST_CASE("transport: one point, no mass", "[evaluators]") {
  Transport transport;
  CHECK(transport.cost(Values{2.5}, Values{1}, Values{1}) == Approx(2.5));
  CHECK(transport.cost(Values{2, 4}, Values{1}, Values{0.25, 0.75}) == Approx(3.5));
  CHECK(transport.cost(Values{2}, Values{0}, Values{0}) == 0);
  CHECK(transport.cost(Values{1e-3, 0, 7, 1e-3}, Values{1, 0}, Values{0, 1}) == 0);
}

// tests/peers/transport.py: each line of the file LVTEXT_TRANSPORT has m, n, the costs, the masses
// of both sides; the costs of the solutions are written to LVTEXT_TRANSPORT.out.
TEST_CASE("transport: problems of a file", "[.peer]") {
  const char* name = std::getenv("LVTEXT_TRANSPORT");
  REQUIRE(name != nullptr);
  std::ifstream problems(name);
  std::ofstream answers(std::string(name) + ".out");
  answers.precision(17);
  Transport transport;
  for (size_t m = 0, n = 0; problems >> m >> n;) {
    Values costs(m * n), supply(m), demand(n);
    for (Values* part : {&costs, &supply, &demand}) {
      for (double& value : *part) problems >> value;
    }
    answers << transport.cost(costs, supply, demand) << "\n";
  }
  REQUIRE(problems.eof());
}
