#include "framework/graph/train_nodes.h"

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/checkpoint.h"
#include "framework/graph/data_nodes.h"
#include "framework/model/corpus_stream.h"
#include "framework/options/dump.h"
#include "framework/options/yaml.h"
#include "framework/tensor/device.h"
#include "trainers/trainer.h"

namespace lvtext {
namespace {

nlohmann::json json_of(const Node& node) { return nlohmann::json::parse(canonical_json(node)); }

/// Training options that decide the outcome: not how often state is saved or what is kept of it.
nlohmann::json outcome_options(const TrainOptions& train) {
  nlohmann::json options = json_of(to_node(train));
  options.erase("save");
  options.erase("keep");
  options["device"] = resolve_device(train.device).is_cuda() ? "cuda" : "cpu";
  return options;
}

std::shared_ptr<const Stream> stream_of(const std::filesystem::path& pack, const TrainOptions& train,
                                        BatchKind kind) {
  return std::make_shared<CorpusStream>(
      read_pack(pack), BatchOptions{kind, train.batch.sentences, train.batch.tokens, 0, train.seed});
}

}  // namespace

std::string progress_text(const TrainProgress& progress) {
  std::string text = "step " + format_count(progress.step);
  if (progress.planned) text += "/" + format_count(*progress.planned);
  char number[64];
  for (const auto& [name, value] : progress.terms) {
    std::snprintf(number, sizeof number, " %.3f", value);
    text += " | " + name + number;
  }
  for (const auto& [name, value] : progress.lr) text += " | lr " + format_number(value);
  for (const auto& [name, value] : progress.gradient_norm) {
    std::snprintf(number, sizeof number, " | gn %.2f", value);
    text += number;
  }
  text += " | " + format_count(static_cast<int64_t>(progress.tokens_per_second)) + " tok/s";
  text += " | " + format_bytes(progress.memory_bytes);
  if (progress.seconds_left) text += " | ETA " + format_seconds(*progress.seconds_left);
  return text;
}

std::string add_training(Graph& graph, const Registries& registries, const Training& training) {
  const ModelEntry& entry = registries.models.get(training.model);
  GraphNode node;
  node.name = training.name;
  node.kind = NodeKind::kTrain;
  node.component = training.model;
  node.revision = entry.revision;
  node.plugin = entry.about.plugin;
  node.seed = training.train.seed;
  node.options = {{"model", json_of(entry.canonical(training.options))},
                  {"train", outcome_options(training.train)}};
  node.inputs = {{"train", training.train_pack}, {"valid", training.valid_pack}};
  node.run = [&entry, training](NodeRun& run) {
    const TrainOptions& options = training.train;
    const int64_t vocabulary = read_pack(run.input("train"))->vocab();
    const std::shared_ptr<Trainable> model = entry.build(
        training.options, ModelInputs{vocabulary, static_cast<uint64_t>(options.seed)});
    FolderHost host(run.folder, Retention{options.keep.last, options.keep.every, {}},
                    training.config, [&run](const TrainProgress& progress) {
                      run.progress(progress_text(progress));
                    });
    Trainer trainer(model, options,
                    {{"train", stream_of(run.input("train"), options, BatchKind::kBucketed)}},
                    {{"train", stream_of(run.input("valid"), options, BatchKind::kSequential)}},
                    host);
    const TrainResult result = trainer.train();
    const std::string weights = "snapshots/" + step_folder_name(result.selected_step);
    run.outputs = {weights + "/manifest.json", weights + "/model.safetensors", "log.jsonl"};
    run.facts = {{"model", training.model},
                 {"options", json_of(entry.canonical(training.options))},
                 {"vocabulary", vocabulary},
                 {"seed", options.seed},
                 {"steps", result.steps},
                 {"stopped_by", result.stopped_by},
                 {"selected_step", result.selected_step}};
    if (result.best_step) {
      run.facts["best_step"] = *result.best_step;
      run.facts["best_objective"] = result.best_objective;
    }
  };
  return graph.add(std::move(node));
}

TrainedModel read_trained(const std::filesystem::path& folder, const Registries& registries,
                          std::optional<int64_t> snapshot) {
  const auto manifest = read_run_manifest(folder);
  if (!manifest || manifest->value("node_kind", "") != "train") {
    throw MissingError("'" + folder.string() +
                       "' is not a finished training; run its recipe again to finish it, or see "
                       "`lvtext runs ls`");
  }
  const auto& facts = manifest->at("facts");
  TrainedModel trained;
  trained.name = facts.at("model").get<std::string>();
  trained.step = snapshot.value_or(facts.at("selected_step").get<int64_t>());
  const ModelEntry& entry = registries.models.get(trained.name);
  trained.model =
      entry.build(parse_yaml_or_throw(facts.at("options").dump(), folder / "manifest.json"),
                  ModelInputs{facts.at("vocabulary").get<int64_t>(),
                              facts.at("seed").get<uint64_t>()});
  const auto weights = folder / "snapshots" / step_folder_name(trained.step);
  if (!std::filesystem::exists(weights)) {
    throw MissingError("'" + folder.string() + "' keeps no weights of step " +
                       std::to_string(trained.step));
  }
  load_into(model_tensors(*trained.model), load_model_tensors(weights), weights.string());
  trained.model->eval();
  return trained;
}

}  // namespace lvtext
