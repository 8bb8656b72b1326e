#include "framework/nodes/latent_nodes.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "framework/base/files.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/decoding/batching.h"
#include "framework/decoding/code_path.h"
#include "framework/decoding/decoder.h"
#include "framework/decoding/over_sentences.h"
#include "framework/model/code_space.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/model_nodes.h"

namespace lvtext {
namespace {

/// `count` of the numbers below `size`, in the order of a shuffle by the seed.
std::vector<int64_t> chosen(int64_t size, int64_t count, int64_t seed) {
  const NoiseKey key{static_cast<uint64_t>(seed), 0, 0, noise_use("figure.sentences")};
  const std::vector<double> ranks = to_doubles(uniform(key, at::arange(size), {}, at::kDouble));
  std::vector<int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&ranks](int64_t a, int64_t b) { return ranks[a] < ranks[b]; });
  if (size > count) order.resize(count);
  return order;
}

}  // namespace

std::vector<Neighbour> nearest_rows(const at::Tensor& codes, int64_t from, int64_t count,
                                    bool on_unit_sphere) {
  const at::Tensor distances =
      on_unit_sphere ? 1 - codes.mv(codes[from]) : (codes - codes[from]).norm(2, 1);
  const std::vector<double> values = to_doubles(distances);
  std::vector<Neighbour> all;
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    if (i != from) all.push_back({i, values[i]});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Neighbour& a, const Neighbour& b) { return a.distance < b.distance; });
  if (static_cast<int64_t>(all.size()) > count) all.resize(count);
  return all;
}

std::string add_interpolations(Graph& graph, const Registries& registries, const std::string& name,
                               const std::string& trained, const std::string& tokenizer,
                               const std::string& test, int64_t pairs, int64_t steps,
                               int64_t max_length) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kProduce;
  node.component = "interpolations";
  node.options = {{"pairs", pairs}, {"steps", steps}, {"max_length", max_length}};
  node.inputs = {{"model", trained}, {"tokenizer", tokenizer}, {"test", test}};
  node.cost = cost_with_model(graph, trained, node.options);
  node.run = [&registries, pairs, steps, max_length,
              device = device_of(graph.at(trained))](NodeRun& run) {
    const TrainedModel model = read_trained(run.input("model"), registries, {}, device);
    const auto corpus = read_dataset(run.input("test")).column("text");
    const int64_t count = std::min(pairs, corpus.size() / 2);
    const torch::NoGradGuard no_grad;
    std::vector<std::string> lines;
    if (count > 0) {
      const at::Tensor ends = posterior_means(serve<Encodes>(model, "encode"),
                                              sentences_of(corpus, 0, 2 * count), kDecodeBatch);
      std::vector<at::Tensor> ways;
      for (int64_t k = 0; k < count; ++k) {
        ways.push_back(
            codes_between(ends[2 * k], ends[2 * k + 1], steps, codes_on_unit_sphere(*model.model)));
      }
      const Decoded decoded =
          decode(serve<NextToken>(model, "generate text"), at::cat(ways).to(at::Device(device)),
                 at::arange(count * steps), {}, {{}, max_length, kDecodeBatch});
      const auto tokenizer = read_tokenizer(run.input("tokenizer"));
      for (const auto& sentence : decoded.sentences) lines.push_back(tokenizer->decode(sentence));
    }
    write_lines(run.folder.path() / "text.txt", lines);
    run.outputs = {"text.txt"};
    run.facts = {{"pairs", count}};
  };
  return graph.add(std::move(node));
}

