#include "framework/pipeline/experiment/training_logs.h"

#include "tests/catch.h"

namespace lvtext {
namespace {

using Json = nlohmann::json;

TrainingLog log_of(const std::string& label, const std::string& term, const std::string& unit,
                   const std::vector<double>& values) {
  TrainingLog log{label, 1, true, "cpu", "fp32", {}, {{term, unit}}};
  for (size_t i = 0; i < values.size(); ++i) {
    const double step = 10.0 * static_cast<double>(i + 1);
    log.lines.push_back({{"step", step}, {"train", {{term, values[i]}, {"m/gradient_norm", 1.0}}}});
    log.lines.push_back(
        {{"step", step},
         {"validation", {{"objective", values[i]}, {"terms", {{term, values[i]}}}}}});
  }
  return log;
}

TEST_CASE("curves: values per sentence and per token have separate axes", "[experiment]") {
  const auto plots = curves_of({log_of("AE", "ae/rec", "per sentence", {40, 30}),
                                log_of("ARAE", "arae/rec", "per token", {5, 4})});
  REQUIRE(plots.size() == 4);
  CHECK(plots[0].title == "Validation objective, per sentence");
  CHECK(plots[0].y_label == "objective per sentence");
  REQUIRE(plots[0].series.size() == 1);
  CHECK(plots[0].series[0].label == "AE");
  CHECK(plots[0].series[0].x == std::vector<double>{10, 20});
  CHECK(plots[1].title == "Validation objective, per token");
  CHECK(plots[1].series[0].label == "ARAE");
  CHECK(plots[2].title == "Training: rec, per sentence");
  CHECK(plots[3].title == "Training: rec, per token");
  for (const Plot& plot : plots) CHECK_FALSE(plot.log_y);
}

TEST_CASE("curves: values across several decades have a labeled logarithmic axis", "[experiment]") {
  auto plots = curves_of({log_of("VAE", "vae/kl", "per sentence", {20, 0.5, 1e-3})});
  REQUIRE(plots.size() == 2);
  CHECK(plots[1].log_y);
  CHECK(plots[1].y_label == "kl per sentence (logarithmic)");
  // A logarithmic axis cannot contain values that are not positive.
  plots = curves_of({log_of("VAE", "vae/kl", "per sentence", {20, 1e-3, 0})});
  CHECK_FALSE(plots[1].log_y);
}

TEST_CASE("curves: only a row's first seed is drawn, training health has all seeds",
          "[experiment]") {
  TrainingLog second = log_of("AE", "ae/rec", "per sentence", {40, 30});
  second.seed = 2;
  second.stands_for_row = false;
  second.lines.push_back({{"step", 30.0},
                          {"train", {{"ae/rec", 12.5}}},
                          {"warnings", {{{"id", "x"}, {"text", "too loud"}}}}});
  const std::vector<TrainingLog> logs = {log_of("AE", "ae/rec", "per sentence", {41, 31}), second};
  CHECK(curves_of(logs)[0].series.size() == 1);
  const TextTable health = health_of(logs);
  REQUIRE(health.rows.size() == 2);
  CHECK(health.rows[0] == std::vector<std::string>{"AE", "1", "ae/rec 31.000", ""});
  CHECK(health.rows[1] == std::vector<std::string>{"AE", "2", "ae/rec 12.500", "too loud"});
}

}  // namespace
}  // namespace lvtext
