#include "framework/nodes/component_nodes.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/data/dataset_writer.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/loaded_inputs.h"
#include "framework/nodes/score_file.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/json.h"
#include "trainers/memory_training.h"

namespace lvtext {
namespace {

constexpr const char* kScores = "scores.jsonl";
constexpr const char* kTensors = "tensors.safetensors";

/// "references", "references[1]", ...: a node's inputs are one folder each.
std::string slot_of(const std::string& input, size_t place) {
  return place == 0 ? input : input + "[" + std::to_string(place) + "]";
}

/// What a component node needs to know of one of its inputs.
struct PlannedInput {
  std::string slot, name;
  ArtifactType type;
  std::string device;  // where a model computes
};

/// Adds the inputs to the node and the tokenizers of their texts and models beside them.
std::vector<PlannedInput> plan_inputs(const Graph& graph, GraphNode& node,
                                      const std::vector<InputDecl>& declared,
                                      const FilledInputs& filled) {
  std::vector<PlannedInput> planned;
  for (const InputDecl& input : declared) {
    const auto found = filled.find(input.name);
    if (found == filled.end()) continue;
    for (size_t i = 0; i < found->second.size(); ++i) {
      const std::string slot = slot_of(input.name, i);
      const GraphNode& filling = graph.at(found->second[i]);
      node.inputs[slot] = filling.name;
      planned.push_back({slot, input.name, input.type, ""});
      if (input.type == ArtifactType::kModel) planned.back().device = device_of(filling);
      if (input.type == ArtifactType::kTensors) continue;
      node.inputs[slot + kTokenizerOf] = tokenizer_of(graph, filling.name);
    }
  }
  return planned;
}

/// Adds the nodes of the scores to the inputs, as "x[metric,line].score#line of the score": shape,
/// order and which scores are meant are part of the node's identity. What is given back names these
/// inputs instead of nodes.
FilledScoreInputs plan_scores(GraphNode& node, FilledScoreInputs filled) {
  for (auto& [name, scores] : filled) {
    LVT_ASSERT(scores.scores.size() == scores.metrics.size(), "a metric without its scores");
    for (size_t metric = 0; metric < scores.scores.size(); ++metric) {
      auto& of_metric = scores.scores[metric];
      LVT_ASSERT(of_metric.size() == scores.lines.size(), "a metric with scores of other rows");
      for (size_t line = 0; line < of_metric.size(); ++line) {
        ScoreReference& score = of_metric[line];
        std::string slot = name + "[" + std::to_string(metric) + "," + std::to_string(line) + "]";
        if (!score.score.empty()) slot += "." + score.score;
        if (score.line) slot += "#" + std::to_string(*score.line);
        node.inputs[slot] = score.node;
        score.node = slot;
      }
    }
  }
  return filled;
}

void add_scores(const NodeInputs& folders, const FilledScoreInputs& planned, Inputs& to) {
  for (const auto& [name, filled] : planned) {
    InputScores read{filled.lines, filled.metrics, {}};
    for (const auto& references : filled.scores) {
      auto& scores = read.scores.emplace_back();
      for (const ScoreReference& reference : references) {
        const std::vector<Score> all = read_scores(folders.at(reference.node));
        const Score* score = find_score(all, reference.score, reference.line);
        scores.push_back(score ? *score : Score{.id = reference.score, .value = std::nan("")});
      }
    }
    to.add(name, std::move(read));
  }
}

/// What a component is given of a text: ids and their lines, or the lines as they were before any
/// tokenizer.
enum class TextForm { kIds, kLines };

Inputs read_inputs(const NodeInputs& folders, const Registries& registries,
                   const std::vector<PlannedInput>& planned, TextForm form = TextForm::kIds) {
  Inputs inputs;
  std::map<std::filesystem::path, std::shared_ptr<const Tokenizer>> tokenizers;
  const auto tokenizer = [&](const std::string& slot) {
    const auto& folder = folders.at(slot + kTokenizerOf);
    auto& known = tokenizers[folder];
    if (!known) known = read_tokenizer(folder);
    return known;
  };
  for (const PlannedInput& input : planned) {
    const auto& folder = folders.at(input.slot);
    switch (input.type) {
      case ArtifactType::kText:
        inputs.add(input.name, form == TextForm::kLines ? Text(written_lines(folder))
                                                        : read_ids(folder, tokenizer(input.slot)));
        break;
      case ArtifactType::kModel: {
        LoadedModel model = read_model(folder, registries, {}, input.device);
        model.tokenizer = tokenizer(input.slot);
        inputs.add(input.name, std::move(model));
        break;
      }
      case ArtifactType::kTensors: inputs.add(input.name, read_tensors(folder)); break;
      case ArtifactType::kScores: LVT_ASSERT(false, "scores are filled by FilledScoreInputs");
    }
  }
  return inputs;
}

/// What the time of inference depends on: its options and those of what it reads.
nlohmann::json cost_of(const Graph& graph, const GraphNode& node,
                       const std::vector<PlannedInput>& planned) {
  nlohmann::json cost = {{"options", node.options}};
  cost["options"].erase("seed");
  cost["options"].erase("first");
  for (const PlannedInput& input : planned) {
    const GraphNode& filling = graph.at(node.inputs.at(input.slot));
    if (input.type == ArtifactType::kModel) {
      cost[input.name] = {{"component", filling.component}, {"model", filling.options.at("model")}};
    } else if (input.type == ArtifactType::kTensors) {
      cost[input.name] = filling.options;
      cost[input.name].erase("seed");
    }
  }
  return cost;
}

GraphNode node_of(const Configured& configured, NodeKind kind, const std::string& name) {
  const Component& component = *configured.component;
  GraphNode node;
  node.name = name;
  node.kind = kind;
  node.component = component.about.name;
  node.revision = component.revision;
  node.plugin = component.about.plugin;
  node.options = canonical_json(configured.options);
  return node;
}

/// The vocabularies of the texts that a model is fitted to: a stream for each of them.
StreamShapes shapes_of(const Inputs& read, const std::vector<PlannedInput>& planned) {
  StreamShapes shapes;
  for (const PlannedInput& input : planned) {
    if (input.type != ArtifactType::kText) continue;
    shapes[input.name] = {{.vocabulary = read.texts(input.name).front().tokenizer()->vocabulary()}};
  }
  return shapes;
}

void write_text(NodeRun& run, const Text& text) {
  write_text_dataset(run.folder.path() / kDatasetFile, {text.ids().begin(), text.ids().end()},
                     text.tokenizer()->vocabulary());
  write_lines(run.folder.path() / "text.txt", {text.lines().begin(), text.lines().end()});
  run.outputs.insert(run.outputs.end(), {kDatasetFile, "text.txt"});
}

}  // namespace

std::string add_evaluation(Graph& graph, const Registries& registries, const std::string& name,
                           const Configured& evaluator, const FilledInputs& inputs,
                           const FilledScoreInputs& scores) {
  GraphNode node = node_of(evaluator, NodeKind::kScore, name);
  const auto planned = plan_inputs(graph, node, evaluator.inputs, inputs);
  const auto combined = plan_scores(node, scores);
  node.run = [&registries, &known = evaluator.component->scores, planned, combined,
              built = evaluator.evaluator](NodeRun& run) {
    const torch::NoGradGuard no_grad;
    Inputs given = read_inputs(run.inputs, registries, planned);
    add_scores(run.inputs, combined, given);
    given.set_trainer([&run](std::shared_ptr<Trainable> model, const TrainOptions& options,
                             const Streams& train, const Streams& validation) {
      return train_in_memory(
          std::move(model), options, train, validation,
          [&run](const TrainProgress& progress) { run.progress(progress_text(progress)); });
    });
    const std::vector<Score> scores = built->evaluate(given);
    for (const Score& score : scores) {
      LVT_ASSERT(std::find(known.begin(), known.end(), score.id) != known.end(),
                 "the score '" + score.id + "' is not among the evaluator's score_ids()");
    }
    write_file_atomic(run.folder.path() / kScores, scores_text(scores));
    run.outputs = {kScores};
  };
  return graph.add(std::move(node));
}

std::string add_inference_node(Graph& graph, const Registries& registries, const std::string& name,
                               const Configured& component, const FilledInputs& inputs,
                               int64_t seed) {
  GraphNode node = node_of(component, NodeKind::kProduce, name);
  node.seed = seed;
  const auto planned = plan_inputs(graph, node, component.inputs, inputs);
  node.cost = cost_of(graph, node, planned);
  node.run = [&registries, planned, built = component.inference](NodeRun& run) {
    const torch::NoGradGuard no_grad;
    const Inferred inferred =
        built->run(read_inputs(run.inputs, registries, planned), run.progress);
    if (inferred.text.has_ids()) write_text(run, inferred.text);
    if (!inferred.tensors.empty()) {
      write_safetensors(run.folder.path() / kTensors, inferred.tensors);
      run.outputs.emplace_back(kTensors);
    }
    run.facts = inferred.facts;
  };
  return graph.add(std::move(node));
}

std::string add_fit_node(Graph& graph, const Registries& registries, const std::string& name,
                         const Configured& fit, const FilledInputs& inputs, int64_t seed) {
  GraphNode node = node_of(fit, NodeKind::kModel, name);
  node.options = {{"model", node.options}};
  node.seed = seed;
  const auto planned = plan_inputs(graph, node, fit.inputs, inputs);
  node.run = [&registries, planned, fit, seed](NodeRun& run) {
    const torch::NoGradGuard no_grad;
    const Inputs read = read_inputs(run.inputs, registries, planned);
    const ModelInputs surrounding{.seed = static_cast<uint64_t>(seed),
                                  .streams = shapes_of(read, planned)};
    const auto model = fit.fit(surrounding);
    model->fit(read, run.progress);
    TensorMap weights;
    for (const auto& buffer : model->named_buffers()) {
      weights[buffer.key()] = buffer.value().contiguous();
    }
    save_weights(run, std::move(weights));
    run.facts.update({{"model", fit.component->about.name},
                      {"options", canonical_json(fit.options)},
                      {"streams", to_json(surrounding.streams)},
                      {"seed", seed}});
  };
  return graph.add(std::move(node));
}

Inputs read_filled(const Graph& graph, const GraphStatus& status, const Registries& registries,
                   const std::vector<InputDecl>& declared, const FilledInputs& filled,
                   const FilledScoreInputs& scores) {
  GraphNode reader;
  const auto planned = plan_inputs(graph, reader, declared, filled);
  const auto combined = plan_scores(reader, scores);
  NodeInputs folders;
  for (const auto& [slot, name] : reader.inputs) folders[slot] = status.at(name).folder;
  Inputs inputs = read_inputs(folders, registries, planned, TextForm::kLines);
  add_scores(folders, combined, inputs);
  return inputs;
}

std::string add_sentences(Graph& graph, const std::string& name, const std::string& text,
                          const SentenceRange& range) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kPack;
  node.component = "sentences";
  node.options = {
      {"at_most", range.at_most}, {"from_share", range.from_share}, {"to_share", range.to_share}};
  node.inputs = {{"text", text}, {"tokenizer", tokenizer_of(graph, text)}};
  node.run = [range](NodeRun& run) {
    const auto tokenizer = read_tokenizer(run.input("tokenizer"));
    const Text all = read_ids(run.input("text"), tokenizer);
    const auto size = static_cast<int64_t>(all.size());
    const int64_t n = range.at_most > 0 ? std::min(range.at_most, size) : size;
    const auto place = [n](double share) {
      return static_cast<int64_t>(static_cast<double>(n) * share);
    };
    const int64_t from = place(range.from_share);
    const auto ids = all.ids().subspan(from, place(range.to_share) - from);
    write_text(run, Text({ids.begin(), ids.end()}, tokenizer));
    run.facts = {{"count", ids.size()}};
  };
  return graph.add(std::move(node));
}

std::vector<Score> read_scores(const std::filesystem::path& folder) {
  std::vector<Score> scores;
  for (const auto& line : read_written_lines(FinishedRun(folder), kScores)) {
    scores.push_back(read_score(line));
  }
  return scores;
}

std::map<std::string, at::Tensor> read_tensors(const std::filesystem::path& folder) {
  return read_safetensors(FinishedRun(folder).file(kTensors)).tensors;
}

}  // namespace lvtext
