// Kept checkpoints as parts of nodes: read separately, scored, chosen, added later, interrupted.
#include <sys/wait.h>

#include <csignal>
#include <functional>
#include <set>

#include "evaluators/evaluator.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/selection_nodes.h"
#include "framework/pipeline/nodes/train_nodes.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/kept_weights.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/score_file.h"
#include "framework/pipeline/store/selection_file.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/child_task.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

/// The checkpoints at which StepNumber ran, and a callback before it runs.
std::vector<int64_t> computed;
std::function<void(int64_t)> before_work = [](int64_t) {};

/// Step number stored in a model's weights.
class StepNumber : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kTensors;
  explicit StepNumber(const NoOptions&) {}
  std::vector<InputDecl> inputs() const override {
    return {{.name = "model", .type = ArtifactType::kModel}};
  }
  Inferred run(const Inputs& inputs, const Notify&) const override {
    const int64_t step = inputs.model("model").step;
    before_work(step);
    computed.push_back(step);
    return {.tensors = {{"step", at::tensor(step)}}, .metadata = {{"step", step}}};
  }
};

/// A tenth of the step, and the tokens of a text.
class StepScore : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit StepScore(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"tenth", ""}, {"tokens", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "step", .type = ArtifactType::kTensors}, {.name = "text"}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    int64_t tokens = 0;
    for (const auto& sentence : inputs.text("text").ids()) {
      tokens += static_cast<int64_t>(sentence.size());
    }
    const auto step = inputs.tensors("step").at("step").item<int64_t>();
    return {{.id = "tenth", .value = static_cast<double>(step) / 10},
            {.id = "tokens", .value = static_cast<double>(tokens)}};
  }
};

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_models(each);
    register_all_inference(each);
    add_inference<StepNumber, NoOptions>(each, "step_number", "the step of the weights", {});
    add_evaluator<StepScore, NoOptions>(each, "step_score", "the step as a score", {});
    return each;
  }();
  return all;
}

/// A language model of six updates, and nodes computed at each of its kept checkpoints: nodes
/// "model", "text", "step" and "score".
struct Made {
  Graph graph{"test", "smoke"};
  std::string test;

  explicit Made(const std::string& keep) {
    DataBlock block;
    block.source.set = "embedded";
    block.source.train_at_most = 100;
    block.tokenizer = Choice<TokenizerFit>("unigram", parse_yaml_or_throw("vocab: 200"));
    const DataNodes data = add_data(graph, "data", block, {});
    test = data.packs.at("test");
    const std::string train =
        "{device: cpu, batch: {size: 8}, stop: 6u, validate_every: 3u, keep: {" + keep + "}}";
    add_training(graph, registries(),
                 {"model",
                  registries().models.get("rnn_lm").configure(
                      parse_yaml_or_throw("{embedding: 4, decoder: {hidden: 4}}", "test")),
                  read_train_options(parse_yaml_or_throw(train, "test")), data.packs.at("train"),
                  data.packs.at("valid"), ""});
    if (keep.empty()) return;
    add_text("text", {"model", "all"});
    add_step("step", {"model", "all"});
    add_score("score", {"step", "all"}, {"text", "all"});
  }
  std::string add_text(const std::string& name, const NodePart& model) {
    return add_inference_node(graph, registries(), name,
                              registries().inference.get("samples").configure(parse_yaml_or_throw(
                                  "{count: 4, max_length: 10, seed: 1}", "test")),
                              {{"model", {model}}}, 1);
  }
  std::string add_step(const std::string& name, const NodePart& model) {
    return add_inference_node(graph, registries(), name,
                              registries().inference.get("step_number").configure(),
                              {{"model", {model}}}, 1);
  }
  std::string add_score(const std::string& name, const NodePart& step, const NodePart& text) {
    return add_evaluation(graph, registries(), name,
                          registries().evaluators.get("step_score").configure(),
                          {{"step", {step}}, {"text", {text}}});
  }
  /// Runs nodes, which must all be finished afterwards.
  GraphStatus run(const std::vector<std::string>& names, const std::filesystem::path& runs) const {
    GraphStatus status = run_graph(graph, names, runs);
    for (const auto& name : names) {
      INFO(name << ": " << status.at(name).reason);
      REQUIRE(status.at(name).state == NodeState::kFinished);
    }
    return status;
  }
};

