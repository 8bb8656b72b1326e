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
#include "framework/nodes/node_parts.h"
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
  std::string typical;  // a node of its kind
  std::string column;   // of a dataset: the one that is read
  std::string device;   // where a model computes
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
      const NodePart& filling = found->second[i];
      const GraphNode& typical = graph.at(filling.typical());
      // Which column is read is part of the node's identity.
      const std::string column = filling.column.empty() ? "" : ":" + filling.column;
      planned.push_back({slot_of(input.name, i) + column, input.name, input.type, typical.name,
                         filling.column, ""});
      if (input.type == ArtifactType::kModel) planned.back().device = device_of(typical);
      add_input(graph, node, planned.back().slot, filling);
      if (input.type == ArtifactType::kText || input.type == ArtifactType::kModel) {
        add_tokenizers(graph, node, planned.back().slot, filling);
      }
    }
  }
  return planned;
}

/// Adds the nodes of the scores to the inputs, as "x[metric,line].score#line of the score": shape,
/// order and which scores are meant are part of the node's identity. What is given back names these
/// inputs instead of nodes.
FilledScoreInputs plan_scores(const Graph& graph, GraphNode& node, FilledScoreInputs filled) {
  for (auto& [name, scores] : filled) {
    LVT_ASSERT(scores.scores.size() == scores.metrics.size(), "a metric without its scores");
    for (size_t metric = 0; metric < scores.scores.size(); ++metric) {
      auto& of_metric = scores.scores[metric];
      LVT_ASSERT(of_metric.size() == scores.lines.size(), "a metric with scores of other rows");
      for (size_t line = 0; line < of_metric.size(); ++line) {
        ScoreReference& score = of_metric[line];
        const std::string& period = graph.at(score.node.typical()).checkpoints;
        std::string slot = name + "[" + std::to_string(metric) + "," + std::to_string(line) + "]";
        if (!score.score.empty()) slot += "." + score.score;
        if (score.line) slot += "#" + std::to_string(*score.line);
        if (period.empty()) {
          add_input(graph, node, slot, score.node);
        } else if (scores.pools_checkpoints) {
          score.period = period;
          slot += "@" + period;
          node.inputs[slot] = score.node.node;
        } else {
          add_input(graph, node, slot, NodePart(score.node.node, kAllCheckpoints));
        }
        score.node = NodePart(slot);
      }
    }
  }
  return filled;
}

Score score_in(const std::filesystem::path& folder, const ScoreReference& reference,
               std::optional<int64_t> step) {
  const std::vector<Score> all = read_scores(folder, step);
  const Score* score = find_score(all, reference.score, reference.line);
  return score ? *score : Score{.id = reference.score, .value = std::nan("")};
}

/// Scores with a line for each kept checkpoint of each row. Throws ConfigError where a row's
/// metrics were scored at different ones.
InputScores pooled_scores(const NodeInputs& folders, const FilledScores& filled) {
  InputScores read{{}, filled.metrics, {}};
  read.scores.resize(filled.metrics.size());
  for (size_t line = 0; line < filled.lines.size(); ++line) {
    std::optional<std::vector<std::optional<int64_t>>> of_row;
    for (size_t metric = 0; metric < filled.scores.size(); ++metric) {
      const ScoreReference& reference = filled.scores[metric][line];
      const PlacedInput at = place_input(folders, {}, reference.node.node);
      const auto& folder = at.folder;
      std::vector<std::optional<int64_t>> steps = {std::nullopt};
      if (!reference.period.empty()) {
        const auto kept = kept_steps(folder, reference.period);
        steps.assign(kept.begin(), kept.end());
      }
      if (of_row && *of_row != steps) {
        throw ConfigError(filled.lines[line] + ": " + filled.metrics.front() + " and " +
                          filled.metrics[metric] + " were not scored at the same checkpoints");
      }
      of_row = steps;
      for (const auto& step : steps) {
        read.scores[metric].push_back(score_in(folder, reference, step));
      }
    }
    for (const auto& step : of_row.value_or(std::vector<std::optional<int64_t>>())) {
      read.lines.push_back(filled.lines[line] + (step ? "@" + std::to_string(*step) : ""));
    }
  }
  return read;
}

