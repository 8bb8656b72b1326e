#include "framework/pipeline/sweep/search.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "framework/core/base/files.h"
#include "framework/core/options/numbers.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

Sweep sweep_of(const std::string& rest) {
  const TemporaryFolder scratch;
  write_file_atomic(scratch / "s.yaml",
                    "sweep: test\nrecipe: a/b\nobjective: {validation: true}\n" + rest);
  return read_sweep(scratch / "s.yaml");
}

double number_of(const Setting& setting, const std::string& path) {
  return parse_number(*value_of(setting, path)).value();
}

}  // namespace

TEST_CASE("sweep search: a grid has all combinations, the last path fastest", "[sweep]") {
  const auto settings = searched_settings(sweep_of("space: {a.x: [1, 2], b: [yes, 0.10, 'no']}"));
  REQUIRE(settings.size() == 6);
  CHECK(overrides_of(settings[0]) == std::vector<std::string>{"a.x=1", "b=yes"});
  CHECK(overrides_of(settings[1]) == std::vector<std::string>{"a.x=1", "b=0.10"});
  CHECK(overrides_of(settings[5]) == std::vector<std::string>{"a.x=2", "b=\"no\""});
  CHECK(searched_settings(sweep_of("space: {}")).size() == 1);
}

TEST_CASE("sweep search: a path is set only if its condition holds", "[sweep]") {
  const std::string space =
      "space: {kind: [gauss, sphere], noise: {values: [0.1, 0.2], when: {kind: sphere}}}\n";
  const auto settings = searched_settings(sweep_of(space));
  REQUIRE(settings.size() == 3);
  CHECK(overrides_of(settings[0]) == std::vector<std::string>{"kind=gauss"});
  CHECK(overrides_of(settings[2]) == std::vector<std::string>{"kind=sphere", "noise=0.2"});
  size_t with_noise = 0;
  for (const auto& setting :
       searched_settings(sweep_of(space + "search: {type: random, trials: 200}"))) {
    const bool is_sphere = *value_of(setting, "kind") == "sphere";
    CHECK(is_sphere == (value_of(setting, "noise") != nullptr));
    with_noise += is_sphere;
  }
  CHECK(with_noise > 70);  // binomial(200, 0.5): mean 100, deviation 7.1
  CHECK(with_noise < 130);
}

TEST_CASE("sweep search: random settings are a function of seed, trial and path", "[sweep]") {
  const std::string search = "search: {type: random, trials: 50, seed: 3}\n";
  const auto one = searched_settings(sweep_of(search + "space: {a: {range: [0, 1]}}"));
  const auto two = searched_settings(sweep_of(search + "space: {b: [1, 2], a: {range: [0, 1]}}"));
  for (size_t i = 0; i < one.size(); ++i) CHECK(*value_of(one[i], "a") == *value_of(two[i], "a"));
  CHECK(std::set<Setting>(one.begin(), one.end()).size() == one.size());
  const Sweep longer = sweep_of(
      "search: {type: random, trials: 60, seed: 3}\n"
      "space: {a: {range: [0, 1]}}");
  const auto more = searched_settings(longer);
  CHECK(std::equal(one.begin(), one.end(), more.begin()));
  CHECK(random_setting(longer.dimensions, 4, 1) != random_setting(longer.dimensions, 3, 1));
}

TEST_CASE("sweep search: ranges are uniform, also in the logarithm, and integers", "[sweep]") {
  constexpr int kTrials = 4000;
  const Sweep sweep = sweep_of(
      "search: {type: random, trials: 4000}\n"
      "space:\n  plain: {range: [2, 6]}\n  log: {range: [1e-5, 1e-1], log: true}\n"
      "  whole: {range: [1, 4], integer: true}\n"
      "  both: {range: [1, 1024], integer: true, log: true}\n");
  double plain = 0, log = 0;
  std::map<int64_t, int> whole;
  int small = 0;
  for (const Setting& setting : searched_settings(sweep)) {
    const double x = number_of(setting, "plain"), y = number_of(setting, "log");
    REQUIRE((x >= 2 && x <= 6 && y >= 1e-5 && y <= 1e-1));
    plain += x / kTrials;
    log += std::log10(y) / kTrials;
    ++whole[parse_int(*value_of(setting, "whole")).value()];
    const auto both = parse_int(*value_of(setting, "both")).value();
    REQUIRE((both >= 1 && both <= 1024));
    small += both < 32;
  }
  CHECK(std::abs(plain - 4) < 4 * 4 / std::sqrt(12.0 * kTrials));  // four deviations of the mean
  CHECK(std::abs(log + 3) < 4 * 4 / std::sqrt(12.0 * kTrials));
  REQUIRE(whole.size() == 4);
  for (const auto& [value, count] : whole) CHECK(std::abs(count - 1000) < 4 * 27.4);
  CHECK(std::abs(small - kTrials / 2) < 4 * 31.6);  // 32 = sqrt(1024)
}

TEST_CASE("sweep search: a rung continues the best, deterministically", "[sweep]") {
  using Values = std::vector<std::optional<double>>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(survivors(Values{3, 1, 2, 4}, 0.5) == std::vector<size_t>{1, 2});
  CHECK(survivors(Values{3, 1, 2}, 0.1) == std::vector<size_t>{1});
  CHECK(survivors(Values{1, 1, 1, 1}, 0.5) == std::vector<size_t>{0, 1});  // ties: earlier
  CHECK(survivors(Values{std::nullopt, nan, 7, 8}, 0.75) == std::vector<size_t>{2, 3});
  CHECK(survivors(Values{std::nullopt, std::nullopt}, 0.5) == std::vector<size_t>{0});
  CHECK(survivors(Values(100, 1.0), 0.29).size() == 29);
}

TEST_CASE("sweep file: all mistakes are named with line and column", "[sweep]") {
  const TemporaryFolder scratch;
  const auto file = scratch / "wrong.yaml";
  write_file_atomic(file, R"(sweep: Test
recipe: a/b
objective: {metric: bleu}
space:
  a: []
  b: {range: [2, 1]}
  c: {range: [0, 1], log: true}
  d: {range: [0.5, 2], integer: true}
  e: {values: [1], when: {f: 2}}
  g: {values: [1], when: {h: 2}}
  h: 3
  i: {rang: [1, 2]}
search: {type: random, trials: 3, rungs: [1]}
)");
  const std::string text = message_of([&] { read_sweep(file); });
  for (const char* part :
       {"wrong.yaml:1:8", "wrong.yaml:3:12", "`mode` is required", "wrong.yaml:5:6",
        "the list is empty", "wrong.yaml:6:15", "2 is not less than 1", "wrong.yaml:7:15",
        "numbers above 0", "wrong.yaml:8:14", "whole numbers", "wrong.yaml:9:27",
        "'f' is not a path of the space that stands before", "wrong.yaml:11:6",
        "a list of values or a mapping with `range` is expected", "wrong.yaml:12:7",
        "`rungs` is only for halving"}) {
    INFO(part);
    CHECK(contains(text, part));
  }
  CHECK(contains(message_of([] { sweep_of("space: {a: {range: [1, 2]}}"); }),
                 "a grid needs a list of values"));
  CHECK(contains(message_of([] { sweep_of("space: {a: [1, 2], b: {values: [1], when: {a: 3}}}"); }),
                 "when: 3 is not a value of a"));
  write_file_atomic(file,
                    "sweep: s\nrecipe: a/b\nspace: {a: [1]}\n"
                    "objective: {validation: true, mode: max}\n");
  CHECK(contains(message_of([&] { read_sweep(file); }), "validation objective has `mode: min`"));
}
