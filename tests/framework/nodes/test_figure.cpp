#include "framework/nodes/figure_nodes.h"

#include <ATen/ATen.h>

#include "framework/base/files.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/graph/executor.h"
#include "framework/nodes/latent_nodes.h"
#include "framework/tensor/philox.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

at::Tensor rows(const std::vector<double>& values, int64_t width) {
  return at::tensor(values, at::kDouble).reshape({-1, width});
}

std::vector<int64_t> sentences_of(const std::vector<Neighbour>& neighbours) {
  std::vector<int64_t> ids;
  for (const auto& each : neighbours) ids.push_back(each.sentence);
  return ids;
}

/// A node that stands for add_posterior_draws: `sentences` sentences of 10 draws.
std::string add_draws(Graph& graph, int64_t sentences, double last = 0) {
  GraphNode node;
  node.name = "draws";
  node.component = "draws";
  node.options = {{"sentences", sentences}, {"draws", 10}, {"last", last}};
  node.run = [sentences, last](NodeRun& run) {
    const at::Tensor centres = normal({.seed = 1}, at::arange(sentences), {4}, at::kDouble);
    at::Tensor points = centres.repeat_interleave(10, 0) +
                        0.1 * normal({.seed = 2}, at::arange(10 * sentences), {4}, at::kDouble);
    points[-1][-1] += last;
    write_safetensors(run.folder.path() / "draws.safetensors",
                      {{"points", points}, {"sentence_ids", 100 + at::arange(sentences)}});
    run.outputs = {"draws.safetensors"};
  };
  return graph.add(std::move(node));
}

}  // namespace

TEST_CASE("neighbours: nearest first, the lower row first among equals", "[nodes]") {
  const at::Tensor codes = rows({0, 0, 3, 4, 1, 0, 0, -1, -1, 0, 0, 0}, 2);
  const auto near = nearest_rows(codes, 0, 4, false);
  CHECK(sentences_of(near) == std::vector<int64_t>{5, 2, 3, 4});
  CHECK(near[0].distance == 0);
  CHECK(near[1].distance == 1);
  const auto all = nearest_rows(codes, 0, 100, false);
  CHECK(all.size() == 5);
  CHECK(all.back().distance == 5);
}

TEST_CASE("neighbours: on the sphere by 1 - cosine", "[nodes]") {
  const at::Tensor codes = rows({1, 0, -1, 0, 0, 1, 0.6, 0.8, 0, -1}, 2);
  const auto near = nearest_rows(codes, 0, 4, true);
  CHECK(sentences_of(near) == std::vector<int64_t>{3, 2, 4, 1});
  CHECK(near[0].distance == Approx(0.4));
  CHECK(near[3].distance == Approx(2));
}

TEST_CASE("t-SNE node: the file reads back as the layout of its points", "[nodes]") {
  const TemporaryFolder runs;
  Graph graph("paper", "smoke");
  const TsneOptions options{.perplexity = 8, .iterations = 60, .learning_rate = 20};
  const std::string name = add_tsne(graph, "tsne", add_draws(graph, 3), options, 5);
  const auto status = run_graph(graph, {name}, runs.path);
  REQUIRE(status.at(name).state == NodeState::kFinished);
  const auto points = read_tsne(status.at(name).folder, 5);
  REQUIRE(points.size() == 30);
  CHECK(points[0].sentence_id == 100);
  CHECK(points[29].sentence_id == 102);
  CHECK(points[17].draw == 7);
  const at::Tensor given =
      read_safetensors(status.at("draws").folder / "draws.safetensors").tensors.at("points");
  const auto wanted =
      tsne({given.const_data_ptr<double>(), size_t(given.numel())}, 30, options, tsne_start(30, 5));
  for (size_t i = 0; i < points.size(); ++i) {
    CHECK(points[i].x == wanted[2 * i]);
    CHECK(points[i].y == wanted[2 * i + 1]);
  }
}

TEST_CASE("t-SNE node: a rate that throws points away is said, and no bug", "[nodes]") {
  const TemporaryFolder runs;
  for (const double rate : {1e6, 1e300}) {
    Graph graph("paper", "smoke");
    const TsneOptions options{.perplexity = 8, .iterations = 60, .learning_rate = rate};
    const std::string name = add_tsne(graph, "tsne", add_draws(graph, 3), options, 5);
    const auto status = run_graph(graph, {name}, runs.path).at(name);
    INFO(status.reason);
    CHECK((status.state == NodeState::kFinished ||
           status.reason.find("lower the figure's learning_rate") != std::string::npos));
  }
}

TEST_CASE("t-SNE node: says why it cannot lay out", "[nodes]") {
  const TemporaryFolder runs;
  const auto reason = [&runs](int64_t sentences, double last) {
    Graph graph("paper", "smoke");
    const std::string name =
        add_tsne(graph, "tsne", add_draws(graph, sentences, last), {.perplexity = 30}, 5);
    const auto status = run_graph(graph, {name}, runs.path);
    CHECK(status.at(name).state == NodeState::kFailed);
    return status.at(name).reason;
  };
  CHECK_THAT(reason(3, 0), Contains("30 points of 3 test sentences; perplexity 30 must be "
                                    "below that"));
  CHECK_THAT(reason(5, INFINITY), Contains("the model has diverged"));
}
