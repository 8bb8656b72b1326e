#include "framework/pipeline/nodes/input_reader.h"

#include <algorithm>
#include <cmath>

#include "framework/core/base/error.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/nodes/train_nodes.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/node_parts.h"
#include "framework/pipeline/store/score_file.h"

namespace lvtext {
namespace {

/// Returns the name of a node input, "references", "references[1]", ...: each input has one folder.
std::string list_input(const std::string& input, size_t index) {
  return index == 0 ? input : input + "[" + std::to_string(index) + "]";
}

Score score_in(const std::filesystem::path& folder, const ScoreReference& reference,
               std::optional<int64_t> step) {
  const std::vector<Score> all = read_scores(folder, step);
  const Score* score = find_score(all, reference.score, reference.line);
  return score ? *score
               : Score{.id = reference.score,
                       .value = std::nan(""),
                       .reason = missing_score_reason("the row", reference.score)};
}

/// Returns scores with one line for each kept checkpoint of each row. Throws ConfigError if metrics
/// of a row were scored at different checkpoints.
InputScores pooled_scores(const NodeInputs& folders, const FilledScores& filled) {
  InputScores read{{}, filled.metrics, {}};
  read.scores.resize(filled.metrics.size());
  for (size_t line = 0; line < filled.lines.size(); ++line) {
    std::optional<std::vector<std::optional<int64_t>>> of_row;
    for (size_t metric = 0; metric < filled.scores.size(); ++metric) {
      const ScoreReference& reference = filled.scores[metric][line];
      const LocatedInput at = locate_input(folders, {}, reference.node.node);
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

bool has_texts(const Dataset& dataset) {
  const auto& columns = dataset.columns();
  return std::any_of(columns.begin(), columns.end(), [](const DatasetColumn& column) {
    return column.decl().kind == ColumnKind::kText;
  });
}

}  // namespace

std::vector<PlannedInput> plan_inputs(const Graph& graph, GraphNode& node,
                                      const std::vector<InputDecl>& declared,
                                      const FilledInputs& filled) {
  std::vector<PlannedInput> planned;
  for (const InputDecl& input : declared) {
    const auto found = filled.find(input.name);
    if (found == filled.end()) continue;
    const bool is_joined = input.type == ArtifactType::kDataset && !input.is_list();
    const JoinedRows joined = is_joined ? joined_rows(graph, found->second) : JoinedRows{};
    LVT_ASSERT(!joined.unjoinable, "'" + input.name + "' has columns of different records");
    for (size_t i = 0; i < found->second.size(); ++i) {
      const NodePart& filling = found->second[i];
      const GraphNode& typical = graph.at(filling.representative());
      // The column to read is part of the node's identity.
      const std::string column = filling.column.empty() ? "" : ":" + filling.column;
      planned.push_back({list_input(input.name, i) + column, input.name, input.type, typical.name,
                         filling.column, "", is_joined && joined.of_parents[i]});
      if (input.type == ArtifactType::kModel) planned.back().device = device_of(typical);
      add_input(graph, node, planned.back().input_key, filling);
      // A dataset may have no texts and no tokenizer, such as vectors computed from tensors.
      const bool has_tokenizer =
          input.type == ArtifactType::kDataset
              ? find_tokenizer(graph, filling.representative()).has_value()
              : input.type == ArtifactType::kText || input.type == ArtifactType::kModel;
      if (!has_tokenizer) continue;
      add_tokenizers(graph, node, planned.back().input_key, filling);
      if (input.type != ArtifactType::kModel) {
        add_records(graph, node, planned.back().input_key, filling);
      }
    }
  }
  return planned;
}

FilledScoreInputs plan_scores(const Graph& graph, GraphNode& node, FilledScoreInputs filled) {
  for (auto& [name, scores] : filled) {
    LVT_ASSERT(scores.scores.size() == scores.metrics.size(),
               "the numbers of metrics and score lists differ");
    for (size_t metric = 0; metric < scores.scores.size(); ++metric) {
      auto& of_metric = scores.scores[metric];
      LVT_ASSERT(of_metric.size() == scores.lines.size(),
                 "the numbers of scores and rows of a metric differ");
      for (size_t line = 0; line < of_metric.size(); ++line) {
        ScoreReference& score = of_metric[line];
        const std::string& period = graph.at(score.node.representative()).checkpoints;
        std::string input_key =
            name + "[" + std::to_string(metric) + "," + std::to_string(line) + "]";
        if (!score.score.empty()) input_key += "." + score.score;
        if (score.line) input_key += "#" + std::to_string(*score.line);
        if (period.empty()) {
          add_input(graph, node, input_key, score.node);
        } else if (scores.pools_checkpoints) {
          score.period = period;
          input_key += "@" + period;
          node.inputs[input_key] = score.node.node;
        } else {
          add_input(graph, node, input_key, NodePart(score.node.node, kAllCheckpoints));
        }
        score.node = NodePart(input_key);
      }
    }
  }
  return filled;
}

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
        const LocatedInput at = locate_input(folders, parts, reference.node.node, step);
        scores.push_back(score_in(at.folder, reference, at.step));
      }
    }
    to.add(name, std::move(read));
  }
}

