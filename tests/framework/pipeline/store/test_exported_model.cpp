// Models exported from a folder of runs, read from the exported and from an imported folder, and
// used in other recipes.
#include "framework/pipeline/store/exported_model.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/run_folder.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/trainable.h"
#include "framework/core/options/json.h"
#include "framework/core/options/yaml.h"
#include "framework/core/text/words.h"
#include "framework/pipeline/check/inline_models.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/kept_weights.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/node_tokenizer.h"
#include "framework/pipeline/store/trained_run.h"
#include "models/register.h"
#include "tests/contract/contract_parts.h"
#include "tests/framework/pipeline/runs/store.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_models(each);
    return each;
  }();
  return all;
}

constexpr const char* kTokenizerHash = "00000001";

/// A finished tokenizer of 13 words.
fs::path write_tokenizer(const fs::path& runs) {
  const std::string label = "p.data-tokenizer.smoke.s1";
  const auto folder = runs / (label + "-" + kTokenizerHash);
  fs::create_directories(folder);
  Words::count({"a b c d e f g h i"}, {}).save(folder / "words.json");
  write_run_manifest(folder, {"words.json"},
                     {{"identity", kTokenizerHash + std::string(56, '0')},
                      {"kind", "fit"},
                      {"component", "words"},
                      {"revision", 1},
                      {"options", nlohmann::json::object()},
                      {"inputs", nlohmann::json::object()},
                      {"metadata", nullptr}});
  return folder;
}

/// The tensors of a model; a model that is not fitted yet gets values for its buffers.
TensorMap tensors_of(const Configured& configured, const ModelInputs& inputs) {
  if (!configured.fit) return copy_of(model_tensors(*configured.model(inputs)));
  TensorMap tensors;
  for (const auto& buffer : configured.fit(inputs)->named_buffers()) {
    tensors[buffer.key()] = at::arange(26, at::kFloat).reshape({13, 2});
  }
  return tensors;
}

/// A finished training or fit of a registered model below `runs`; `models`: folders of the models
/// that it reads.
fs::path write_run(const fs::path& runs, const std::string& name, const std::string& hash,
                   const std::map<std::string, std::string>& models = {}) {
  const Component& component = registries().models.get(name);
  Configured configured = component.configure(testing::small_options(component));
  std::erase_if(configured.inputs,
                [](const InputDecl& input) { return input.arity == InputDecl::Arity::kOptional; });
  ModelInputs inputs = testing::toy_inputs(
      registries(), configured.fit ? Configured{.component = configured.component} : configured, 3);
  if (configured.fit) {  // a fit has a stream for each text that it reads
    for (const InputDecl& input : configured.inputs) {
      inputs.streams[input.name] = inputs.streams.at("train");
    }
  }
  const auto folder = runs / ("p." + name + ".smoke.s3-" + hash);
  CheckpointContents contents;
  contents.model = tensors_of(configured, inputs);
  save_checkpoint(folder / "snapshots", 7, contents);
  nlohmann::ordered_json run_inputs = {{"tokenizer", write_tokenizer(runs).filename().string()}};
  for (const auto& [input, model] : models) {
    run_inputs[given_input(input)] = model;
    run_inputs[given_input(input) + kTokenizerOf] = run_inputs["tokenizer"];
  }
  write_run_manifest(folder, weight_files(7),
                     {{"identity", hash + std::string(56, '0')},
                      {"name", "p." + name + ".smoke.s3"},
                      {"kind", component.is_fitted ? "model" : "train"},
                      {"component", name},
                      {"revision", component.revision},
                      {"options", {{"train", {{"device", "cpu"}}}}},
                      {"inputs", run_inputs},
                      {"metadata",
                       {{"model", name},
                        {"options", canonical_json(configured.options)},
                        {"streams", to_json(inputs.streams)},
                        {"seed", 3},
                        {"selected_step", 7}}}});
  return folder;
}

bool equal(const TensorMap& a, const TensorMap& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && at::equal(x.second, y.second);
  });
}