/// `step`: the checkpoint of the scores that are read at each of them.
void add_scores(const NodeInputs& folders, const std::map<std::string, std::string>& parts,
                const FilledScoreInputs& planned, std::optional<int64_t> step, Inputs& to) {
  for (const auto& [name, filled] : planned) {
    if (filled.pools_checkpoints) {
      to.add(name, pooled_scores(folders, filled));
      continue;
    }
    InputScores read{filled.lines, filled.metrics, {}};
    for (const auto& references : filled.scores) {
      auto& scores = read.scores.emplace_back();
      for (const ScoreReference& reference : references) {
        const PlacedInput at = place_input(folders, parts, reference.node.node, step);
        scores.push_back(score_in(at.folder, reference, at.step));
      }
    }
    to.add(name, std::move(read));
  }
}

/// What a component is given of a text: ids and their lines, or the lines as they were before any
/// tokenizer.
enum class TextForm { kIds, kLines };

/// Reads what fills the inputs of a node. What does not change from one kept checkpoint to the next
/// is read once.
class InputReader {
 public:
  InputReader(const Registries& registries, const std::vector<PlannedInput>& planned,
              const NodeInputs& folders, const std::map<std::string, std::string>& parts,
              TextForm form = TextForm::kIds)
      : registries_(registries), planned_(planned), folders_(folders), parts_(parts), form_(form) {}

  /// `step`: the checkpoint of the inputs that are read at each of them.
  Inputs read(std::optional<int64_t> step = std::nullopt) {
    Inputs inputs;
    for (const PlannedInput& input : planned_) {
      const auto part = parts_.find(input.slot);
      const bool changes = part != parts_.end() && part->second == kAllCheckpoints;
      switch (input.type) {
        case ArtifactType::kText:
          inputs.add(input.name,
                     changes ? text(input, step) : once(texts_, input, &InputReader::text));
          if (!input.column.empty()) inputs.add_rows(input.name, rows(input, step));
          break;
        case ArtifactType::kModel:
          inputs.add(input.name,
                     changes ? model(input, step) : once(models_, input, &InputReader::model));
          break;
        case ArtifactType::kTensors:
          inputs.add(input.name,
                     changes ? tensors(input, step) : once(tensors_, input, &InputReader::tensors));
          break;
        case ArtifactType::kDataset:
          inputs.add(input.name, changes ? dataset(input, step)
                                         : once(datasets_, input, &InputReader::dataset));
          break;
        case ArtifactType::kScores: LVT_ASSERT(false, "scores are filled by FilledScoreInputs");
      }
    }
    return inputs;
  }

 private:
  template <class Value>
  const Value& once(std::map<std::string, Value>& known, const PlannedInput& input,
                    Value (InputReader::*read)(const PlannedInput&, std::optional<int64_t>)) {
    const auto found = known.find(input.slot);
    if (found != known.end()) return found->second;
    return known.emplace(input.slot, (this->*read)(input, std::nullopt)).first->second;
  }

  Text text(const PlannedInput& input, std::optional<int64_t> step) {
    const PlacedInput at = place_input(folders_, parts_, input.slot, step);
    const auto folder = at.step ? part_folder(at.folder, *at.step) : at.folder;
    if (!input.column.empty()) {
      const Text column = read_ids(folder, tokenizer(at), input.column);
      return form_ == TextForm::kLines ? Text({column.lines().begin(), column.lines().end()})
                                       : column;
    }
    return form_ == TextForm::kLines ? Text(written_lines(folder))
                                     : read_ids(folder, tokenizer(at));
  }

  std::vector<int64_t> rows(const PlannedInput& input, std::optional<int64_t> step) {
    const PlacedInput at = place_input(folders_, parts_, input.slot, step);
    return ragged_rows(at.step ? part_folder(at.folder, *at.step) : at.folder, input.column);
  }

  Dataset dataset(const PlannedInput& input, std::optional<int64_t> step) {
    const PlacedInput at = place_input(folders_, parts_, input.slot, step);
    const Dataset all = read_dataset(at.step ? part_folder(at.folder, *at.step) : at.folder);
    return input.column.empty() ? all : all.only(input.column);
  }

  LoadedModel model(const PlannedInput& input, std::optional<int64_t> step) {
    const PlacedInput at = place_input(folders_, parts_, input.slot, step);
    LoadedModel model = read_model(at.folder, registries_, at.step, input.device);
    model.tokenizer = tokenizer(at);
    return model;
  }

