#include "framework/pipeline/graph/executor.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/tensor/device.h"
#include "framework/pipeline/graph/estimate.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// Observations of the fake workers of a test.
struct Watch {
  int running = 0;
  int most_at_once = 0;
  std::vector<std::string> order;
  std::map<std::string, int> busy_first;  ///< node -> times that it is owned by someone else
};

/// Finishes each job at the sixth poll, so that several run at once.
class SlowSlot : public Worker {
 public:
  explicit SlowSlot(Watch& watch) : watch_(watch) {}
  void start(const NodeJob& job, Progress progress) override {
    REQUIRE(!job_.node);
    job_ = job;
    polls_ = 0;
    progress_ = std::move(progress);
    watch_.order.push_back(job.node->name);
    watch_.most_at_once = std::max(watch_.most_at_once, ++watch_.running);
  }
  std::optional<NodeOutcome> poll() override {
    if (!job_.node || ++polls_ < 6) return std::nullopt;
    --watch_.running;
    const NodeJob job = std::exchange(job_, {});
    if (watch_.busy_first[job.node->name]-- > 0) {
      NodeOutcome busy;
      busy.end = NodeOutcome::End::kBusy;
      busy.reason = "process 7 on host h owns it";
      return busy;
    }
    return run_node(job, progress_);
  }
  void stop(int) override {}

 private:
  Watch& watch_;
  NodeJob job_;
  Progress progress_;
  int polls_ = 0;
};

GraphNode nothing(const std::string& name, std::map<std::string, std::string> inputs = {}) {
  GraphNode node;
  node.name = name;
  node.component = "nothing";
  node.options = {{"name", name}};
  node.inputs = std::move(inputs);
  node.run = [](NodeRun&) {};
  return node;
}

ExecutorOptions slow_slots(Watch& watch, int count) {
  ExecutorOptions options;
  for (int i = 0; i < count; ++i) options.workers.push_back(std::make_unique<SlowSlot>(watch));
  return options;
}

}  // namespace

TEST_CASE("executor: with n workers up to n nodes run at once, inputs first", "[graph]") {
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  graph.add(nothing("a"));
  graph.add(nothing("b"));
  graph.add(nothing("c"));
  graph.add(nothing("sum", {{"a", "a"}, {"b", "b"}, {"c", "c"}}));
  const int workers = GENERATE(1, 2, 3, 5);
  Watch watch;
  const auto status = run_graph(graph, {"sum"}, scratch.path, slow_slots(watch, workers));
  CHECK(watch.most_at_once == std::min(workers, 3));
  CHECK(watch.order.size() == 4);
  CHECK(watch.order.back() == "sum");
  for (const auto& [name, entry] : status) CHECK(entry.state == NodeState::kFinished);
}

TEST_CASE("executor: a node locked by another process is waited for, or rejected at the end",
          "[graph]") {
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  graph.add(nothing("a"));
  graph.add(nothing("b"));
  Watch watch;
  watch.busy_first["a"] = 1;
  SECTION("waited for") {
    const auto status = run_graph(graph, {"a", "b"}, scratch.path, slow_slots(watch, 1));
    CHECK(watch.order == std::vector<std::string>{"a", "b", "a"});
    CHECK(status.at("a").state == NodeState::kFinished);
  }
  SECTION("rejected") {
    ExecutorOptions options = slow_slots(watch, 1);
    options.if_busy = IfBusy::kRefuse;
    CHECK_THROWS_WITH(run_graph(graph, {"a", "b"}, scratch.path, std::move(options)),
                      "process 7 on host h owns it");
    CHECK(watch.order == std::vector<std::string>{"a", "b"});
    CHECK(graph_status(graph, scratch.path).at("b").state == NodeState::kFinished);
  }
}