TensorMap tensors_of(const LoadedModel& loaded) {
  if (auto* trained = dynamic_cast<Trainable*>(loaded.model.get())) return model_tensors(*trained);
  TensorMap tensors;
  for (const auto& buffer : loaded.model->named_buffers()) tensors[buffer.key()] = buffer.value();
  return tensors;
}

fs::path weights_of(const fs::path& run) {
  return run / "snapshots" / step_folder_name(7);
}

}  // namespace

TEST_CASE("exported model: every registered model and fit is exported and read back", "[store]") {
  for (const auto& name : registries().models.names()) {
    INFO(name);
    const TemporaryFolder scratch;
    std::map<std::string, std::string> models;
    const Component& component = registries().models.get(name);
    const Configured configured = component.configure(testing::small_options(component));
    if (!configured.fit) {
      for (const InputDecl& input : configured.inputs) {
        if (input.arity == InputDecl::Arity::kOptional) continue;
        const bool is_text = capability_mismatch(input, registries().models.get("rnn_lm")).empty();
        models[input.name] =
            write_run(scratch.path, is_text ? "rnn_lm" : "tti_gan", "0000000a").filename().string();
      }
    }
    const fs::path run = write_run(scratch.path, name, "0000000b", models);
    const TensorMap weights = load_model_tensors(weights_of(run));
    const fs::path folder = scratch.path / "exported";
    write_exchange(folder, exported_model(run, weights_of(run)));
    REQUIRE(is_exported_model(folder));
    const LoadedModel loaded = load_exported(folder, registries());
    CHECK(equal(tensors_of(loaded), weights));
    CHECK(loaded.component == name);
    CHECK(loaded.step == 7);
    REQUIRE(loaded.tokenizer);
    CHECK(loaded.tokenizer->encode("a i") ==
          read_trained_run(run, registries()).model.tokenizer->encode("a i"));
    CHECK(read_exported(folder).inputs.size() == models.size());
    // The run of a later command: the folder with the runs does not exist.
    fs::rename(run, scratch.path / "gone");
    const TrainedRun used = read_trained_run(folder, registries());
    CHECK(used.seed == 3);
    CHECK(used.finished);
    CHECK_THROWS_AS(split_of_run(used, "train"), MissingError);
    CHECK_THROWS_AS(read_trained_run(folder, registries(), "last"), UsageError);
  }
}