Inputs InputReader::read(std::optional<int64_t> step) {
  Inputs inputs;
  for (const PlannedInput& input : planned_) {
    const auto part = parts_.find(input.input_key);
    const bool changes = part != parts_.end() && part->second == kAllCheckpoints;
    switch (input.type) {
      case ArtifactType::kText:
        inputs.add(input.name,
                   changes ? text(input, step) : once(texts_, input, &InputReader::text));
        if (!input.column.empty())
          inputs.add_rows(input.name, ragged_rows(folder_of(input, step), input.column));
        break;
      case ArtifactType::kModel:
        inputs.add(input.name,
                   changes ? model(input, step) : once(models_, input, &InputReader::model));
        break;
      case ArtifactType::kTensors:
        inputs.add(input.name,
                   changes ? tensors(input, step) : once(tensors_, input, &InputReader::tensors));
        break;
      case ArtifactType::kDataset: {
        const Dataset rows =
            changes ? dataset(input, step) : once(datasets_, input, &InputReader::dataset);
        if (!has_texts(rows)) {
          inputs.add(input.name, rows, input.of_parents);
          break;
        }
        inputs.add(input.name, rows, input.of_parents, tokenizer(input, step),
                   columns(input, step));
        break;
      }
      case ArtifactType::kRecords:
        inputs.add(input.name, read_all_records(folder_of(input, step)));
        break;
      case ArtifactType::kScores: LVT_ASSERT(false, "scores are filled by FilledScoreInputs");
    }
  }
  return inputs;
}

std::vector<int64_t> InputReader::parents(const std::string& input,
                                          std::optional<int64_t> step) const {
  for (const PlannedInput& each : planned_) {
    if (each.name != input || each.of_parents) continue;
    const Dataset dataset = read_dataset(folder_of(each, step));
    return {dataset.parents().begin(), dataset.parents().end()};
  }
  return {};
}

std::filesystem::path InputReader::folder_of(const PlannedInput& input,
                                             std::optional<int64_t> step) const {
  const LocatedInput at = locate_input(folders_, parts_, input.input_key, step);
  return at.step ? part_folder(at.folder, *at.step) : at.folder;
}

template <class Value>
const Value& InputReader::once(std::map<std::string, Value>& known, const PlannedInput& input,
                               Value (InputReader::*read)(const PlannedInput&,
                                                          std::optional<int64_t>)) {
  const auto found = known.find(input.input_key);
  if (found != known.end()) return found->second;
  return known.emplace(input.input_key, (this->*read)(input, std::nullopt)).first->second;
}

Text InputReader::text(const PlannedInput& input, std::optional<int64_t> step) {
  return columns(input, step)(input.column.empty() ? "text" : input.column);
}

Inputs::ColumnReader InputReader::columns(const PlannedInput& input, std::optional<int64_t> step) {
  const LocatedInput at = locate_input(folders_, parts_, input.input_key, step);
  const auto records = folders_.find(at.input_key + kRecordsOf);
  return [folder = folder_of(input, step), words = tokenizer(input, step),
          records = records == folders_.end() ? std::filesystem::path() : records->second](
             const std::string& column) { return read_column(folder, words, column, records); };
}

LoadedModel InputReader::model(const PlannedInput& input, std::optional<int64_t> step) {
  const LocatedInput at = locate_input(folders_, parts_, input.input_key, step);
  LoadedModel model = read_model(at.folder, registries_, at.step, input.device);
  model.tokenizer = tokenizer(input, step);
  return model;
}

std::map<std::string, at::Tensor> InputReader::tensors(const PlannedInput& input,
                                                       std::optional<int64_t> step) {
  return read_tensors(folder_of(input, step));
}

Dataset InputReader::dataset(const PlannedInput& input, std::optional<int64_t> step) {
  const Dataset all = read_dataset(folder_of(input, step));
  return input.column.empty() ? all : all.only(input.column);
}

std::shared_ptr<const Tokenizer> InputReader::tokenizer(const PlannedInput& input,
                                                        std::optional<int64_t> step) {
  const LocatedInput at = locate_input(folders_, parts_, input.input_key, step);
  const auto folder = folders_.find(at.input_key + kTokenizerOf);
  if (folder == folders_.end()) return nullptr;  // a model of images
  auto& known = tokenizers_[folder->second];
  if (!known) known = read_tokenizer(folder->second);
  return known;
}

Inputs read_filled(const Graph& graph, const GraphStatus& status, const Registries& registries,
                   const std::vector<InputDecl>& declared, const FilledInputs& filled,
                   const FilledScoreInputs& scores, std::optional<int64_t> step) {
  GraphNode reader;
  const auto planned = plan_inputs(graph, reader, declared, filled);
  const auto combined = plan_scores(graph, reader, scores);
  NodeInputs folders;
  for (const auto& [input_key, name] : reader.inputs) folders[input_key] = status.at(name).folder;
  LVT_ASSERT(reader.checkpoints.empty() || step, "inputs at each checkpoint require a step");
  Inputs inputs = InputReader(registries, planned, folders, reader.parts).read(step);
  add_scores(folders, reader.parts, combined, step, inputs);
  return inputs;
}

}  // namespace lvtext