int64_t step_in(const std::filesystem::path& folder) {
  return read_tensors(folder).at("step").item<int64_t>();
}

void flip_a_bit(const std::filesystem::path& file) {
  std::string content = read_file(file);
  content.back() ^= 1;
  write_file_atomic(file, content);
}

SelectionRule nearest_to(double target, std::optional<double> within = {},
                         Ties ties = Ties::kEarlier) {
  return {.by = SelectionRule::By::kNearest, .target = target, .within = within, .ties = ties};
}

}  // namespace

TEST_CASE("parts: a model is read at the last, the best and a numbered checkpoint", "[nodes]") {
  const TemporaryFolder runs;
  Made made("checkpoints: 2u");
  const std::vector<std::string> parts = {"last", "best", "step:4", "step:5"};
  std::set<std::string> identities = {made.graph.at("step").identity};
  for (const auto& part : parts) {
    made.add_step(part, {"model", part});
    identities.insert(made.graph.at(part).identity);
  }
  made.add_step("whole", "model");
  identities.insert(made.graph.at("whole").identity);
  CHECK(identities.size() == 6);  // the part that is read is in the identity
  const auto status = made.run({"last", "best", "step:4", "whole"}, runs.path);
  const auto metadata = read_run_manifest(status.at("model").folder)->at("metadata");
  CHECK(step_in(status.at("last").folder) == 6);
  CHECK(step_in(status.at("best").folder) == metadata.at("best_step"));
  CHECK(step_in(status.at("whole").folder) == metadata.at("selected_step"));
  CHECK(step_in(status.at("step:4").folder) == 4);
  CHECK(read_run_manifest(status.at("step:4").folder)->at("parts").at("model") == "step:4");
  const auto failed = run_graph(made.graph, {"step:5"}, runs.path).at("step:5");
  CHECK(failed.state == NodeState::kFailed);
  CHECK(contains(failed.reason, "keeps no weights of step 5; nearest: step 4 and 6"));
  CHECK_THROWS_AS(step_of_part(status.at("step:4").folder, "best"), MissingError);
}

TEST_CASE("parts: computations at each kept checkpoint are parts of one node", "[nodes]") {
  const TemporaryFolder runs;
  Made made("checkpoints: 2u");
  made.add_text("text4", {"model", "step:4"});
  made.add_step("step4", {"model", "step:4"});
  made.add_score("score4", "step4", "text4");
  made.add_score("score4_of_parts", {"step", "step:4"}, {"text", "step:4"});
  const auto status = made.run({"score", "score4", "score4_of_parts"}, runs.path);
  const auto text = status.at("text").folder, score = status.at("score").folder;
  for (const auto& folder : {text, status.at("step").folder, score, status.at("model").folder}) {
    CHECK(kept_steps(folder, "2u") == std::vector<int64_t>{2, 4, 6});
    CHECK(verify_run(folder).empty());
  }
  for (const int64_t step : {2, 4, 6}) {
    const auto part = part_folder(text, step);
    CHECK(part == text / step_folder_name(step));
    CHECK(read_text(part).size() == 4);
    CHECK(read_dataset(part).size() == 4);
    CHECK(read_run_manifest(part)->at("step") == step);
    CHECK(read_scores(score, step).front().value == static_cast<double>(step) / 10);
  }
  // Equal to the result of only that checkpoint.
  const auto alone = status.at("text4").folder;
  CHECK(read_file(part_folder(text, 4) / "text.txt") == read_file(alone / "text.txt"));
  for (const char* name : {"score4", "score4_of_parts"}) {
    CHECK(read_file(status.at(name).folder / "scores.jsonl") ==
          read_file(part_folder(score, 4) / "scores.jsonl"));
  }
  CHECK_THROWS_WITH(read_scores(score, 3),
                    Contains("has no results of step 3; nearest: step 2 and 4"));
  CHECK_THROWS_AS(Made("").add_step("step", {"model", "all"}), ConfigError);
}