  std::map<std::string, at::Tensor> tensors(const PlannedInput& input,
                                            std::optional<int64_t> step) {
    const PlacedInput at = place_input(folders_, parts_, input.slot, step);
    return read_tensors(at.step ? part_folder(at.folder, *at.step) : at.folder);
  }

  std::shared_ptr<const Tokenizer> tokenizer(const PlacedInput& at) {
    const auto& folder = folders_.at(at.slot + kTokenizerOf);
    auto& known = tokenizers_[folder];
    if (!known) known = read_tokenizer(folder);
    return known;
  }

  const Registries& registries_;
  const std::vector<PlannedInput>& planned_;
  const NodeInputs& folders_;
  const std::map<std::string, std::string>& parts_;
  TextForm form_;
  std::map<std::filesystem::path, std::shared_ptr<const Tokenizer>> tokenizers_;
  std::map<std::string, Text> texts_;
  std::map<std::string, LoadedModel> models_;
  std::map<std::string, std::map<std::string, at::Tensor>> tensors_;
  std::map<std::string, Dataset> datasets_;
};

/// What a component does with its inputs: files in a folder.
using Work = std::function<WrittenFiles(const std::filesystem::path& folder, Inputs inputs,
                                        const Notify& progress)>;

/// Lets the node do the work, once for each kept checkpoint where an input is read at each of them.
void set_work(GraphNode& node, const Registries& registries, std::vector<PlannedInput> planned,
              FilledScoreInputs scores, Work work) {
  const std::string period = node.checkpoints;
  std::string leading;  // a slot that is read at each checkpoint
  for (const auto& [slot, part] : node.parts) {
    if (part == kAllCheckpoints) leading = slot;
  }
  if (!period.empty()) {
    if (node.cost.is_null()) node.cost = {{"options", node.options}};
    node.cost["checkpoints"] = period;  // the time of all of them
  }
  node.run = [&registries, planned = std::move(planned), scores = std::move(scores), period,
              leading, work = std::move(work)](NodeRun& run) {
    const torch::NoGradGuard no_grad;
    InputReader reader(registries, planned, run.inputs, run.parts);
    const auto read = [&](std::optional<int64_t> step) {
      Inputs inputs = reader.read(step);
      add_scores(run.inputs, run.parts, scores, step, inputs);
      return inputs;
    };
    if (period.empty()) {
      WrittenFiles written = work(run.folder.path(), read(std::nullopt), run.progress);
      run.outputs = std::move(written.files);
      if (!written.facts.empty()) run.facts = std::move(written.facts);
      return;
    }
    run_parts(run, period, kept_steps(run.input(leading), period),
              [&](const std::filesystem::path& folder, int64_t step) {
                return work(folder, read(step), [&](const std::string& text) {
                  run.progress("checkpoint " + std::to_string(step) + ": " + text);
                });
              });
  };
}

