// Scores as inputs of other nodes, and as files.
#include <cmath>

#include "evaluators/register.h"
#include "framework/core/base/files.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/input_reader.h"
#include "framework/pipeline/store/score_file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_evaluators(each);
    return each;
  }();
  return all;
}

/// A node that writes scores.
std::string add_scored(Graph& graph, const std::string& name, const std::vector<Score>& scores) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kScore;
  node.component = "fixed";
  node.options = {{"scores", scores_text(scores)}};
  node.run = [scores](NodeRun& run) {
    write_file_atomic(run.folder.path() / "scores.jsonl", scores_text(scores));
    run.outputs = {"scores.jsonl"};
  };
  return graph.add(std::move(node));
}

std::vector<Score> two_scores(double first, double second) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(first + std::sin(i * first));
  return {summarized({.id = "a", .direction = Direction::kHigher, .rows = {"mean", 1, values}}),
          {.id = "b", .value = second, .direction = Direction::kLower, .n = 20}};
}

/// Three rows, each with a node of two scores.
struct Rows {
  TemporaryFolder runs;
  Graph graph{"test", "smoke"};
  std::vector<std::string> nodes;

  Rows() {
    nodes = {add_scored(graph, "r0", two_scores(1, 7)), add_scored(graph, "r1", two_scores(2, 8)),
             add_scored(graph, "r2", two_scores(4, 6))};
  }
  FilledScores filled(const std::vector<std::string>& scores) const {
    FilledScores all{{"r0", "r1", "r2"}, scores, {}};
    for (const auto& score : scores) {
      auto& references = all.scores.emplace_back();
      for (const auto& node : nodes) references.push_back({node, score});
    }
    return all;
  }
  std::string add(const std::string& name, const std::string& evaluator,
                  const FilledScoreInputs& scores) {
    return add_evaluation(graph, registries(), name,
                          registries().evaluators.get(evaluator).configure(), {}, scores);
  }
  std::vector<Score> scores_of(const std::string& node) const {
    const auto status = run_graph(graph, {node}, runs.path);
    INFO(status.at(node).reason);
    REQUIRE(status.at(node).state == NodeState::kFinished);
    return read_scores(status.at(node).folder);
  }
};

}  // namespace

TEST_CASE("combined scores: a correlation of finished nodes' scores", "[nodes]") {
  Rows rows;
  const auto scores = rows.scores_of(
      rows.add("rho", "spearman", {{"x", rows.filled({""})}, {"y", rows.filled({"b"})}}));
  CHECK(scores.front().id == "rho");
  CHECK(scores.front().value == Approx(-0.5));
  CHECK_FALSE(scores.front().interval);  // b has no statistics to resample
  const auto same = rows.scores_of(
      rows.add("same", "spearman", {{"x", rows.filled({""})}, {"y", rows.filled({"a"})}}));
  CHECK(same.front().value == Approx(1));
  REQUIRE(same.front().interval);
  CHECK(same.front().resamples.size() == 1000);
}

TEST_CASE("combined scores: one for each row, usable as inputs", "[nodes]") {
  Rows rows;
  const std::string ranks = rows.add("ranks", "mean_rank", {{"scores", rows.filled({"a", "b"})}});
  const auto scores = rows.scores_of(ranks);
  REQUIRE(scores.size() == 6);  // the mean rank and its rank
  CHECK(find_score(scores, "rank", 0)->value == 2.5);
  CHECK(find_score(scores, "rank", 2)->value == 1);
  CHECK(find_score(scores, "", 0)->value == 2.5);  // third and second
  CHECK(find_score(scores, "", 1)->value == 2.5);  // second and third
  CHECK(find_score(scores, "mean_rank", 2)->value == 1);
  const std::string ratio = rows.add("ratio", "ratio",
                                     {{"x", {{"r1"}, {"rank"}, {{{ranks, "", 1}}}}},
                                      {"y", {{"r1"}, {"rank"}, {{{ranks, "mean_rank", 2}}}}}});
  CHECK(rows.scores_of(ratio).front().value == 2.5);
}