TEST_CASE("parts: a killed node resumes at its part", "[nodes]") {
  Made made("checkpoints: 2u");
  if (const std::string folder = testing::child_task(); !folder.empty()) {
    before_work = [](int64_t step) {
      if (step == 4) ::kill(::getpid(), SIGKILL);
    };
    run_graph(made.graph, {"step"}, std::filesystem::path(folder));
    return;
  }
  const TemporaryFolder runs, fresh;
  const pid_t child = testing::start_child(runs.path.string());
  int killed = 0;
  REQUIRE(::waitpid(child, &killed, 0) == child);
  REQUIRE(WIFSIGNALED(killed));
  REQUIRE(WTERMSIG(killed) == SIGKILL);
  const auto begun = graph_status(made.graph, runs.path).at("step");
  CHECK(begun.state == NodeState::kBegun);
  CHECK(std::filesystem::exists(begun.folder / "step-00000004.partial"));
  const auto kept = std::filesystem::last_write_time(begun.folder / "step-00000002/manifest.json");

  computed.clear();
  const auto folder = made.run({"step"}, runs.path).at("step").folder;
  CHECK(computed == std::vector<int64_t>{4, 6});
  CHECK(std::filesystem::last_write_time(folder / "step-00000002/manifest.json") == kept);
  CHECK_FALSE(std::filesystem::exists(folder / "step-00000004.partial"));
  const auto other = made.run({"step"}, fresh.path).at("step").folder;
  CHECK(read_run_manifest(folder)->at("files") == read_run_manifest(other)->at("files"));

  // A damaged part of an interrupted node is computed again.
  std::filesystem::remove(folder / "manifest.json");
  flip_a_bit(folder / "step-00000006/tensors.safetensors");
  computed.clear();
  made.run({"step"}, runs.path);
  CHECK(computed == std::vector<int64_t>{6});
  CHECK(verify_run(folder).empty());
}

TEST_CASE("parts: results at checkpoints stay when others are requested", "[nodes]") {
  const TemporaryFolder runs;
  const Made few("checkpoints: 3u"), more("checkpoints: 2u");
  CHECK(few.graph.at("score").identity == more.graph.at("score").identity);
  computed.clear();
  const auto folder = few.run({"score"}, runs.path).at("score").folder;
  CHECK(computed == std::vector<int64_t>{3, 6});
  const auto after = run_graph(more.graph, {"score"}, runs.path);
  CHECK(after.at("model").state == NodeState::kFailed);
  CHECK(contains(after.at("model").reason, "does not keep the weights of every 2u"));
  CHECK(after.at("score").state == NodeState::kBlocked);
  CHECK(kept_steps(folder, "3u") == std::vector<int64_t>{3, 6});
  for (const int64_t step : {3, 6}) {
    CHECK(read_scores(folder, step).front().value == static_cast<double>(step) / 10);
  }
  CHECK(verify_run(folder).empty());
  computed.clear();
  few.run({"score"}, runs.path);
  CHECK(computed.empty());
}

TEST_CASE("parts: a damaged part fails its node and is not sealed again", "[nodes]") {
  const TemporaryFolder runs;
  const Made few("checkpoints: 3u");
  const auto text = few.run({"text", "step"}, runs.path).at("text").folder;
  const std::string manifest = read_file(text / "manifest.json");
  for (const char* file : {"text.txt", "dataset.safetensors", "manifest.json"}) {
    const auto damaged = text / "step-00000003" / file;
    const std::string content = read_file(damaged);
    flip_a_bit(damaged);
    // Nodes that read it are blocked, and the node itself has failed.
    const auto read = run_graph(few.graph, {"score"}, runs.path);
    INFO(file << ": " << read.at("score").reason);
    if (std::string(file) != "text.txt") {  // ids are read, not lines
      CHECK(read.at("text").state == NodeState::kFailed);
      CHECK(read.at("score").state == NodeState::kBlocked);
      CHECK(contains(read.at("text").reason, "lvtext runs rm " + text.string() + " "));
    }
    std::filesystem::remove_all(read.at("score").folder);
    CHECK(read_file(text / "manifest.json") == manifest);
    write_file_atomic(damaged, content);
  }
  few.run({"score"}, runs.path);
}