/// What the time of inference depends on: its options and those of what it reads.
nlohmann::json cost_of(const Graph& graph, const GraphNode& node,
                       const std::vector<PlannedInput>& planned) {
  nlohmann::json cost = {{"options", node.options}};
  cost["options"].erase("seed");
  cost["options"].erase("first");
  for (const PlannedInput& input : planned) {
    const GraphNode& filling = graph.at(input.typical);
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

/// The component with these parts, by their keys.
Configured with_parts(const Configured& component, const std::vector<std::string>& keys) {
  std::vector<Node::Entry> parts;
  for (size_t i = 0; i < keys.size(); ++i) {
    parts.push_back({"part_" + std::to_string(i),
                     node_of_json(nlohmann::ordered_json::parse(keys[i]), "part"),
                     {}});
  }
  return component.component->configure(component.options.with(
      {component.component->parts_option, Node::mapping(std::move(parts)), {}}));
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

/// Adds an item of a column to the row that is being written.
void add_item(DatasetWriter& writer, size_t place, const InferredColumn& column, int64_t item) {
  const at::Tensor& values = column.values;
  const int64_t width = column.decl.kind == ColumnKind::kText ? 0 : column.decl.width();
  switch (column.decl.kind) {
    case ColumnKind::kText: return writer.add_text(place, column.text.ids()[item]);
    case ColumnKind::kLabel:
      return writer.add_label(place, static_cast<int32_t>(values[item].item<int64_t>()));
    case ColumnKind::kNumber:
    case ColumnKind::kVector:
      return writer.add_numbers(
          place, {values.const_data_ptr<float>() + item * width, static_cast<size_t>(width)});
    case ColumnKind::kImage:
      return writer.add_image(
          place, {values.const_data_ptr<uint8_t>() + item * width, static_cast<size_t>(width)});
  }
}

/// Writes columns, of equally many rows each, as one dataset.
void write_columns(const std::filesystem::path& file, std::vector<InferredColumn> columns,
                   const std::vector<int64_t>& parents) {
  std::vector<ColumnDecl> decls;
  int64_t rows = -1;
  for (InferredColumn& column : columns) {
    const bool is_text = column.decl.kind == ColumnKind::kText;
    if (is_text) column.decl.vocabulary = column.text.tokenizer()->vocabulary();
    if (!is_text) column.values = column.values.contiguous();
    decls.push_back(column.decl);
    const int64_t items =
        is_text ? static_cast<int64_t>(column.text.size()) : column.values.size(0);
    const int64_t own = column.decl.ragged ? std::ssize(column.rows) - 1 : items;
    LVT_ASSERT(rows < 0 || rows == own, "the column '" + column.decl.name + "' has other rows");
    rows = own;
  }
  LVT_ASSERT(parents.empty() || std::ssize(parents) == rows, "parents of other rows");
  DatasetWriter writer(file, decls);
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t c = 0; c < columns.size(); ++c) {
      const InferredColumn& column = columns[c];
      const bool ragged = column.decl.ragged;
      const int64_t begin = ragged ? column.rows[row] : row;
      const int64_t end = ragged ? column.rows[row + 1] : row + 1;
      for (int64_t item = begin; item < end; ++item) add_item(writer, c, column, item);
    }
    writer.end_row(parents.empty() ? std::nullopt : std::optional(parents[row]));
  }
  writer.finish();
}

/// Writes what inference leaves.
WrittenFiles write_inferred(const std::filesystem::path& folder, const Inferred& inferred) {
  WrittenFiles written{.facts = inferred.facts};
  const bool has_text = inferred.text.has_ids();
  std::vector<InferredColumn> columns;
  if (has_text) columns.push_back({.decl = {.name = "text"}, .text = inferred.text});
  columns.insert(columns.end(), inferred.columns.begin(), inferred.columns.end());
  if (!columns.empty()) {
    write_columns(folder / kDatasetFile, std::move(columns), inferred.parents);
    written.files.emplace_back(kDatasetFile);
  }
  if (has_text) {
    write_lines(folder / "text.txt", {inferred.text.lines().begin(), inferred.text.lines().end()});
    written.files.emplace_back("text.txt");
  }
  if (!inferred.tensors.empty()) {
    write_safetensors(folder / kTensors, inferred.tensors);
    written.files.emplace_back(kTensors);
  }
  return written;
}

/// Lets the node of inference that leaves named parts compute those that it lacks, together.
void set_parts_work(GraphNode& node, const Registries& registries,
                    std::vector<PlannedInput> planned, const Configured& component) {
  if (!node.checkpoints.empty()) {
    throw ConfigError("'" + node.name +
                      "' leaves named parts, and cannot leave them for each kept checkpoint; read "
                      "one of these, such as MODEL@last");
  }
  node.named_parts = std::make_shared<std::vector<std::string>>();
  for (const NamedPart& part : component.parts) node.named_parts->push_back(part.key);
  node.has_parts = [asked = node.named_parts](const nlohmann::ordered_json& manifest) {
    return has_named_parts(manifest, *asked);
  };
  node.run = [&registries, planned = std::move(planned), component,
              asked = node.named_parts](NodeRun& run) {
    run_named_parts(run, *asked, [&](const std::vector<size_t>& lacking) {
      const torch::NoGradGuard no_grad;
      // Other entries of the recipe may ask the same node for parts of their own.
      const Configured whole = with_parts(component, *asked);
      const auto& inference = dynamic_cast<const InferenceOfParts&>(*whole.inference);
      const Inputs inputs = InputReader(registries, planned, run.inputs, run.parts).read();
      std::vector<PartWriter> writers;
      for (Inferred& part : inference.run_parts(inputs, lacking, run.progress)) {
        writers.push_back([left = std::move(part)](const std::filesystem::path& folder) {
          return write_inferred(folder, left);
        });
      }
      return writers;
    });
  };
}

}  // namespace