std::string add_neighbours(Graph& graph, const Registries& registries, const std::string& name,
                           const std::string& trained, const std::string& test, int64_t sentences,
                           int64_t count) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kProduce;
  node.component = "neighbours";
  node.revision = 2;
  node.options = {{"sentences", sentences}, {"count", count}};
  node.inputs = {{"model", trained}, {"test", test}};
  node.cost = cost_with_model(graph, trained, node.options);
  node.run = [&registries, sentences, count, device = device_of(graph.at(trained))](NodeRun& run) {
    const TrainedModel model = read_trained(run.input("model"), registries, {}, device);
    const auto corpus = read_dataset(run.input("test")).column("text");
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    if (corpus.size() > 0) {
      const at::Tensor codes = posterior_means(serve<Encodes>(model, "encode"),
                                               sentences_of(corpus, 0, corpus.size()), kDecodeBatch)
                                   .to(at::kDouble);
      for (int64_t i = 0; i < std::min(sentences, corpus.size()); ++i) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const Neighbour& each :
             nearest_rows(codes, i, count, codes_on_unit_sphere(*model.model))) {
          list.push_back({{"sentence", each.sentence}, {"distance", each.distance}});
        }
        all.push_back(std::move(list));
      }
    }
    const nlohmann::ordered_json json = {{"schema", "lvtext.neighbours/1"}, {"sentences", all}};
    write_file_atomic(run.folder.path() / "neighbours.json", json.dump(1) + "\n");
    run.outputs = {"neighbours.json"};
    run.facts = {{"sentences", all.size()}, {"among", corpus.size()}};
  };
  return graph.add(std::move(node));
}

std::vector<std::vector<Neighbour>> read_neighbours(const std::filesystem::path& folder) {
  std::vector<std::vector<Neighbour>> all;
  const auto json = nlohmann::json::parse(FinishedRun(folder).read("neighbours.json"));
  for (const auto& list : json.at("sentences")) {
    std::vector<Neighbour>& of_one = all.emplace_back();
    for (const auto& each : list) {
      // JSON has no infinity or NaN: null stands for a distance that is not finite.
      const auto& distance = each.at("distance");
      of_one.push_back({each.at("sentence").get<int64_t>(),
                        distance.is_null() ? std::nan("") : distance.get<double>()});
    }
  }
  return all;
}

std::string add_posterior_draws(Graph& graph, const Registries& registries, const std::string& name,
                                const std::string& trained, const std::string& test,
                                int64_t sentences, int64_t draws, int64_t seed) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kProduce;
  node.component = "posterior_draws";
  node.seed = seed;
  node.options = {{"sentences", sentences}, {"draws", draws}, {"seed", seed}};
  node.inputs = {{"model", trained}, {"test", test}};
  node.cost = cost_with_model(graph, trained, {{"sentences", sentences}, {"draws", draws}});
  node.run = [&registries, sentences, draws, seed,
              device = device_of(graph.at(trained))](NodeRun& run) {
    const TrainedModel model = read_trained(run.input("model"), registries, {}, device);
    auto& encoder = serve<Encodes>(model, "encode");
    const auto corpus = read_dataset(run.input("test")).column("text");
    const std::vector<int64_t> ids = chosen(corpus.size(), sentences, seed);
    if (ids.empty()) throw DataError("there are no test sentences to encode");
    std::vector<std::vector<int32_t>> rows;
    for (const int64_t id : ids) rows.push_back(corpus.tokens(id));
    const Tokens tokens = pad_sentences(rows);
    const at::Tensor example_ids = at::tensor(ids, at::kLong);
    const torch::NoGradGuard no_grad;
    std::vector<at::Tensor> codes;
    for (int64_t draw = 0; draw < draws; ++draw) {
      const NoiseKey key{static_cast<uint64_t>(seed), static_cast<uint64_t>(draw), 0,
                         noise_use("figure.draws")};
      codes.push_back(encoder.encode_sampled(tokens, example_ids, key).to(at::kCPU, at::kDouble));
    }
    write_safetensors(
        run.folder.path() / "draws.safetensors",
        {{"points", at::stack(codes, 1).flatten(0, 1)}, {"sentence_ids", example_ids}});
    run.outputs = {"draws.safetensors"};
    run.facts = {{"sentences", ids.size()}, {"draws", draws}};
  };
  return graph.add(std::move(node));
}

}  // namespace lvtext