TEST_CASE("parts: weights can be kept until they are scored and then removed", "[nodes]") {
  const TemporaryFolder runs;
  Made made("checkpoints: 2u, until: scored"), stays("checkpoints: 2u");
  CHECK(made.graph.at("model").identity == stays.graph.at("model").identity);
  const auto model = made.run({"model"}, runs.path).at("model").folder;
  const auto metadata = read_run_manifest(model)->at("metadata");
  CHECK(metadata.at("until") == nlohmann::ordered_json{{"2u", "scored"}});
  std::vector<int64_t> unneeded;  // the last step is 6, the best 3 or 6
  for (const int64_t step : {2, 4}) {
    if (metadata.at("selected_step") != step) unneeded.push_back(step);
  }
  CHECK(removable_steps(model, {}).empty());  // nothing was computed with them
  const auto before = made.run({"step"}, runs.path);
  const auto reader = before.at("step").folder, begun = runs.path / "begun";
  CHECK(removable_steps(model, {reader, begun}).empty());
  CHECK(removable_steps(model, {reader}) == unneeded);
  const std::string weights = "snapshots/step-00000002/model.safetensors";
  for (const int64_t step : unneeded) remove_weights(model, step);
  CHECK(removable_steps(model, {reader}).empty());
  CHECK_FALSE(std::filesystem::exists(model / weights));
  CHECK(verify_run(model).empty());
  // Results are kept, and nothing is left to do; nodes that need the weights report that they are
  // missing.
  computed.clear();
  made.run({"step"}, runs.path);
  CHECK(computed.empty());
  const auto failed = run_graph(made.graph, {"text"}, runs.path).at("text");
  CHECK(failed.state == NodeState::kFailed);
  CHECK(contains(failed.reason, "the weights of step 2 were removed after they were scored"));
  // They are not computed again if they are to be kept.
  CHECK(graph_status(stays.graph, runs.path).at("model").state == NodeState::kBegun);
  const auto refused = run_graph(stays.graph, {"score"}, runs.path).at("model");
  CHECK(refused.state == NodeState::kFailed);
  CHECK(contains(refused.reason, "lvtext runs rm " + model.string() + " --yes"));
  CHECK(verify_run(model).empty());
}

TEST_CASE("parts: weights that are removed by default are kept if requested", "[nodes]") {
  const TemporaryFolder runs;
  Made made("checkpoints: 2u, until: scored"), stays("checkpoints: 2u");
  const auto before = made.run({"step"}, runs.path);
  const auto model = before.at("model").folder, reader = before.at("step").folder;
  CHECK_FALSE(removable_steps(model, {reader}).empty());
  const auto files = read_run_manifest(model)->at("files");
  const auto written = std::filesystem::last_write_time(model / "log.jsonl");
  stays.run({"model"}, runs.path);
  CHECK(removable_steps(model, {reader}).empty());
  CHECK(std::filesystem::last_write_time(model / "log.jsonl") == written);  // nothing was trained
  auto again = read_run_manifest(model)->at("files");
  CHECK(again.size() == files.size());
  made.run({"model"}, runs.path);
  CHECK(removable_steps(model, {reader}).empty());
}

