// Copies of runs in another folder: complete or absent, with or without weights; rejected runs.
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <map>

#include "framework/core/base/files.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/checkpoint/manifest.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/train_nodes.h"
#include "framework/pipeline/store/kept_weights.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/run_copier.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/child_task.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_models(each);
    register_all_inference(each);
    return each;
  }();
  return all;
}

/// A language model of four updates, and its samples at each kept checkpoint.
struct Made {
  Graph graph{"test", "smoke"};

  explicit Made(const std::string& period = "2u") {
    DataBlock block;
    block.source.set = "embedded";
    block.source.train_at_most = 60;
    block.tokenizer = Choice<TokenizerFit>("unigram", parse_yaml_or_throw("vocab: 100"));
    const DataNodes data = add_data(graph, "data", block, {});
    const std::string train =
        "{device: cpu, batch: {size: 8}, stop: 4u, validate_every: 2u, keep: {checkpoints: " +
        period + "}}";
    add_training(graph, registries(),
                 {"model",
                  registries().models.get("rnn_lm").configure(
                      parse_yaml_or_throw("{embedding: 4, decoder: {hidden: 4}}", "test")),
                  read_train_options(parse_yaml_or_throw(train, "test")), data.packs.at("train"),
                  data.packs.at("valid"), ""});
    add_text("text", {"model", "all"}, 1);
  }
  void add_text(const std::string& name, const NodePart& model, int seed) {
    const std::string options = "{count: 4, max_length: 10, seed: " + std::to_string(seed) + "}";
    add_inference_node(
        graph, registries(), name,
        registries().inference.get("samples").configure(parse_yaml_or_throw(options, "test")),
        {{"model", {model}}}, seed);
  }
};

/// The finished runs of Made, computed once; tests copy from it and change only copies.
const fs::path& source() {
  static const TemporaryFolder folder;
  static const GraphStatus status = run_graph(Made().graph, {"text"}, folder.path);
  REQUIRE(status.at("text").state == NodeState::kFinished);
  return folder.path;
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() != kIncomingFolder) runs.push_back(entry.path());
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

fs::path model_in(const fs::path& runs) {
  for (const auto& run : runs_in(runs)) {
    if (run.filename().string().starts_with("test.model.")) return run;
  }
  FAIL("no model");
  return {};
}

std::map<std::string, int> copy_all(const fs::path& from, const fs::path& to,
                                    const RunCopyOptions& options = {}) {
  RunCopier copier(to);
  std::map<std::string, int> outcomes;
  for (const auto& run : runs_in(from)) ++outcomes[enum_name(copier.copy(run, options))];
  return outcomes;
}

/// Checks that nothing is left to compute for the samples.
void check_finished(const fs::path& runs) {
  const Made made;
  const GraphStatus status = graph_status(made.graph, runs);
  for (const auto* node : made.graph.needed_for({"text"})) {
    INFO(node->name);
    CHECK(status.at(node->name).state == NodeState::kFinished);
  }
}

/// Changes a manifest and updates its checksum.
void change_manifest(const fs::path& run, const std::function<void(Json&)>& change) {
  Json manifest = *read_run_manifest(run);
  change(manifest);
  write_file_atomic(run / kRunManifest, seal(manifest));
}

void change_bytes(const fs::path& file, const std::function<void(std::string&)>& change) {
  std::string content = read_file(file);
  change(content);
  write_file_atomic(file, content);
}

}  // namespace

TEST_CASE("run copier: a copy contains everything listed by the manifests", "[store]") {
  const TemporaryFolder to;
  const int count = static_cast<int>(runs_in(source()).size());
  CHECK(copy_all(source(), to.path) == std::map<std::string, int>{{"copied", count}});
  for (const auto& run : runs_in(source())) {
    const fs::path copy = to.path / run.filename();
    CHECK(verify_run(copy).empty());
    CHECK(read_file(copy / kRunManifest) == read_file(run / kRunManifest));
    for (const char* name : {"lock", ".flock", "verified.json", "checkpoints", "timing.jsonl"}) {
      CHECK_FALSE(fs::exists(copy / name));
    }
  }
  // Including weights of the last step, which the run's manifest may not list.
  const auto kept = list_checkpoints(model_in(source()) / kWeightsFolder);
  CHECK(kept.size() >= 2);
  for (const auto& [step, folder] : kept) {
    verify_checkpoint(model_in(to.path) / kWeightsFolder / step_folder_name(step));
  }
  CHECK_FALSE(fs::exists(to.path / kIncomingFolder));
  CHECK(copy_all(source(), to.path) == std::map<std::string, int>{{"present", count}});
  check_finished(to.path);
}