TEST_CASE(
    "executor: an input that another process computes is waited for, also if a wanted node "
    "would be rejected",
    "[graph]") {
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  graph.add(nothing("data"));
  graph.add(nothing("training", {{"train", "data"}}));
  Watch watch;
  watch.busy_first["data"] = 1;
  ExecutorOptions options = slow_slots(watch, 1);
  options.if_busy = IfBusy::kRefuse;
  const auto status = run_graph(graph, {"training"}, scratch.path, std::move(options));
  CHECK(watch.order == std::vector<std::string>{"data", "data", "training"});
  CHECK(status.at("training").state == NodeState::kFinished);
}

TEST_CASE("executor: a folder that is a link to itself fails its node only", "[graph]") {
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  graph.add(nothing("a"));
  graph.add(nothing("b"));
  const auto folder = RunsFolder(scratch.path).folder_of(graph.at("a"));
  std::filesystem::create_symlink(folder.filename(), folder);
  Watch watch;
  const auto status = run_graph(graph, {"a", "b"}, scratch.path, slow_slots(watch, 1));
  CHECK(status.at("a").state == NodeState::kFailed);
  CHECK(status.at("a").reason.find(folder.string()) != std::string::npos);
  CHECK(status.at("b").state == NodeState::kFinished);
}

TEST_CASE("executor: a node whose worker alone was stopped has failed", "[graph]") {
  struct StoppedSlot : Worker {
    void start(const NodeJob&, Progress) override {}
    std::optional<NodeOutcome> poll() override {
      NodeOutcome stopped;
      stopped.end = NodeOutcome::End::kStopped;
      stopped.reason = "stopped by SIGTERM";
      return stopped;
    }
    void stop(int) override {}
  };
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  graph.add(nothing("a"));
  graph.add(nothing("b", {{"in", "a"}}));
  ExecutorOptions options;
  options.workers.push_back(std::make_unique<StoppedSlot>());
  const auto status = run_graph(graph, {"b"}, scratch.path, std::move(options));
  CHECK(status.at("a").state == NodeState::kFailed);
  CHECK(status.at("a").reason == "stopped by SIGTERM");
  CHECK(status.at("b").state == NodeState::kBlocked);
}

TEST_CASE("executor: nodes that depend on a skipped node are skipped, and none has failed",
          "[graph]") {
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  GraphNode source = nothing("source");
  bool is_there = false;
  source.run = [&is_there](NodeRun&) {
    if (!is_there) throw NodeSkipped("not run: data missing", "no mirror has it");
  };
  graph.add(source);
  graph.add(nothing("pack", {{"source", "source"}}));
  graph.add(nothing("train", {{"pack", "pack"}}));
  graph.add(nothing("beside"));
  auto status = run_graph(graph, {"train", "beside"}, scratch.path);
  for (const char* name : {"source", "pack", "train"}) {
    CHECK(status.at(name).state == NodeState::kSkipped);
    CHECK(status.at(name).reason == "not run: data missing");
    CHECK(failure_of(status, name) == "not run: data missing");
  }
  CHECK(status.at("beside").state == NodeState::kFinished);
  is_there = true;  // the next command tries again
  status = run_graph(graph, {"train"}, scratch.path);
  CHECK(status.at("train").state == NodeState::kFinished);
}

