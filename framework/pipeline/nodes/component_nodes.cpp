#include "framework/pipeline/nodes/component_nodes.h"

#include <algorithm>
#include <cmath>

#include "evaluators/evaluate.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/safetensors.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/options/json.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/nodes/input_reader.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/nodes/train_nodes.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/model_weights.h"
#include "framework/pipeline/store/node_parts.h"
#include "framework/pipeline/store/score_file.h"
#include "trainers/memory_training.h"

namespace lvtext {
namespace {

/// Inputs of a component.
struct Given {
  Inputs inputs;
  std::vector<int64_t> parents;  ///< parents of the rows of the input Component::rows_of
};

/// Work of a component: writes files to a folder.
using Work = std::function<WrittenFiles(const std::filesystem::path& folder, Given given,
                                        const Notify& progress)>;

/// Sets the work of the node, which runs once per kept checkpoint if an input is read at each of
/// them.
void set_work(GraphNode& node, const Registries& registries, std::vector<PlannedInput> planned,
              FilledScoreInputs scores, const std::string& rows_of, Work work) {
  const std::string period = node.checkpoints;
  std::string leading;  // an input that is read at each checkpoint
  for (const auto& [input_key, part] : node.parts) {
    if (part == kAllCheckpoints) leading = input_key;
  }
  if (!period.empty()) {
    if (node.cost.is_null()) node.cost = {{"options", node.options}};
    node.cost["checkpoints"] = period;  // the time includes all checkpoints
  }
  node.run = [&registries, planned = std::move(planned), scores = std::move(scores), period,
              leading, rows_of, work = std::move(work)](NodeRun& run) {
    const torch::NoGradGuard no_grad;
    InputReader reader(registries, planned, run.inputs, run.parts);
    const auto read = [&](std::optional<int64_t> step) {
      Given given{reader.read(step), reader.parents(rows_of, step)};
      add_scores(run.inputs, run.parts, scores, step, given.inputs);
      return given;
    };
    if (period.empty()) {
      WrittenFiles written = work(run.folder.path(), read(std::nullopt), run.progress);
      run.outputs = std::move(written.files);
      if (!written.metadata.empty()) run.metadata = std::move(written.metadata);
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

/// Returns the options that the time of inference depends on: its own and those of its inputs.
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

/// Returns the component configured with the parts of these keys.
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

/// Returns the vocabularies of the texts that a model is fitted to, one stream per text.
StreamShapes shapes_of(const Inputs& read, const std::vector<PlannedInput>& planned) {
  StreamShapes shapes;
  for (const PlannedInput& input : planned) {
    if (input.type != ArtifactType::kText) continue;
    shapes[input.name] = {{.vocabulary = read.texts(input.name).front().tokenizer()->vocabulary()}};
  }
  return shapes;
}

/// Adds an item of a column to the current row.
void add_item(DatasetWriter& writer, size_t index, const InferredColumn& column, int64_t item) {
  const at::Tensor& values = column.values;
  const int64_t width = column.decl.kind == ColumnKind::kText ? 0 : column.decl.width();
  switch (column.decl.kind) {
    case ColumnKind::kText: return writer.add_text(index, column.text.ids()[item]);
    case ColumnKind::kLabel:
      return writer.add_label(index, static_cast<int32_t>(values[item].item<int64_t>()));
    case ColumnKind::kNumber:
    case ColumnKind::kVector:
      return writer.add_numbers(
          index, {values.const_data_ptr<float>() + item * width, static_cast<size_t>(width)});
    case ColumnKind::kImage:
      return writer.add_image(
          index, {values.const_data_ptr<uint8_t>() + item * width, static_cast<size_t>(width)});
  }
}

/// Writes columns with equal numbers of rows as one dataset.
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
    LVT_ASSERT(rows < 0 || rows == own,
               "the column '" + column.decl.name + "' has a different number of rows");
    rows = own;
  }
  LVT_ASSERT(parents.empty() || std::ssize(parents) == rows,
             "the number of parents differs from the number of rows");
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

/// Sets the work of an inference node with named parts: computes all missing parts in one pass.
void set_parts_work(GraphNode& node, const Registries& registries,
                    std::vector<PlannedInput> planned, const Configured& component) {
  if (!node.checkpoints.empty()) {
    throw ConfigError("'" + node.name +
                      "' has named parts and cannot run at each kept checkpoint; read one "
                      "checkpoint, such as MODEL@last");
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
      // Other entries of the recipe may request additional parts of the same node.
      const Configured whole = with_parts(component, *asked);
      const auto& inference = dynamic_cast<const InferenceOfParts&>(*whole.inference);
      InputReader reader(registries, planned, run.inputs, run.parts);
      const auto parents = reader.parents(component.component->rows_of);
      std::vector<PartWriter> writers;
      for (Inferred& part : inference.run_parts(reader.read(), lacking, run.progress)) {
        writers.push_back([left = std::move(part), parents](const std::filesystem::path& folder) {
          return write_inferred(folder, left, parents);
        });
      }
      return writers;
    });
  };
}

/// Scores for listings of runs, which do not read score files.
nlohmann::ordered_json score_metadata(const std::vector<Score>& scores) {
  auto list = nlohmann::ordered_json::array();
  for (const Score& score : scores) {
    const bool finite = std::isfinite(score.value);
    list.push_back({{"id", score.id},
                    {"value", finite ? nlohmann::ordered_json(score.value) : nullptr},
                    {"n", score.n},
                    {"state", finite ? "finite" : "not finite"}});
  }
  return {{"scores", list}};
}

}  // namespace

GraphNode component_node(const Configured& configured, NodeKind kind, const std::string& name) {
  const Component& component = *configured.component;
  GraphNode node{.name = name, .kind = kind, .component = component.about.name};
  node.revision = component.revision;
  node.plugin = component.about.plugin;
  node.options = canonical_json(configured.options);
  return node;
}

WrittenFiles write_inferred(const std::filesystem::path& folder, const Inferred& inferred,
                            const std::vector<int64_t>& parents) {
  WrittenFiles written{.metadata = inferred.metadata};
  std::vector<InferredColumn> columns;
  if (inferred.text.has_ids()) columns.push_back({.decl = {.name = "text"}, .text = inferred.text});
  columns.insert(columns.end(), inferred.columns.begin(), inferred.columns.end());
  if (!columns.empty()) {
    write_columns(folder / kDatasetFile, columns, parents);
    written.files.emplace_back(kDatasetFile);
  }
  for (const InferredColumn& column : columns) {
    const std::string& name = column.decl.name;
    const bool is_decoded = column.text.is_decoded();
    // Decoded lines are not read again; those of the text itself are written for users.
    if (!column.text.has_ids() || (is_decoded && name != "text")) continue;
    const auto lines = column.text.lines();
    write_lines(folder / lines_file(name), {lines.begin(), lines.end()});
    written.files.push_back(lines_file(name));
    if (!is_decoded) written.metadata[kLinesOf].push_back(name);
  }
  if (!inferred.tensors.empty()) {
    write_safetensors(folder / kTensorsFile, inferred.tensors);
    written.files.emplace_back(kTensorsFile);
  }
  return written;
}

std::string add_evaluation(Graph& graph, const Registries& registries, const std::string& name,
                           const Configured& evaluator, const FilledInputs& inputs,
                           const FilledScoreInputs& scores) {
  GraphNode node = component_node(evaluator, NodeKind::kScore, name);
  auto planned = plan_inputs(graph, node, evaluator.inputs, inputs);
  auto combined = plan_scores(graph, node, scores);
  set_work(node, registries, std::move(planned), std::move(combined), "",
           [evaluator](const std::filesystem::path& folder, Given given, const Notify& progress) {
             given.inputs.set_trainer(
                 [&progress](std::shared_ptr<Trainable> model, const TrainOptions& options,
                             const DataLoaders& train, const DataLoaders& validation) {
                   return train_in_memory(
                       std::move(model), options, train, validation,
                       [&progress](const TrainerState& state, const TrainerMetrics& metrics) {
                         progress(progress_text(state, metrics));
                       });
                 });
             const std::vector<Score> scores = evaluate(evaluator, given.inputs);
             const std::vector<std::string> known = evaluator.component->score_ids();
             for (const Score& score : scores) {
               LVT_ASSERT(std::find(known.begin(), known.end(), score.id) != known.end(),
                          "the score '" + score.id + "' is not among the evaluator's scores()");
             }
             write_file_atomic(folder / kScoresFile, scores_text(scores));
             return WrittenFiles{.files = {kScoresFile}, .metadata = score_metadata(scores)};
           });
  return graph.add(std::move(node));
}

std::string add_inference_node(Graph& graph, const Registries& registries, const std::string& name,
                               const Configured& component, const FilledInputs& inputs,
                               int64_t seed) {
  GraphNode node = component_node(component, NodeKind::kProduce, name);
  node.seed = seed;
  const std::string& parts = component.component->parts_option;
  if (!parts.empty()) node.options.erase(parts);
  auto planned = plan_inputs(graph, node, component.inputs, inputs);
  const std::string& rows_of_input = component.component->rows_of;
  if (const auto filled = inputs.find(rows_of_input); filled != inputs.end()) {
    node.rows = rows_of_all(graph, filled->second);
  }
  node.cost = cost_of(graph, node, planned);
  if (!parts.empty()) {
    set_parts_work(node, registries, std::move(planned), component);
  } else {
    set_work(node, registries, std::move(planned), {}, rows_of_input,
             [built = component.inference](const std::filesystem::path& folder, const Given& given,
                                           const Notify& progress) {
               return write_inferred(folder, built->run(given.inputs, progress), given.parents);
             });
  }
  return graph.add(std::move(node));
}

std::string add_fit_node(Graph& graph, const Registries& registries, const std::string& name,
                         const Configured& fit, const FilledInputs& inputs, int64_t seed) {
  GraphNode node = component_node(fit, NodeKind::kModel, name);
  node.options = {{"model", node.options}, {"seed", seed}};
  node.seed = seed;
  const auto planned = plan_inputs(graph, node, fit.inputs, inputs);
  LVT_ASSERT(node.checkpoints.empty(), "a fit cannot run at each kept checkpoint");
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
    run.metadata.update({{"model", fit.component->about.name},
                         {"options", canonical_json(fit.options)},
                         {"streams", to_json(surrounding.streams)},
                         {"seed", seed}});
  };
  return graph.add(std::move(node));
}

