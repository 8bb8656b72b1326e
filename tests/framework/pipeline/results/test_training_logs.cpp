#include "framework/pipeline/results/training_logs.h"

#include "tests/catch.h"

namespace lvtext {
namespace {

using Json = nlohmann::json;

TrainingLog log_of(const std::string& label, const std::string& term, const std::string& unit,
                   const std::vector<double>& values) {
  TrainingLog log{label, 1, true, "cpu", "fp32", {}, {{term, unit}}};
  log.row = label;
  log.steps = 10 * std::ssize(values);
  for (size_t i = 0; i < values.size(); ++i) {
    const double step = 10.0 * static_cast<double>(i + 1);
    log.lines.push_back({{"step", step}, {"train", {{term, values[i]}, {"m/gradient_norm", 1.0}}}});
    log.lines.push_back(
        {{"step", step},
         {"validation", {{"objective", values[i]}, {"terms", {{term, values[i]}}}}}});
  }
  return log;
}

TEST_CASE("curves: values per sentence and per token have separate axes", "[results]") {
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

TEST_CASE("curves: values across several decades have a labeled logarithmic axis", "[results]") {
  auto plots = curves_of({log_of("VAE", "vae/kl", "per sentence", {20, 0.5, 1e-3})});
  REQUIRE(plots.size() == 2);
  CHECK(plots[1].log_y);
  CHECK(plots[1].y_label == "kl per sentence (logarithmic)");
  // A logarithmic axis cannot contain values that are not positive.
  plots = curves_of({log_of("VAE", "vae/kl", "per sentence", {20, 1e-3, 0})});
  CHECK_FALSE(plots[1].log_y);
}

TEST_CASE("curves: only a row's first seed is drawn, training health has all seeds", "[results]") {
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
  CHECK(health.rows[0] == std::vector<std::string>{"AE", "1", "20", "0", "ae/rec 31.000", ""});
  CHECK(health.rows[1] ==
        std::vector<std::string>{"AE", "2", "20", "0", "ae/rec 12.500", "too loud"});
}

TEST_CASE("curves: a row has the same color in all charts", "[results]") {
  TrainingLog ae = log_of("AE", "ae/rec", "per sentence", {40, 30});
  TrainingLog vae = log_of("VAE", "vae/kl", "per sentence", {3, 2});
  vae.color = 1;
  const auto plots = curves_of({ae, vae});
  REQUIRE(plots.size() == 3);
  REQUIRE(plots[0].series.size() == 2);
  CHECK(plots[0].series[1].color == 1);
  CHECK(plots[1].title == "Training: kl, per sentence");
  CHECK(plots[1].series[0].color == 1);
  CHECK(plots[2].series[0].color == 0);
}

TEST_CASE("warnings: skipped steps and undefined validations of a diverged training", "[results]") {
  TrainingLog log = log_of("VAE", "vae/kl", "per sentence", {3, 2});
  CHECK(row_warning({log}, "VAE").empty());
  log.skipped = 19;
  log.undefined_validations = 1;
  log.lines[1]["validation"]["objective"] = "nan";
  log.lines[2]["train"]["vae/kl"] = "nan";
  CHECK(row_warning({log}, "VAE") ==
        "seed 1: 19 of 20 steps were skipped, 1 of 2 validations are undefined");
  CHECK(row_warning({log}, "AE").empty());
  const auto warnings = training_warnings({log}, /*lengths=*/false);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        "VAE, seed 1: 19 of 20 steps were skipped, 1 of 2 validations are undefined, because a "
        "loss or gradient was not finite: the training diverged");
  CHECK(health_of({log}).rows[0] ==
        std::vector<std::string>{"VAE", "1", "20", "19", "vae/kl nan", ""});
}

TEST_CASE("warnings: a training that ended while its validation was still falling", "[results]") {
  TrainingLog falling = log_of("VAE", "vae/rec", "per sentence", {40, 30, 27});
  falling.stop = *StopRule::parse("5e");
  falling.stopped_at_length = true;
  TrainingLog flat = falling;
  flat.label = "AE";
  flat.lines.back()["validation"]["objective"] = 29.9;
  auto warnings = training_warnings({falling, flat}, true);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] ==
        "after 30 updates, validation was still falling (VAE by 10 % since the "
        "validation before): raise train.stop, now 5e");
  CHECK(training_warnings({falling}, false).empty());
  falling.stopped_at_length = false;  // by patience
  CHECK(training_warnings({falling}, true).empty());
  TrainingLog once = log_of("LM", "lm/nll", "per token", {4});
  once.stop = *StopRule::parse("10u");
  once.stopped_at_length = true;
  warnings = training_warnings({once}, true);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].starts_with("10 updates with one validation (LM)"));
}

TEST_CASE("header: lengths of trainings, and whether a condition ended them before", "[results]") {
  const auto stopped = [](const std::string& row, const char* stop, bool at_length) {
    TrainingLog log = log_of(row, "m/rec", "per sentence", {4});
    log.stop = *StopRule::parse(stop);
    log.stopped_at_length = at_length;
    return log;
  };
  CHECK(trained_for({stopped("AE", "5e", true), stopped("VAE", "5e", true),
                     stopped("GAN", "20u", true)}) == "20 updates; 5 epochs");
  CHECK(trained_for({stopped("AE", "5e,60s", false), stopped("VAE", "7e", true)}) ==
        "7 epochs; at most 5 epochs or 60 seconds");
  // One of two trainings of a row reached the end.
  CHECK(trained_for({stopped("AE", "5e", true), stopped("AE", "5e", false)}) == "at most 5 epochs");
}

}  // namespace
}  // namespace lvtext