std::string add_evaluation(Graph& graph, const Registries& registries, const std::string& name,
                           const Configured& evaluator, const FilledInputs& inputs,
                           const FilledScoreInputs& scores) {
  GraphNode node = node_of(evaluator, NodeKind::kScore, name);
  auto planned = plan_inputs(graph, node, evaluator.inputs, inputs);
  auto combined = plan_scores(graph, node, scores);
  set_work(
      node, registries, std::move(planned), std::move(combined),
      [&known = evaluator.component->scores, built = evaluator.evaluator](
          const std::filesystem::path& folder, Inputs given, const Notify& progress) {
        given.set_trainer([&progress](std::shared_ptr<Trainable> model, const TrainOptions& options,
                                      const Streams& train, const Streams& validation) {
          return train_in_memory(
              std::move(model), options, train, validation,
              [&progress](const TrainProgress& at) { progress(progress_text(at)); });
        });
        const std::vector<Score> scores = built->evaluate(given);
        for (const Score& score : scores) {
          LVT_ASSERT(std::find(known.begin(), known.end(), score.id) != known.end(),
                     "the score '" + score.id + "' is not among the evaluator's score_ids()");
        }
        write_file_atomic(folder / kScores, scores_text(scores));
        return WrittenFiles{.files = {kScores}};
      });
  return graph.add(std::move(node));
}

std::string add_inference_node(Graph& graph, const Registries& registries, const std::string& name,
                               const Configured& component, const FilledInputs& inputs,
                               int64_t seed) {
  GraphNode node = node_of(component, NodeKind::kProduce, name);
  node.seed = seed;
  const std::string& parts = component.component->parts_option;
  if (!parts.empty()) node.options.erase(parts);
  auto planned = plan_inputs(graph, node, component.inputs, inputs);
  node.cost = cost_of(graph, node, planned);
  if (!parts.empty()) {
    set_parts_work(node, registries, std::move(planned), component);
  } else {
    set_work(node, registries, std::move(planned), {},
             [built = component.inference](const std::filesystem::path& folder, const Inputs& given,
                                           const Notify& progress) {
               return write_inferred(folder, built->run(given, progress));
             });
  }
  return graph.add(std::move(node));
}

std::string add_fit_node(Graph& graph, const Registries& registries, const std::string& name,
                         const Configured& fit, const FilledInputs& inputs, int64_t seed) {
  GraphNode node = node_of(fit, NodeKind::kModel, name);
  node.options = {{"model", node.options}, {"seed", seed}};
  node.seed = seed;
  const auto planned = plan_inputs(graph, node, fit.inputs, inputs);
  LVT_ASSERT(node.checkpoints.empty(), "a model is fitted to one checkpoint");
  node.run = [&registries, planned, fit, seed](NodeRun& run) {
    const torch::NoGradGuard no_grad;
    const Inputs read = InputReader(registries, planned, run.inputs, run.parts).read();
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
                   const FilledScoreInputs& scores, std::optional<int64_t> step) {
  GraphNode reader;
  const auto planned = plan_inputs(graph, reader, declared, filled);
  const auto combined = plan_scores(graph, reader, scores);
  NodeInputs folders;
  for (const auto& [slot, name] : reader.inputs) folders[slot] = status.at(name).folder;
  LVT_ASSERT(reader.checkpoints.empty() || step, "one checkpoint is read at a time");
  Inputs inputs =
      InputReader(registries, planned, folders, reader.parts, TextForm::kLines).read(step);
  add_scores(folders, reader.parts, combined, step, inputs);
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
    run.outputs =
        write_inferred(run.folder.path(), {.text = Text({ids.begin(), ids.end()}, tokenizer)})
            .files;
    run.facts = {{"count", ids.size()}};
  };
  return graph.add(std::move(node));
}

std::vector<Score> read_scores(const std::filesystem::path& folder, std::optional<int64_t> step) {
  std::vector<Score> scores;
  const FinishedRun run(step ? part_folder(folder, *step) : folder);
  for (const auto& line : read_written_lines(run, kScores)) {
    scores.push_back(read_score(line));
  }
  return scores;
}

std::map<std::string, at::Tensor> read_tensors(const std::filesystem::path& folder) {
  return read_safetensors(FinishedRun(folder).file(kTensors)).tensors;
}

}  // namespace lvtext