std::string add_sentences(Graph& graph, const std::string& name, const std::string& text,
                          const SentenceRange& range) {
  GraphNode node{.name = name, .kind = NodeKind::kPack, .component = "sentences"};
  node.revision = 2;  // revision 1 decoded the lines of every text
  node.options = {
      {"at_most", range.at_most}, {"from_share", range.from_share}, {"to_share", range.to_share}};
  if (range.decoded) node.options["decoded"] = true;
  node.inputs = {{"text", text}, {"tokenizer", tokenizer_of(graph, text)}};
  if (!range.decoded) add_records(graph, node, "text", text);
  if (range.is_whole()) node.rows = rows_of(graph, text);
  node.run = [range](NodeRun& run) {
    const auto tokenizer = read_tokenizer(run.input("tokenizer"));
    const auto records = run.inputs.find(std::string("text") + kRecordsOf);
    const Text all =
        read_column(run.input("text"), tokenizer, "text",
                    records == run.inputs.end() ? std::filesystem::path() : records->second);
    const auto size = static_cast<int64_t>(all.size());
    const int64_t n = range.at_most > 0 ? std::min(range.at_most, size) : size;
    const auto position = [n](double share) {
      return static_cast<int64_t>(static_cast<double>(n) * share);
    };
    const int64_t from = position(range.from_share), count = position(range.to_share) - from;
    const auto ids = all.ids().subspan(from, count);
    Text part({ids.begin(), ids.end()}, tokenizer);
    if (!all.is_decoded() && !range.decoded) {
      const auto lines = all.lines().subspan(from, count);
      part = Text({lines.begin(), lines.end()}, {ids.begin(), ids.end()}, tokenizer);
    }
    WrittenFiles written =
        write_inferred(run.folder.path(), {.text = part, .metadata = {{"count", count}}});
    run.outputs = std::move(written.files);
    run.metadata = std::move(written.metadata);
  };
  return graph.add(std::move(node));
}

}  // namespace lvtext
