#include "framework/nodes/produce_nodes.h"

#include "framework/data/dataset_writer.h"
#include "framework/decoding/decoder.h"
#include "framework/decoding/over_sentences.h"
#include "framework/decoding/precision.h"
#include "framework/decoding/sampling.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/model_nodes.h"

namespace lvtext {
namespace {

void write_text(NodeRun& run, const std::vector<std::vector<int32_t>>& sentences) {
  const auto tokenizer = read_tokenizer(run.input("tokenizer"));
  std::vector<std::string> lines;
  lines.reserve(sentences.size());
  for (const auto& sentence : sentences) lines.push_back(tokenizer->decode(sentence));
  write_text_dataset(run.folder.path() / kDatasetFile, sentences, tokenizer->vocabulary());
  write_lines(run.folder.path() / "text.txt", lines);
  run.outputs = {kDatasetFile, "text.txt"};
}

/// What decides the text of a model. The default precision has no part in it, so that its nodes
/// keep their identities.
nlohmann::json identity_of(const GenerationOptions& generation) {
  nlohmann::json options = {{"max_length", generation.max_length}};
  if (generation.precision != Precision::kFp32) {
    options["precision"] = enum_name(generation.precision);
  }
  return options;
}

}  // namespace

std::string add_samples(Graph& graph, const Registries& registries, const std::string& name,
                        const std::string& trained, const std::string& tokenizer, int64_t count,
                        const GenerationOptions& generation, int64_t seed) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kProduce;
  node.component = "samples";
  node.seed = seed;
  node.options = identity_of(generation);
  node.options.update({{"count", count}, {"seed", seed}});
  node.inputs = {{"model", trained}, {"tokenizer", tokenizer}};
  node.cost = node.options;
  node.cost.erase("seed");
  node.cost = cost_with_model(graph, trained, node.cost);
  node.run = [&registries, count, generation, seed,
              device = device_of(graph.at(trained))](NodeRun& run) {
    const TrainedModel model = read_trained(run.input("model"), registries, {}, device);
    auto& decoder = serve<NextToken>(model, "generate text");
    auto* prior = dynamic_cast<SamplesPrior*>(model.model.get());
    const PrecisionScope precision(generation.precision);
    const DecodeOptions options{sampling_policy(prior != nullptr), generation.max_length,
                                kDecodeBatch};
    std::vector<std::vector<int32_t>> sentences;
    int64_t cut_off = 0;
    for (int64_t from = 0; from < count; from += 8 * kDecodeBatch) {
      Decoded decoded = sample_sentences(decoder, prior, from,
                                         std::min(count - from, 8 * kDecodeBatch), seed, options);
      for (auto& sentence : decoded.sentences) sentences.push_back(std::move(sentence));
      cut_off += decoded.cut_off;
      run.progress(std::to_string(sentences.size()) + "/" + std::to_string(count) + " sentences");
    }
    write_text(run, sentences);
    run.facts = {
        {"count", count}, {"cut_off", cut_off}, {"policy", prior ? "greedy" : "ancestral"}};
  };
  return graph.add(std::move(node));
}

std::string add_sentences(Graph& graph, const std::string& name, const std::string& pack,
                          const std::string& tokenizer, const SentenceRange& range) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kProduce;
  node.component = "sentences";
  node.options = {
      {"at_most", range.at_most}, {"from_share", range.from_share}, {"to_share", range.to_share}};
  node.inputs = {{"pack", pack}, {"tokenizer", tokenizer}};
  node.run = [range](NodeRun& run) {
    const auto corpus = read_dataset(run.input("pack")).column("text");
    const int64_t n = range.at_most > 0 ? std::min(range.at_most, corpus.size()) : corpus.size();
    const auto place = [n](double share) {
      return static_cast<int64_t>(static_cast<double>(n) * share);
    };
    const int64_t from = place(range.from_share);
    const auto sentences = sentences_of(corpus, from, place(range.to_share));
    write_text(run, sentences);
    run.facts = {{"count", sentences.size()}};
  };
  return graph.add(std::move(node));
}

std::string add_reconstructions(Graph& graph, const Registries& registries, const std::string& name,
                                const std::string& trained, const std::string& tokenizer,
                                const std::string& test, const GenerationOptions& generation) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kProduce;
  node.component = "reconstructions";
  node.options = identity_of(generation);
  node.inputs = {{"model", trained}, {"tokenizer", tokenizer}, {"test", test}};
  node.cost = cost_with_model(graph, trained, node.options);
  node.run = [&registries, generation, device = device_of(graph.at(trained))](NodeRun& run) {
    const TrainedModel model = read_trained(run.input("model"), registries, {}, device);
    const auto corpus = read_dataset(run.input("test")).column("text");
    const auto sentences = sentences_of(corpus, 0, corpus.size());
    const torch::NoGradGuard no_grad;
    const PrecisionScope precision(generation.precision);
    const Decoded decoded =
        reconstruct(serve<Encodes>(model, "encode"), serve<NextToken>(model, "generate text"),
                    sentences, {.policy = {}, .max_length = generation.max_length});
    write_text(run, decoded.sentences);
    run.facts = {{"count", sentences.size()}, {"cut_off", decoded.cut_off}};
  };
  return graph.add(std::move(node));
}

}  // namespace lvtext