TEST_CASE("runs folder: one listing finds nodes by hash and finished runs by stem", "[graph]") {
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  GraphNode shorter = nothing("shorter");
  shorter.stem_options = {{"name", "stem"}};
  GraphNode longer = nothing("longer");
  longer.stem_options = {{"name", "stem"}};
  graph.add(shorter);
  graph.add(longer);
  graph.add(nothing("other"));
  const auto status = run_graph(graph, {"shorter", "other"}, scratch.path);
  const auto folder = status.at("shorter").folder;
  const auto renamed =
      scratch.path / ("named-otherwise-" + graph.at("other").identity.substr(0, 8));
  std::filesystem::rename(status.at("other").folder, renamed);
  write_file_synced(scratch.path / "a-12345678", "no folder");

  RunsFolder runs(scratch.path);
  CHECK(runs.folder_of(graph.at("shorter")) == folder);
  CHECK(runs.folder_of(graph.at("other")) == renamed);
  CHECK(runs.folder_of(graph.at("longer")).parent_path() == scratch.path);
  CHECK_FALSE(std::filesystem::exists(runs.folder_of(graph.at("longer"))));
  const std::string stem = graph.at("longer").stem;
  CHECK(runs.of_stem(stem) == std::vector{folder});
  CHECK(runs.of_stem("").empty());
  runs.add_finished(graph.at("longer"), scratch.path / "longer-00000000");
  CHECK(runs.of_stem(stem).size() == 2);
  CHECK(RunsFolder(scratch.path / "nowhere").of_stem(stem).empty());
  write_file_synced(folder / "manifest.json", "damaged");
  CHECK(RunsFolder(scratch.path).of_stem(stem).empty());
}

TEST_CASE("executor: a damaged output fails its node once and blocks nodes that still need it",
          "[graph]") {
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  GraphNode writer = nothing("writer");
  writer.run = [](NodeRun& run) {
    write_file_synced(run.folder.path() / "out.txt", "text");
    run.outputs = {"out.txt"};
  };
  graph.add(writer);
  int readings = 0;
  for (const char* name : {"first", "second"}) {
    GraphNode reader = nothing(name, {{"in", "writer"}});
    reader.run = [&readings](NodeRun& run) {
      ++readings;
      FinishedRun(run.input("in")).read("out.txt");
    };
    graph.add(reader);
  }
  graph.add(nothing("beside"));
  const auto before = run_graph(graph, {"writer"}, scratch.path);
  const std::filesystem::path file = before.at("writer").folder / "out.txt";
  write_file_synced(file, "test");
  const auto status = run_graph(graph, {"first", "second", "beside"}, scratch.path);
  CHECK(readings == 1);
  CHECK(status.at("writer").state == NodeState::kFailed);
  CHECK(status.at("writer").reason.find("'out.txt' does not match") != std::string::npos);
  CHECK(status.at("writer").reason.find("lvtext runs rm") != std::string::npos);
  for (const char* name : {"first", "second"}) {
    CHECK(status.at(name).state == NodeState::kBlocked);
    CHECK(status.at(name).reason == "needs 'writer', which failed");
  }
  CHECK(status.at("beside").state == NodeState::kFinished);
  write_file_synced(file, "text");
  const auto after = run_graph(graph, {"first", "second"}, scratch.path);
  CHECK(after.at("second").state == NodeState::kFinished);
}

TEST_CASE("measures: the best recent one is used, scaled by units", "[graph]") {
  const TemporaryFolder scratch;
  GraphNode node = nothing("a");
  GraphNode other = nothing("b");
  {
    Measures measures(scratch.path / "deep" / "measures.jsonl");
    CHECK_FALSE(measures.find(node));
    measures.add(node, {1, 100, 5e6, 7, true});  // too old
    measures.add(node, {10, 100, 5e6, 7, true});
    for (int i = 0; i < 4; ++i) measures.add(node, {600, 100, 5e6, 7, true});  // a busy machine
    measures.add(other, {2, 50, 1e6, 3, false});
  }
  const auto file = scratch.path / "deep" / "measures.jsonl";
  write_file_atomic(file, read_file(file) + "{\"key\": \n");
  const Measures measures(file);
  CHECK(measures.find(node)->seconds == 10);
  CHECK(measures.expect(node, {})->high == 10);
  CHECK(measures.expect(node, {})->low == 10);
  // The cost of a node that counts its work depends on the count, not on the run length.
  node.units = other.units = [](const NodeInputs&) { return 250.0; };
  CHECK(measures.expect(node, {.units = 250})->high == 25);
  CHECK(measures.expect(other, {.units = 500})->high == 20);
  node.options["name"] = "another";
  CHECK_FALSE(measures.find(node));
}