TEST_CASE("exported model: wrong weights and configurations are refused", "[store]") {
  const TemporaryFolder scratch;
  const fs::path run = write_run(scratch.path, "rnn_lm", "0000000b");
  ExchangeFolder contents = exported_model(run, weights_of(run));
  const auto refusal = [&] {
    const fs::path folder = scratch.path / "e";
    fs::remove_all(folder);
    write_exchange(folder, contents);
    try {
      load_exported(folder, registries());
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal().empty());
  SECTION("a value that is not finite") {
    contents.tensors.begin()->second.view({-1})[0] = NAN;
    CHECK_THAT(refusal(), Contains("not finite") && Contains(contents.tensors.begin()->first));
  }
  SECTION("a tensor of another shape") {
    contents.tensors.begin()->second = at::zeros({1});
    CHECK_THAT(refusal(), Contains("does not fit the model"));
  }
  SECTION("an unknown model") {
    contents.config[kOwnConfig]["model"] = "unknown_lm";
    CHECK_THAT(refusal(), Contains("unknown model 'unknown_lm'") && Contains("--plugin"));
  }
  SECTION("a foreign configuration") {
    contents.config = {{"model_type", "gpt2"}};
    CHECK_THAT(refusal(), Contains("does not specify the model"));
  }
}

TEST_CASE("exported model: a damaged description of its text is reported", "[store]") {
  const TemporaryFolder scratch;
  const fs::path run = write_run(scratch.path, "rnn_lm", "0000000b");
  auto manifest = *read_run_manifest(run);
  const fs::path text = scratch.path / "p.data-pack-train.smoke.s1-0000000c";
  manifest["inputs"] = {{"train", text.filename().string()}};
  for (const char* field : {"schema", "files", "sha256"}) manifest.erase(field);
  write_run_manifest(run, weight_files(7), manifest);
  fs::create_directories(text);
  write_file_synced(text / kNodeFile, "{}");
  CHECK_THROWS_WITH(exported_model(run, weights_of(run)),
                    Contains(text.filename().string()) && Contains("does not describe a node"));
}

namespace {

InputDecl language_model() {
  return {.name = "lm", .type = ArtifactType::kModel, .capabilities = {"next_token_model"}};
}

/// Reads an inline model. Returns the mistakes.
std::string read(const std::string& yaml, std::optional<InlineModel>& model) {
  Errors errors;
  const InputDecl input = language_model();
  const Node node = effective_input(input, parse_yaml_or_throw(yaml, "test"), registries());
  model = read_inline_model(input, node, {}, {}, registries(), errors, "lm");
  return errors.empty() ? "" : errors.report();
}

/// Adds the model to a graph, runs it and loads it.
LoadedModel run_inline(const InlineModel& model, const fs::path& runs, GraphNode& node) {
  Graph graph("other", "smoke");
  const std::string name = add_inline_model(graph, registries(), model, {.name = "judge"});
  const auto status = run_graph(graph, {name}, runs);
  INFO(status.at(name).reason);
  REQUIRE(status.at(name).state == NodeState::kFinished);
  node = graph.at(name);
  LoadedModel loaded = read_model(status.at(name).folder, registries());
  loaded.tokenizer = read_tokenizer(status.at(tokenizer_of(graph, name)).folder);
  return loaded;
}

}  // namespace

TEST_CASE("exported model: a recipe imports it without word vectors", "[store]") {
  const TemporaryFolder scratch;
  const fs::path run = write_run(scratch.path, "rnn_lm", "0000000b");
  const fs::path folder = scratch.path / "exported";
  write_exchange(folder, exported_model(run, weights_of(run)));
  std::optional<InlineModel> model;
  for (const fs::path& weights : {folder, folder / "model.safetensors"}) {
    const std::string written = "{import: rnn_lm, weights: " + weights.string();
    REQUIRE(read(written + "}", model).empty());
    GraphNode node;
    const LoadedModel loaded = run_inline(*model, scratch.path / "runs", node);
    CHECK(equal(tensors_of(loaded), load_model_tensors(weights_of(run))));
    CHECK(loaded.tokenizer->encode("a i").size() == 2);
    CHECK_THAT(read(written + ", embedding: 5}", model),
               Contains("its options differ from those of"));
  }
  CHECK_THAT(read("{import: vae, weights: " + folder.string() + "}", model),
             Contains("lacks the capability") || Contains("has the model \"rnn_lm\""));
}

TEST_CASE("exported model: a recipe reads a finished model of another recipe", "[store]") {
  const TemporaryFolder scratch;
  const fs::path run = write_run(scratch.path, "rnn_lm", "0000000b");
  run_finder() = [&](const std::string& name) -> fs::path {
    if (name != "p/rnn_lm") throw MissingError("no run '" + name + "'");
    return fs::path(run);
  };
  std::optional<InlineModel> model;
  REQUIRE(read("{run: p/rnn_lm}", model).empty());
  GraphNode node;
  const LoadedModel loaded = run_inline(*model, scratch.path, node);
  CHECK(node.identity == "0000000b" + std::string(56, '0'));  // that of the run
  CHECK(loaded.identity == "0000000b");
  CHECK(equal(tensors_of(loaded), load_model_tensors(weights_of(run))));
  CHECK_THAT(read("{run: p/other}", model), Contains("lm.run: no run 'p/other'"));
  CHECK_THAT(read("{run: p/rnn_lm, embedding: 5}", model),
             Contains("lm.embedding: a finished run has its own options"));
  run_finder() = nullptr;
}