TEST_CASE("run copier: a run without weights is finished, reports it, and can get them later",
          "[store]") {
  const TemporaryFolder to;
  copy_all(source(), to.path, {.weights = false});
  const fs::path model = model_in(to.path);
  CHECK_FALSE(fs::exists(model / kWeightsFolder));
  CHECK(is_without_weights(read_run_manifest(model)->at("metadata")));
  CHECK_FALSE(is_without_weights(read_run_manifest(model_in(source()))->at("metadata")));
  for (const auto& run : runs_in(to.path)) CHECK(verify_run(run).empty());
  CHECK(copy_all(source(), to.path, {.weights = false}) ==
        std::map<std::string, int>{{"present", static_cast<int>(runs_in(source()).size())}});
  // Results need no weights; unfinished nodes report how to get them, and nothing is trained.
  Made made, often("1u");
  made.add_text("more", "model", 2);
  check_finished(to.path);
  const std::string manifest = read_file(model / kRunManifest);
  for (const auto& status :
       {run_graph(made.graph, {"more"}, to.path), run_graph(often.graph, {"text"}, to.path)}) {
    const std::string failed = status.contains("more") ? "more" : "model";
    CHECK(status.at(failed).state == NodeState::kFailed);
    CHECK(contains(status.at(failed).reason, "has no weights: it was exported without them"));
    CHECK(contains(status.at(failed).reason, "lvtext runs import"));
  }
  CHECK(read_file(model / kRunManifest) == manifest);
  CHECK_THROWS_AS(read_weights(FinishedRun(model), 2), MissingError);
  // Weights of a run with another result are not accepted.
  const TemporaryFolder other;
  copy_all(source(), other.path);
  change_manifest(model_in(other.path), [](Json& manifest) {
    manifest["files"]["log.jsonl"]["sha256"] = std::string(64, '0');
  });
  CHECK_THROWS_WITH(RunCopier(to.path).copy(model_in(other.path)),
                    Contains("has different results"));
  CHECK(read_file(model / kRunManifest) == manifest);

  CHECK(copy_all(source(), to.path).at("completed") == 1);
  CHECK(verify_run(model).empty());
  CHECK(read_run_manifest(model)->at("metadata") ==
        read_run_manifest(model_in(source()))->at("metadata"));
  CHECK(list_checkpoints(model / kWeightsFolder).size() ==
        list_checkpoints(model_in(source()) / kWeightsFolder).size());
  CHECK(run_graph(made.graph, {"more"}, to.path).at("more").state == NodeState::kFinished);
}

TEST_CASE("run copier: damaged runs are rejected and leave no files", "[store]") {
  struct Case {
    std::string name;
    std::function<void(const fs::path& run)> change;
    std::string reason;
    bool fails_without_weights = true;
  };
  const std::string weights = weight_files(4).back(), step = fs::path(weights).parent_path();
  const auto listing = [](const std::string& file) {
    return [file](const fs::path& run) {
      change_manifest(
          run, [&](Json& manifest) { manifest["files"][file] = manifest["files"]["node.json"]; });
    };
  };
  const auto field = [](const std::string& key, const Json& value) {
    return [=](const fs::path& run) {
      change_manifest(run, [&](Json& manifest) { manifest[key] = value; });
    };
  };
  const auto change = [](const std::string& file, const std::function<void(std::string&)>& how) {
    return [=](const fs::path& run) { change_bytes(run / file, how); };
  };
  const auto flip = [](std::string& text) { text[text.size() / 2] ^= 1; };
  const auto cut = [](std::string& text) { text.pop_back(); };
  const std::vector<Case> cases = {
      {"a changed bit", change(weights, flip), "'" + weights + "' does not match its SHA-256",
       false},
      {"a file cut off", change("log.jsonl", cut), "bytes, the manifest lists"},
      {"a missing file", [](const fs::path& run) { fs::remove(run / "log.jsonl"); },
       "'log.jsonl' is missing or not a regular file"},
      {"a changed manifest", change(kRunManifest, flip), "the manifest is damaged"},
      {"no manifest", [](const fs::path& run) { fs::remove(run / kRunManifest); },
       "is not finished"},
      {"a newer format", field("schema", "lvtext.run-manifest/2"), "written by a newer lvtext"},
      {"another format", field("schema", "other/1"), "does not have the schema"},
      {"a folder as a file",
       [](const fs::path& run) {
         fs::remove(run / "log.jsonl");
         fs::create_directory(run / "log.jsonl");
       },
       "'log.jsonl' is missing or not a regular file"},
      {"a path out of the run", listing("../x"), "lists '../x'"},
      {"an absolute path", listing("/tmp/x"), "lists '/tmp/x'"},
      {"another identity", field("identity", std::string(64, 'a')),
       "does not end with '-aaaaaaaa'"},
      {"a new name",
       [](const fs::path& run) {
         const std::string name = run.filename().string();
         fs::rename(run, run.parent_path() / (name.substr(0, name.size() - 8) + "00000000"));
       },
       "it was renamed or is a different run"},
      {"damaged weights that only their own manifest lists",
       [&](const fs::path& run) {
         change_manifest(run, [&](Json& manifest) {
           for (const auto& file : weight_files(4)) manifest["files"].erase(file);
         });
         change_bytes(run / weights, flip);
       },
       "model.safetensors", false},
      {"something else beside unlisted weights",
       [&](const fs::path& run) {
         change_manifest(run, [&](Json& manifest) {
           for (const auto& file : weight_files(4)) manifest["files"].erase(file);
         });
         write_file_atomic(run / step / "other", "x");
       },
       "'other' is not in the manifest", false},
  };
  for (const Case& each : cases) {
    INFO(each.name);
    const TemporaryFolder scratch;
    const fs::path from = scratch / "a/from", to = scratch / "to";
    fs::create_directories(from);
    fs::copy(model_in(source()), from / model_in(source()).filename(), fs::copy_options::recursive);
    each.change(from / model_in(source()).filename());
    RunCopier copier(to);
    const fs::path run = model_in(from);
    CHECK_THROWS_WITH(copier.copy(run), Contains(each.reason));
    CHECK(runs_in(to).empty());
    if (!each.fails_without_weights) {
      CHECK(enum_name(copier.copy(run, {.weights = false})) == "copied");
      CHECK(verify_run(model_in(to)).empty());
    }
  }
}