TEST_CASE("measures: of many lines the newest of each node are kept", "[graph]") {
  const TemporaryFolder scratch;
  const auto file = scratch / "measures.jsonl";
  const GraphNode node = nothing("a"), other = nothing("b");
  {
    Measures measures(file);
    measures.add(other, {.seconds = 3, .whole = true});
    measures.add(node, {.seconds = 1, .whole = true});
  }
  std::string lines = read_file(file);
  const std::string last = lines.substr(lines.find('\n') + 1);
  for (int i = 0; i < 5000; ++i) lines += last;
  write_file_atomic(file, lines);
  const auto count = [&] {
    const std::string text = read_file(file);
    return std::count(text.begin(), text.end(), '\n');
  };
  REQUIRE(count() == 5002);
  CHECK(Measures(file).find(other)->seconds == 3);
  CHECK(count() == 1 + Measures::kRecent);
  CHECK(read_file(file).find("{\"schema\":") == 0);
  CHECK(Measures(file).find(node)->seconds == 1);
  CHECK(std::distance(std::filesystem::directory_iterator(scratch.path), {}) == 1);
}

TEST_CASE("measures: the time on an idle machine is between CPU time per thread and CPU time",
          "[graph]") {
  const TemporaryFolder scratch;
  Measures measures(scratch / "measures.jsonl");
  const GraphNode node = nothing("a");
  const double threads = cpu_threads();
  measures.add(node, {.seconds = 4440, .whole = true, .cpu = 260});
  CHECK(measures.expect(node, {})->high == 260);
  CHECK(measures.expect(node, {})->low == Approx(260 / threads));
  measures.add(node, {.seconds = 130, .whole = true, .cpu = 250});
  CHECK(measures.expect(node, {})->high == 130);
  CHECK(measures.expect(node, {})->low == Approx(std::min(130.0, 250 / threads)));
}

TEST_CASE("measures: a node without measurements is estimated from similar ones", "[graph]") {
  const TemporaryFolder scratch;
  Measures measures(scratch / "measures.jsonl");
  GraphNode node = nothing("a");
  node.units = [](const NodeInputs&) { return 0.0; };
  CHECK_FALSE(measures.expect(node, {.units = 100}));
  // The time of a finished node without units predicts no node whose units are not known yet.
  measures.add(nothing("short"), {.seconds = 1, .units = 0, .whole = true});
  CHECK_FALSE(measures.expect(node, {}));
  GraphNode same = nothing("same");
  same.component = node.component;
  measures.add(same, {.seconds = 10, .units = 50, .whole = true, .size = 1000});
  // Twice the work with a model of three times the size, within a factor of 2.
  const auto cost = measures.expect(node, {.units = 100, .size = 3000});
  REQUIRE(cost);
  CHECK(cost->estimated);
  CHECK(cost->low == Approx(30));
  CHECK(cost->high == Approx(120));
  // A model of a hundredth of the size does not predict it, although it is slow for its size.
  GraphNode tiny = nothing("tiny");
  tiny.component = node.component;
  measures.add(tiny, {.seconds = 8, .units = 50, .whole = true, .size = 10});
  CHECK(measures.expect(node, {.units = 100, .size = 3000})->high == Approx(120));
  // Nor does one of unknown size.
  GraphNode unknown = nothing("unknown");
  unknown.component = node.component;
  measures.add(unknown, {.seconds = 8, .units = 50, .whole = true});
  CHECK(measures.expect(node, {.units = 100, .size = 3000})->low == Approx(30));
  // Of another component, within a factor of 4.
  node.component = "unknown";
  CHECK(measures.expect(node, {.units = 100, .size = 3000})->high == Approx(240));
  node.kind = NodeKind::kScore;
  CHECK_FALSE(measures.expect(node, {.units = 100}));
}

