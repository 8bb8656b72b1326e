#include "framework/nodes/figure_nodes.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/finished_run.h"
#include "framework/checkpoint/safetensors.h"

namespace lvtext {
namespace {

std::string file_name(int64_t seed) {
  return "tsne-seed" + std::to_string(seed) + ".csv";
}

}  // namespace

std::string add_tsne(Graph& graph, const std::string& name, const std::string& draws,
                     const TsneOptions& options, int64_t seed) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kProduce;
  node.component = "tsne";
  node.seed = seed;
  node.options = {{"perplexity", options.perplexity},
                  {"iterations", options.iterations},
                  {"learning_rate", options.learning_rate},
                  {"seed", seed}};
  node.inputs = {{"draws", draws}};
  const nlohmann::json drawn = graph.at(draws).options;
  node.cost = {{"sentences", drawn.at("sentences")},
               {"draws", drawn.at("draws")},
               {"iterations", options.iterations}};
  node.run = [options, seed](NodeRun& run) {
    const TensorMap tensors =
        read_safetensors(FinishedRun(run.input("draws")).file("draws.safetensors")).tensors;
    const at::Tensor points = tensors.at("points"), ids = tensors.at("sentence_ids");
    const int64_t n = points.size(0), draws_of_one = n / ids.numel();
    if (static_cast<double>(n) <= options.perplexity) {
      throw ConfigError("t-SNE has " + std::to_string(n) + " points of " +
                        std::to_string(ids.numel()) + " test sentences; perplexity " +
                        format_number(options.perplexity) + " must be below that");
    }
    if (!at::isfinite(points).all().item<bool>()) {
      throw DataError("a code is not finite: the model has diverged");
    }
    const std::span values(points.const_data_ptr<double>(), points.numel());
    const std::vector<double> plane = tsne(values, n, options, tsne_start(n, seed));
    if (!std::all_of(plane.begin(), plane.end(), [](double each) { return std::isfinite(each); })) {
      throw Error(Exit::kSomeFailed,
                  "t-SNE diverged: a coordinate is not finite; lower the figure's learning_rate (" +
                      format_number(options.learning_rate) + ")");
    }
    std::string text = "sentence_id,draw,x,y\n";
    for (int64_t i = 0; i < n; ++i) {
      text += std::to_string(ids[i / draws_of_one].item<int64_t>()) + "," +
              std::to_string(i % draws_of_one) + "," + format_number(plane[2 * i]) + "," +
              format_number(plane[2 * i + 1]) + "\n";
    }
    write_file_atomic(run.folder.path() / file_name(seed), text);
    run.outputs = {file_name(seed)};
    run.facts = {
        {"points", n},
        {"divergence", tsne_divergence(similarities(values, n, options.perplexity), plane)}};
  };
  return graph.add(std::move(node));
}

std::vector<LaidOut> read_tsne(const std::filesystem::path& folder, int64_t seed) {
  std::vector<LaidOut> points;
  for (const auto& line : split(FinishedRun(folder).read(file_name(seed)), '\n')) {
    const auto cells = split(line, ',');
    if (cells.size() != 4 || cells[0] == "sentence_id") continue;  // the head, the end
    points.push_back(
        {std::stoll(cells[0]), std::stoll(cells[1]), std::stod(cells[2]), std::stod(cells[3])});
  }
  return points;
}

}  // namespace lvtext