TEST_CASE("run copier: existing files are not changed", "[store]") {
  const fs::path run = model_in(source());
  SECTION("an unfinished folder") {
    const TemporaryFolder to;
    fs::create_directories(to.path / run.filename());
    write_file_atomic(to.path / run.filename() / "x", "x");
    CHECK_THROWS_WITH(RunCopier(to.path).copy(run), Contains("exists and is not finished"));
    CHECK(read_file(to.path / run.filename() / "x") == "x");
  }
  SECTION("a different result, and a damaged one") {
    const TemporaryFolder to;
    copy_all(source(), to.path);
    change_manifest(model_in(to.path),
                    [](Json& manifest) { manifest["identity"] = std::string(64, 'a'); });
    CHECK_THROWS_WITH(RunCopier(to.path).copy(run), Contains("contains another result"));
    change_bytes(model_in(to.path) / kRunManifest, [](std::string& text) { text[9] ^= 1; });
    CHECK_THROWS_WITH(RunCopier(to.path).copy(run), Contains("lvtext runs rm"));
  }
  SECTION("a folder of another name with the same identity") {
    const TemporaryFolder to;
    copy_all(source(), to.path);
    const std::string name = run.filename().string();
    const fs::path renamed = to.path / ("other" + name.substr(name.size() - 9));
    fs::rename(to.path / name, renamed);
    CHECK(enum_name(RunCopier(to.path).copy(run)) == "present");
    CHECK_FALSE(fs::exists(to.path / name));
  }
  SECTION("a folder that another process is copying to") {
    const TemporaryFolder to;
    const RunCopier first(to.path);
    CHECK_THROWS_AS(RunCopier(to.path), Interrupted);
  }
}

TEST_CASE("run copier: a killed process leaves only complete runs", "[store]") {
  if (const std::string task = testing::child_task(); !task.empty()) {
    const size_t colon = task.find(':'), second = task.find(':', colon + 1);
    const rlimit limit = {std::stoull(task), std::stoull(task)};
    std::signal(SIGXFSZ, SIG_DFL);  // ends the process if a file exceeds the size limit
    REQUIRE(::setrlimit(RLIMIT_CORE, std::array<rlimit, 1>{}.data()) == 0);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    copy_all(task.substr(colon + 1, second - colon - 1), task.substr(second + 1));
    return;
  }
  for (const bool completes : {false, true}) {
    for (const uint64_t bytes : {200, 800, 1600, 3200}) {
      INFO((completes ? "completing, " : "copying, ") << bytes << " bytes");
      const TemporaryFolder to;
      if (completes) copy_all(source(), to.path, {.weights = false});
      const size_t before = runs_in(to.path).size();
      const pid_t child = testing::start_child(std::to_string(bytes) + ":" + source().string() +
                                               ":" + to.path.string());
      int killed = 0;
      REQUIRE(::waitpid(child, &killed, 0) == child);
      REQUIRE(WIFSIGNALED(killed));
      CHECK(WTERMSIG(killed) == SIGXFSZ);
      CHECK(fs::exists(to.path / kIncomingFolder));
      CHECK(runs_in(to.path).size() < runs_in(source()).size() + before);
      for (const auto& run : runs_in(to.path)) {
        CHECK(read_run_manifest(run));
        CHECK(verify_run(run).empty());
      }
      const auto outcomes = copy_all(source(), to.path);
      CHECK(outcomes.contains(completes ? "completed" : "copied"));
      CHECK_FALSE(fs::exists(to.path / kIncomingFolder));
      check_finished(to.path);
      CHECK_FALSE(is_without_weights(read_run_manifest(model_in(to.path))->at("metadata")));
      CHECK(verify_run(model_in(to.path)).empty());
    }
  }
}