TEST_CASE("estimate: work is counted on the data of the training that a text comes from",
          "[graph]") {
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  GraphNode pack = nothing("pack");
  pack.kind = NodeKind::kPack;
  graph.add(pack);
  GraphNode training = nothing("training");
  training.inputs = {{"train", "pack"}};
  training.units = [](const NodeInputs& inputs) {
    return inputs.contains("train") ? std::optional(1000.0) : std::nullopt;
  };
  graph.add(training);
  GraphNode samples = nothing("samples");
  samples.inputs = {{"model", "training"}};
  graph.add(samples);
  training.name = "of_samples";
  training.options["name"] = training.name;
  training.inputs = {{"train", "samples"}};
  NodeInputs counted;  // the data on which the work of "of_samples" was counted
  training.units_before = [&counted](const NodeInputs& packs) {
    counted = packs;
    return 500.0;
  };
  graph.add(training);
  // A critic: its data are known, what it compares them with is not.
  training.name = "critic";
  training.options["name"] = training.name;
  training.inputs = {{"generated", "samples"}, {"train", "pack"}};
  training.units_before = nullptr;
  graph.add(training);
  Measures measures(scratch.path / "measures.jsonl");
  for (const char* name : {"training", "of_samples", "critic"}) {
    measures.add(graph.at(name), {1, 10, 5e6, 4096, true});  // of shorter runs
  }
  const auto nodes = graph.needed_for({"of_samples", "critic"});
  auto status = graph_status(graph, scratch / "runs");
  estimate(nodes, status, measures);
  CHECK(counted.empty());
  status.at("pack").state = NodeState::kFinished;
  const Estimate cost = estimate(nodes, status, measures);
  CHECK(counted == NodeInputs{{"train", status.at("pack").folder}});
  CHECK(cost.nodes.at("training").high == 100);
  CHECK(cost.nodes.at("of_samples").high == 50);
  CHECK(cost.nodes.at("critic").high == 100);
  // The samples are estimated from the trainings, which have the same kind here.
  CHECK(cost.estimated == 1);
  CHECK(cost.unmeasured.empty());
  CHECK_THAT(estimate_text(cost, 1), Contains("; 1 node estimated from similar ones"));
  Estimate gap = cost;
  gap.unmeasured = {"a", "b"};
  CHECK(estimate_text(gap, 1).starts_with("at least "));
  CHECK(estimate_text(gap, 1).ends_with("; 2 nodes not measured"));
  CHECK(time_text(60, 62, false) == "about 1m02s");
  CHECK(time_text(60, 120, true) == "1m00s to 2m00s (estimated)");

  Estimate whole;
  whole.nodes["a"] = {60, 60, 1e6, 4096};
  whole.low = whole.high = 60;
  whole.disk = 4096;
  CHECK(estimate_text(whole, 1).starts_with("about "));
  CHECK(disk_warning(whole, 4096, "runs").empty());
  CHECK(disk_warning(whole, std::nullopt, "runs").empty());
  CHECK(disk_warning(whole, 1024, "runs") ==
        "not enough disk: about 4.0 KiB needed, 1.0 KiB free for 'runs'; free some space, or "
        "specify another folder with --out");
}

TEST_CASE("executor: the cost of each finished node is stored", "[graph]") {
  const TemporaryFolder scratch;
  Graph graph("p", "smoke");
  GraphNode node = nothing("a");
  node.units = [](const NodeInputs&) { return 12.0; };
  graph.add(node);
  Measures measures(scratch.path / "measures.jsonl");
  ExecutorOptions options;
  options.measures = &measures;
  run_graph(graph, {"a"}, scratch.path, std::move(options));
  const auto kept = measures.find(graph.at("a"));
  REQUIRE(kept);
  CHECK(kept->whole);
  CHECK(kept->units == 12);
  CHECK(kept->disk > 0);
  CHECK(kept->memory > 1e6);
}
