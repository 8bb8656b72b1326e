// Runs as their folders describe them, and how they are listed.
#include <algorithm>
#include <fstream>

#include "framework/core/base/clock.h"
#include "framework/core/base/error.h"
#include "framework/core/base/lock.h"
#include "framework/pipeline/runs/listing.h"
#include "framework/pipeline/runs/run_scan.h"
#include "tests/catch.h"
#include "tests/framework/pipeline/runs/store.h"

using namespace lvtext;
using Json = nlohmann::ordered_json;

namespace {

const FoundRun& run_of(const std::vector<FoundRun>& all, const std::string& hash) {
  for (const FoundRun& run : all) {
    if (run.name().ends_with("-" + hash)) return run;
  }
  throw std::logic_error("no run " + hash);
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("scan: the state of a run is read from its folder", "[runs]") {
  const TemporaryFolder runs;
  write_node(runs.path, {"p.a.cpu.s1", "00000001"}, Json::object());
  write_node(runs.path, {"p.b.cpu.s1", "00000002"}, nullptr);
  const auto failed = write_node(runs.path, {"p.c.cpu.s1", "00000003"}, nullptr);
  write(failed / kFailureFile, R"({"schema": "lvtext.failure/1", "reason": "loss is not finite"})");
  const auto running = write_node(runs.path, {"p.d.cpu.s1", "00000004"}, nullptr);
  const FolderLock owned(running);
  const auto damaged = write_node(runs.path, {"p.e.cpu.s1", "00000005"}, Json::object());
  write(damaged / kRunManifest, "{");
  const auto odd = write_node(runs.path, {"p.f.cpu.s1", "00000006"}, nullptr);
  write(odd / kNodeFile, "[]");
  std::filesystem::create_directory(runs / "no run");

  const auto all = find_runs(runs.path);
  REQUIRE(all.size() == 6);
  CHECK(run_of(all, "00000001").state == RunState::kFinished);
  CHECK(run_of(all, "00000002").state == RunState::kInterrupted);
  CHECK(run_of(all, "00000003").state == RunState::kFailed);
  CHECK(run_of(all, "00000003").problem == "loss is not finite");
  CHECK(run_of(all, "00000004").state == RunState::kRunning);
  CHECK(run_of(all, "00000005").state == RunState::kDamaged);
  CHECK(run_of(all, "00000006").state == RunState::kDamaged);
  CHECK(find_runs(runs / "missing").empty());
}

TEST_CASE("scan: options are flat texts", "[runs]") {
  const TemporaryFolder runs;
  const Json options = {{"model", {{"latent", {{"size", 16}}}, {"name", "x"}, {"rate", 0.5}}},
                        {"list", {1, 2}},
                        {"none", nullptr}};
  const auto folder =
      write_node(runs.path, {"p.a.cpu.s1", "00000001", "train", "vae", options}, nullptr);
  const std::map<std::string, std::string> expected = {{"list", "[1,2]"},
                                                       {"model.latent.size", "16"},
                                                       {"model.name", "x"},
                                                       {"model.rate", "0.5"},
                                                       {"none", "unset"}};
  CHECK(read_run(folder).options == expected);
}

TEST_CASE("list: the newest comes last; a training shows the score of its table", "[runs]") {
  const TemporaryFolder runs;
  const Json headline = {
      {"row", "a"},
      {"headline",
       {{"metric", "fluency"}, {"score", "b"}, {"node", "p.a-x-score.cpu.s0-00000009"}}}};
  const Json metadata = {{"selected_step", 20}, {"best_step", 20}, {"best_objective", 3.5}};
  const auto scored = write_node(
      runs.path, {"p.a.cpu.s1", "00000001", "train", "vae", Json::object(), {}, headline},
      metadata);
  const Json of_row = {{"row", "a"}};
  const auto validated = write_node(
      runs.path, {"p.a.cpu.s2", "00000002", "train", "vae", Json::object(), {}, of_row}, metadata);
  const auto begun = write_node(runs.path, {"p.b.cpu.s1", "00000003"}, nullptr);
  write(begun / "log.jsonl",
        "{\"schema\": \"lvtext.log/1\"}\n"
        "{\"step\": 5, \"validation\": {\"objective\": 9.0}}\n"
        "{\"step\": 10, \"validation\": {\"objective\": 8.0}}\n"
        "{\"step\": 15, \"validation\": {\"obj");
  const Json scores = {{"scores", {{{"id", "a"}, {"value", 1.0}}, {{"id", "b"}, {"value", 0.25}}}}};
  const auto score =
      write_node(runs.path, {"p.a-x-score.cpu.s0", "00000009", "score", "bleu"}, scores);
  set_changed(scored, 1000);
  set_changed(score, 4000);
  set_changed(validated, 2000);
  set_changed(begun, 3000);
  // A model that scores a row is newer.
  const auto judge = write_node(runs.path, {"p.a-x-lm.cpu.s0", "0000000a"}, Json::object());
  set_changed(judge, 3500);

  const auto all = find_runs(runs.path);
  const auto listed = list_runs(all);
  REQUIRE(listed.size() == 5);
  CHECK(listed[0].run->folder == scored);
  CHECK(listed[0].run->changed == 1'000'000);
  CHECK(listed[0].score->metric == "fluency");
  CHECK(listed[0].score->value == 0.25);
  CHECK(listed[1].run->folder == validated);
  CHECK(listed[1].score->metric == "validation");
  CHECK(listed[1].score->value == 3.5);
  CHECK(listed[2].run->folder == begun);
  CHECK(listed[2].score->value == 8.0);
  CHECK(listed[3].run->folder == judge);
  CHECK(listed[4].run->folder == score);
  CHECK(listed[4].score->metric == "bleu");
  CHECK(listed[4].score->value == 1.0);
  // Only finished or running ones of rows; the interrupted one and the judge are newer.
  REQUIRE(latest_training(all) != nullptr);
  CHECK(latest_training(all)->folder == validated);
  // A running one is newer, but has no weights before its first checkpoint.
  const auto running = write_node(
      runs.path, {"p.a.cpu.s3", "0000000b", "train", "vae", Json::object(), {}, of_row}, nullptr);
  const FolderLock owned(running);
  const auto now = find_runs(runs.path);
  CHECK(latest_training(now)->folder == running);
  CHECK(latest_training(now, /*usable=*/true)->folder == validated);
  std::filesystem::create_directories(running / "checkpoints/step-00000005");
  CHECK(latest_training(now, /*usable=*/true)->folder == running);
}

TEST_CASE("list: the date of a run is kept inside it and survives a copy", "[runs]") {
  const TemporaryFolder runs;
  const Json dated = {{"finished", "2026-11-23T13:05:00.250Z"}};
  const auto finished =
      write_node(runs.path, {"p.a.cpu.s1", "00000001", "train", "vae", Json::object(), {}, dated},
                 Json::object());
  const auto failed = write_node(runs.path, {"p.b.cpu.s1", "00000002"}, nullptr);
  write(failed / kFailureFile,
        R"({"schema": "lvtext.failure/1", "time": "2026-11-22T00:00:00.000Z", "reason": "x"})");
  const auto begun = write_node(runs.path, {"p.c.cpu.s1", "00000003"}, nullptr);
  write(begun / "timing.jsonl",
        "{\"schema\": \"lvtext.timing/1\", \"time\": \"2026-11-20T00:00:00Z\"}\n"
        "{\"time\": \"2026-11-21T00:00:00Z\"}\n"
        "{\"time\": \"2026-11-2");
  for (const auto& folder : {finished, failed, begun}) set_changed(folder, 1000);  // as by a copy
  CHECK(utc_time(read_run(finished).changed) == "2026-11-23T13:05:00.250Z");
  CHECK(utc_time(read_run(failed).changed) == "2026-11-22T00:00:00.000Z");
  CHECK(utc_time(read_run(begun).changed) == "2026-11-21T00:00:00.000Z");
}

TEST_CASE("list: runs are selected by row, recipe, state, date and data", "[runs]") {
  const TemporaryFolder runs;
  const auto add = [&](const std::string& label, const std::string& hash, const Json& more,
                       const Json& metadata) {
    write_node(runs.path, {label, hash, "train", "vae", Json::object(), {}, more}, metadata);
  };
  add("p.vae.cpu.s1", "00000001",
      {{"recipe", "p/one"},
       {"row", "vae"},
       {"data", {"my.txt", "valid.txt"}},
       {"finished", "2026-11-20T00:00:00Z"}},
      Json::object());
  add("p.vae-samples.cpu.s1", "00000002",
      {{"recipe", "p/one"}, {"finished", "2026-11-21T00:00:00Z"}}, Json::object());
  add("p.vae_2.cpu.s1", "00000003",
      {{"recipe", "p/two"}, {"data", {"embedded"}}, {"finished", "2026-11-22T00:00:00Z"}},
      Json::object());
  add("p.ent=wt2,1.1-samples.cpu.s1", "00000004", {{"recipe", "paper/one"}}, nullptr);
  const auto all = find_runs(runs.path);
  const auto selected = [&](const RunFilter& filter) {
    std::string digits;
    for (const FoundRun& run : all) {
      if (filter.matches(run)) digits += run.name().back();
    }
    std::sort(digits.begin(), digits.end());
    return digits;
  };
  CHECK(selected({}) == "1234");
  CHECK(selected({.row = "vae"}) == "12");
  CHECK(selected({.row = "ent[wt2,1.1]"}) == "4");
  CHECK(selected({.row = "ent"}) == "4");
  CHECK(selected({.row = "en"}).empty());
  CHECK(selected({.recipe = "p"}) == "123");
  CHECK(selected({.recipe = "p/two"}) == "3");
  CHECK(selected({.state = "interrupted"}) == "4");
  CHECK(selected({.data = "valid.txt"}) == "1");
  CHECK(selected({.changed_after = parse_utc_time("2026-11-21T00:00:00Z").value()}) == "234");
  CHECK(selected({.row = "vae", .data = "embedded"}).empty());
}

TEST_CASE("list: the start of a period is a number of units or a day", "[runs]") {
  constexpr int64_t kHour = 3'600'000, kNow = 1000 * kHour;
  CHECK(parse_since("7d", kNow) == kNow - 7 * 24 * kHour);
  CHECK(parse_since("12h", kNow) == kNow - 12 * kHour);
  CHECK(parse_since("30min", kNow) == kNow - kHour / 2);
  CHECK(parse_since("1w", kNow) == kNow - 7 * 24 * kHour);
  CHECK(parse_since("2026-11-23", kNow) == parse_local_date("2026-11-23"));
  for (const char* text : {"", "d", "7", "7days", "-1d", "99999999999d", "2026-11-32"}) {
    CHECK_FALSE(parse_since(text, kNow));
  }
}

TEST_CASE("list: where another step than the best is selected, its validation counts", "[runs]") {
  const TemporaryFolder runs;
  const Json metadata = {{"selected_step", 10}, {"best_step", 5}, {"best_objective", 1.0}};
  const auto folder = write_node(runs.path, {"p.a.cpu.s1", "00000001"}, metadata);
  write(folder / "log.jsonl",
        "{\"step\": 5, \"validation\": {\"objective\": 1.0}}\n"
        "{\"step\": 10, \"validation\": {\"objective\": 2.0}}\n");
  CHECK(read_run(folder).objective == 2.0);
}