TEST_CASE("combined scores: a score that a node lacks has no value", "[nodes]") {
  Rows rows;
  rows.nodes.push_back(add_scored(rows.graph, "r3", {{.id = "other", .value = 3}}));
  FilledScores x = rows.filled({"a"}), y = rows.filled({"b"});
  x.lines.push_back("r3");
  y.lines.push_back("r3");
  const auto scores = rows.scores_of(rows.add("rho", "spearman", {{"x", x}, {"y", y}}));
  CHECK(scores.front().n == 3);
  CHECK(scores.front().value == Approx(-0.5));
}

TEST_CASE("combined scores: identity contains the scores and their order, not their names",
          "[nodes]") {
  Rows rows;
  const auto identity = [&](const std::string& name, const FilledScores& x, const FilledScores& y) {
    return rows.graph.at(rows.add(name, "spearman", {{"x", x}, {"y", y}})).identity;
  };
  const FilledScores x = rows.filled({"a"}), y = rows.filled({"b"});
  const std::string first = identity("first", x, y);
  FilledScores renamed = x;
  renamed.lines = {"one", "two", "three"};
  renamed.metrics = {"other"};
  CHECK(identity("renamed", renamed, y) == first);
  FilledScores reordered = x;
  std::swap(reordered.scores[0][0], reordered.scores[0][1]);
  CHECK(identity("reordered", reordered, y) != first);
  CHECK(identity("swapped", y, x) != first);
  CHECK(identity("score", rows.filled({""}), y) != first);
  FilledScores of_line = x;
  of_line.scores[0][0].line = 0;
  CHECK(identity("line", of_line, y) != first);
}

TEST_CASE("combined scores: read for a component without a node", "[nodes]") {
  Rows rows;
  const auto status = run_graph(rows.graph, rows.nodes, rows.runs.path);
  const std::vector<InputDecl> declared = {{.name = "of", .type = ArtifactType::kScores}};
  const Inputs inputs = read_filled(rows.graph, status, registries(), declared, {},
                                    {{"of", rows.filled({"a", "b"})}});
  const InputScores& of = inputs.scores("of");
  CHECK(of.lines == std::vector<std::string>{"r0", "r1", "r2"});
  CHECK(of.metrics == std::vector<std::string>{"a", "b"});
  CHECK(of.scores[1][2].value == 6);
  CHECK(of.scores[0][1].rows.values.size() == 20);
  CHECK_THROWS_AS(inputs.scores("x"), std::logic_error);
}

TEST_CASE("score file: derived scores are written completely, existing scores are unchanged",
          "[nodes]") {
  Score derived{.id = "rho",
                .value = 0.25,
                .interval = Interval{-0.5, 0.75},
                .n = 9,
                .signature = "spearman|n_rows:9",
                .comparable = false,
                .line = 3};
  derived.resamples = {0.1, -0.30000000000000004, 1};
  const std::string text = scores_text({derived});
  const Score read = read_score(nlohmann::json::parse(text));
  CHECK(read.line == 3);
  CHECK_FALSE(read.comparable);
  CHECK(read.resamples == derived.resamples);
  CHECK(read.interval->hi == 0.75);
  CHECK(scores_text({read}) == text);
  const Score plain{.id = "corpus", .value = 2, .n = 1, .rows = {"ratio", 2, {4, 2}}};
  CHECK(scores_text({plain}) ==
        R"({"schema":"lvtext.scores/1","id":"corpus","value":2.0,"unit":"","better":"none","n":1,)"
        R"("signature":"","rows":{"functional":"ratio","width":2,"values":[4.0,2.0]}})"
        "\n");
  const auto written_and_read = [](const Score& score) {
    return read_score(nlohmann::json::parse(scores_text({score})));
  };
  CHECK(std::isnan(written_and_read({.id = "x", .value = std::nan("")}).value));
  const Score noted = written_and_read({.id = "x",
                                        .value = std::nan(""),
                                        .reason = "there are no sentences",
                                        .real_is_best = true,
                                        .notes = {"one", "two"}});
  CHECK(noted.reason == "there are no sentences");
  CHECK(noted.real_is_best);
  CHECK(noted.notes == std::vector<std::string>{"one", "two"});
}
