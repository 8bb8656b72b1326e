// Runs as their folders describe them, and how they are listed.
#include <fstream>

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
      {"headline",
       {{"metric", "fluency"}, {"score", "b"}, {"node", "p.a-x-score.cpu.s0-00000009"}}}};
  const Json metadata = {{"selected_step", 20}, {"best_step", 20}, {"best_objective", 3.5}};
  const auto scored = write_node(
      runs.path, {"p.a.cpu.s1", "00000001", "train", "vae", Json::object(), {}, headline},
      metadata);
  const auto validated = write_node(runs.path, {"p.a.cpu.s2", "00000002"}, metadata);
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

  const auto all = find_runs(runs.path);
  const auto listed = list_runs(all);
  REQUIRE(listed.size() == 4);
  CHECK(listed[0].run->folder == scored);
  CHECK(listed[0].run->changed == 1000);
  CHECK(listed[0].score->metric == "fluency");
  CHECK(listed[0].score->value == 0.25);
  CHECK(listed[1].run->folder == validated);
  CHECK(listed[1].score->metric == "validation");
  CHECK(listed[1].score->value == 3.5);
  CHECK(listed[2].run->folder == begun);
  CHECK(listed[2].score->value == 8.0);
  CHECK(listed[3].run->folder == score);
  CHECK(listed[3].score->metric == "bleu");
  CHECK(listed[3].score->value == 1.0);
  // Finished or running ones alone; the interrupted one is newer.
  REQUIRE(latest_training(all) != nullptr);
  CHECK(latest_training(all)->folder == validated);
  CHECK(utc_time(1000) == "1970-01-01T00:16:40Z");
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