TEST_CASE("selection: a checkpoint is chosen by its score and read by dependent nodes", "[nodes]") {
  const TemporaryFolder runs;
  Made made("checkpoints: 2u");
  const auto choose_by = [&](const std::string& name, const SelectionRule& rule) {
    return add_checkpoint_selection(made.graph, name, rule, "score", "tenth", 1);
  };
  choose_by("near", nearest_to(0.3, {}, Ties::kLater));
  choose_by("none", nearest_to(0.31, 0.02));
  choose_by("largest", {.by = SelectionRule::By::kMax});
  made.add_step("at_near", NodePart::chosen("model", "near"));
  made.add_step("at_none", NodePart::chosen("model", "none"));
  made.add_score("scored_near", NodePart::chosen("step", "near"), NodePart::chosen("text", "near"));
  const auto status = made.run({"near", "none", "largest", "at_near", "scored_near"}, runs.path);
  const auto chosen = [&](const std::string& name) {
    return read_selection(status.at(name).folder);
  };
  CHECK(chosen("near").step() == 4);
  CHECK(chosen("near").score == 0.4);
  CHECK(chosen("largest").step() == 6);
  CHECK_FALSE(chosen("none").key);
  CHECK(chosen("none").reason == "no checkpoint within 0.02 of 0.31; nearest 0.4");
  CHECK(read_run_manifest(status.at("near").folder)->at("metadata").at("chosen") == "4");
  CHECK(step_in(status.at("at_near").folder) == 4);
  CHECK(read_file(status.at("scored_near").folder / "scores.jsonl") ==
        read_file(part_folder(status.at("score").folder, 4) / "scores.jsonl"));
  // If nothing was chosen, there is nothing to read, and nothing has failed.
  const auto skipped = run_graph(made.graph, {"at_none"}, runs.path).at("at_none");
  CHECK(skipped.state == NodeState::kSkipped);
  CHECK(skipped.reason == "no checkpoint within 0.02 of 0.31; nearest 0.4");

  // The identity contains candidates and rule of the choice, not its result.
  Made more("checkpoints: 1u");
  add_checkpoint_selection(more.graph, "near", nearest_to(0.3, {}, Ties::kLater), "score", "tenth");
  CHECK(more.graph.at("near").identity != made.graph.at("near").identity);
  more.add_step("at_near", NodePart::chosen("model", "near"));
  const TemporaryFolder others;
  CHECK(step_in(more.run({"at_near"}, others.path).at("at_near").folder) == 3);
  CHECK(read_selection(status.at("near").folder).step() == 4);
  std::set<std::string> identities;
  for (const char* name : {"near", "none", "largest", "at_near", "at_none"}) {
    identities.insert(made.graph.at(name).identity);
  }
  CHECK(identities.size() == 5);
}

TEST_CASE("selection: a row is chosen by its score and its model is read", "[nodes]") {
  const TemporaryFolder runs;
  Made made("checkpoints: 2u");
  for (const char* step : {"2", "4", "6"}) {
    const std::string id = step;
    made.add_step("row" + id, {"model", "step:" + id});
    made.add_text("text" + id, {"model", "step:" + id});
    made.add_score("score" + id, "row" + id, "text" + id);
  }
  add_checkpoint_selection(made.graph, "nothing", nearest_to(9, 0.1), "score");
  const std::vector<ScoredCandidate> candidates = {{"1.2", "score2"},
                                                   {"1.3", "score4"},
                                                   {"1.5", {"score", "step:6"}},
                                                   {"none", NodePart::chosen("score", "nothing")}};
  add_selection(made.graph, "best", {.by = SelectionRule::By::kMax}, candidates, "tenth", 1);
  add_selection(made.graph, "near", nearest_to(0.41, 0.02), candidates, "tenth", 1);
  add_selection(made.graph, "far", nearest_to(3, 0.5), candidates, "tenth", 1);
  const std::vector<CandidateNode> rows = {{"1.2", "text2"}, {"1.3", "text4"}, {"1.5", "text6"}};
  made.add_score("of_near", NodePart::chosen_of({{"1.2", "row2"}, {"1.3", "row4"}}, "near"),
                 NodePart::chosen_of(rows, "near"));
  made.add_score(
      "of_part",
      NodePart::chosen_of({{"1.2", "step", "step:2"}, {"1.3", "step", "step:4"}}, "near"),
      NodePart::chosen_of({{"1.2", "text", "step:2"}, {"1.3", "text4"}}, "near"));
  made.add_score(
      "of_other_part",
      NodePart::chosen_of({{"1.2", "step", "step:2"}, {"1.3", "step", "step:6"}}, "near"),
      NodePart::chosen_of(rows, "near"));
  CHECK_THROWS_WITH(
      made.add_score("whole", NodePart::chosen_of({{"1.3", "step"}}, "near"), "text4"),
      Contains("'step' is computed at each kept checkpoint"));
  const auto status =
      made.run({"best", "near", "far", "of_near", "of_part", "of_other_part"}, runs.path);
  CHECK(read_selection(status.at("best").folder).key == "1.5");
  CHECK(read_selection(status.at("near").folder).key == "1.3");
  CHECK(read_selection(status.at("far").folder).reason == "no row within 0.5 of 3; nearest 0.6");
  CHECK(read_scores(status.at("of_near").folder).front().value == 0.4);
  CHECK(read_scores(status.at("of_part").folder).front().value == 0.4);
  CHECK(read_scores(status.at("of_other_part").folder).front().value == 0.6);
}
