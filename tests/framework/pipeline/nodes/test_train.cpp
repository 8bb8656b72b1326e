// Training nodes: validated streams, and weights that are requested later.
#include "framework/pipeline/nodes/train_nodes.h"

#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/stream_sources.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/model_weights.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/model_inputs.h"
#include "tests/plugin/transfer.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

#include <set>

using namespace lvtext;

namespace {

const char* kArae =
    "{embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}, latent: {size: 4}, critic: {hidden: "
    "[4]}, generator: {noise: 4, hidden: [4]}}";

/// A graph with one training on 100 embedded sentences and its samples.
struct Made {
  Registries registries;
  Graph graph{"test", "smoke"};
  std::string name;

  Made(const std::string& model, const std::string& options, const std::string& train) {
    register_all_models(registries);
    register_all_inference(registries);
    DataBlock block;
    block.source.set = "embedded";
    block.source.fields = {"sentence"};
    block.source.train_at_most = 100;
    block.tokenizer = Choice<TokenizerFit>("unigram", parse_yaml_or_throw("vocab: 200"));
    const DataNodes data = add_data(graph, "data", block, {});
    name = add_training(
        graph, registries,
        {"model", registries.models.get(model).configure(parse_yaml_or_throw(options, "test")),
         read_train_options(
             parse_yaml_or_throw("{device: cpu, batch: {size: 8}, " + train + "}", "test")),
         data.packs.at("train"), data.packs.at("valid"), ""});
    add_inference_node(graph, registries, "samples",
                       registries.inference.get("samples").configure(
                           parse_yaml_or_throw("{count: 4, max_length: 10, seed: 1}", "test")),
                       {{"model", {name}}}, 1);
  }
  GraphStatus run(const std::filesystem::path& runs) const {
    return run_graph(graph, {"samples"}, runs);
  }
};

const std::string kLm = "{embedding: 4, decoder: {hidden: 4}}";

}  // namespace

TEST_CASE("training: phases that read another stream are validated, too", "[nodes]") {
  const TemporaryFolder runs;
  const Made arae("arae", kArae, "stop: 3u, validate_every: 2u, select_checkpoint: last");
  const GraphStatus status = arae.run(runs.path);
  INFO(status.at(arae.name).reason);
  REQUIRE(status.at(arae.name).state == NodeState::kFinished);
  const std::string log = read_file(status.at(arae.name).folder / "log.jsonl");
  const std::string validation = log.substr(log.find("\"validation\""));
  for (const char* term : {"autoencoder/token_nll", "critic/wasserstein", "generator/score"}) {
    CHECK(contains(validation, term));
  }
}

TEST_CASE("training: initial tables may be extended by rows", "[nodes]") {
  const TemporaryFolder runs;
  const Made made("rnn_lm", kLm, "stop: 1u, select_checkpoint: last");
  const auto folder = made.run(runs.path).at(made.name).folder;
  const FinishedRun run(folder);
  const TensorMap given = read_weights(run, run.metadata().at("selected_step").get<int64_t>());
  const int64_t vocabulary = given.at("embedding.weight").size(0);
  const auto model = [&](int64_t words) {
    return made.registries.models.get("rnn_lm")
        .configure(parse_yaml_or_throw(kLm, "test"))
        .model(testing::model_inputs(words, 9));
  };
  const auto larger = model(vocabulary + 3), fresh = model(vocabulary + 3);
  CHECK_THROWS_WITH(load_initial(*larger, folder), Contains("does not fit: embedding.weight"));
  load_initial(*larger, folder, {.extend_rows = true});
  const auto values = larger->named_parameters(), random = fresh->named_parameters();
  for (const auto& [name, table] : given) {
    INFO(name);
    const at::Tensor& value = values[name];
    CHECK(value.slice(0, 0, table.size(0)).equal(table));
    CHECK(value.slice(0, table.size(0)).equal(random[name].slice(0, table.size(0))));
  }
  CHECK(values["embedding.weight"].size(0) == vocabulary + 3);
  // Other widths, and tables that are shorter than the given ones, do not fit.
  CHECK_THROWS_WITH(load_initial(*model(vocabulary - 1), folder, {.extend_rows = true}),
                    Contains("does not fit: embedding.weight"));
}

TEST_CASE("training: weights that a training has not kept from its start are refused", "[nodes]") {
  const TemporaryFolder runs;
  const Made plain("rnn_lm", kLm, "stop: 6u, validate_every: 3u");
  const Made keeping("rnn_lm", kLm, "stop: 6u, validate_every: 3u, keep: {checkpoints: 2u}");
  CHECK(plain.graph.at("model").identity == keeping.graph.at("model").identity);
  const auto refused = [&] {
    const auto status = keeping.run(runs.path).at("model");
    CHECK(status.state == NodeState::kFailed);
    CHECK(contains(status.reason, "does not keep the weights of every 2u"));
    CHECK(contains(status.reason, "lvtext runs rm " + status.folder.string() + " --yes"));
  };
  const auto folder = plain.run(runs.path).at("model").folder;
  const std::string manifest = read_file(folder / "manifest.json");
  CHECK(graph_status(keeping.graph, runs.path).at("model").state == NodeState::kBegun);
  refused();
  CHECK(read_file(folder / "manifest.json") == manifest);
  CHECK(plain.run(runs.path).at("model").state == NodeState::kFinished);
  // The same for a training that has begun.
  std::filesystem::remove(folder / "manifest.json");
  refused();
  CHECK(plain.run(runs.path).at("model").state == NodeState::kFinished);

  std::filesystem::remove_all(folder);
  REQUIRE(keeping.run(runs.path).at("model").state == NodeState::kFinished);
  const auto metadata = read_run_manifest(folder)->at("metadata");
  CHECK(metadata.at("checkpoints") == nlohmann::ordered_json{{"2u", {2, 4, 6}}});
  CHECK(graph_status(plain.graph, runs.path).at("model").state == NodeState::kFinished);
}

TEST_CASE("training: other wishes for kept weights do not seal a damaged finished training",
          "[nodes]") {
  const TemporaryFolder runs;
  const std::string options = "stop: 6u, validate_every: 3u, keep: {checkpoints: 2u";
  const Made scored("rnn_lm", kLm, options + ", until: scored}");
  const Made keeping("rnn_lm", kLm, options + "}");
  const auto folder = scored.run(runs.path).at("model").folder;
  const std::string manifest = read_file(folder / "manifest.json");
  const auto damage = [&](const std::string& file) {
    const std::string content = read_file(folder / file);
    std::string damaged = content;
    damaged.back() ^= 1;
    write_file_atomic(folder / file, damaged);
    return content;
  };
  const std::string weights = "snapshots/step-00000006/model.safetensors";
  const std::string content = damage(weights);
  const auto status = keeping.run(runs.path);
  CHECK(status.at("model").state == NodeState::kFailed);
  CHECK(contains(status.at("model").reason, weights));
  CHECK(read_file(folder / "manifest.json") == manifest);
  write_file_atomic(folder / weights, content);
  // A log can be restored from the checkpoint.
  const std::string log = damage("log.jsonl");
  CHECK(keeping.run(runs.path).at("model").state == NodeState::kFinished);
  CHECK(read_file(folder / "log.jsonl") == log);
}

TEST_CASE("training: one that keeps weights does not continue one that did not", "[nodes]") {
  const TemporaryFolder runs;
  const Made shorter("rnn_lm", kLm, "stop: 3u, validate_every: 3u");
  const Made longer("rnn_lm", kLm, "stop: 6u, validate_every: 3u, keep: {checkpoints: 2u}");
  REQUIRE(shorter.run(runs.path).at("model").state == NodeState::kFinished);
  const auto status = longer.run(runs.path);
  INFO(status.at("model").reason);
  REQUIRE(status.at("model").state == NodeState::kFinished);
  const auto metadata = read_run_manifest(status.at("model").folder)->at("metadata");
  CHECK(metadata.at("checkpoints").at("2u") == nlohmann::ordered_json{2, 4, 6});
}

namespace {

struct PairOptions {
  template <class V>
  void visit(V&) {}
};

/// Reads two parallel texts, and captions joined with vectors.
class PairModel : public Trainable {
 public:
  PairModel(const PairOptions&, const ModelInputs&) {
    weight_ = register_parameter("weight", at::ones({}, at::kDouble));
  }
  std::vector<ParamGroup> groups() override { return {{"all", {{"weight", weight_}}}}; }
  std::vector<StreamDecl> streams() const override {
    return {{.fields = {{"text_0"}, {"text_1"}}, .order = Order::kConsecutive},
            {.name = "again", .fields = {{"text_0"}}, .rows_of = "train"},
            {.name = "captions", .fields = {{"text"}, {"vector", ColumnKind::kVector}}}};
  }
  std::vector<Phase> phases() const override {
    return {{.name = "pairs",
             .updates = {{"default", {"all"}}},
             .draws = {{"train"}, {"again"}, {"captions"}},
             .terms = {{.name = "texts", .field = "text_1"}, {.name = "vectors", .draw = 2}}}};
  }
  Sums losses(const Phase&, const Batches& batches, StepContext&) override {
    const auto tokens = [&](size_t draw, const char* field) {
      return batches[draw].field(field).to(at::kDouble).mean(1);
    };
    const at::Tensor texts =
        tokens(0, "text_0") - weight_ * tokens(0, "text_1") + tokens(1, "text_0") * 0.1;
    const at::Tensor vectors =
        tokens(2, "text") - weight_ * batches[2].field("vector").to(at::kDouble).select(1, 0);
    return {texts.square().sum(), vectors.square().sum()};
  }
  static constexpr int kRevision = 1;

 private:
  at::Tensor weight_;
};

/// A node that writes a dataset of `rows` rows with one column; its records are those of `rows_of`.
/// The texts of the rows `empty` have no token.
std::string add_dataset(Graph& graph, const std::string& name, const ColumnDecl& column,
                        int32_t rows, const std::string& rows_of = "",
                        const std::set<int32_t>& empty = {}) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kPack;
  node.component = "test";
  node.options = {{"name", name}};
  if (!rows_of.empty()) node.rows = NodeRows{rows_of, ""};
  node.run = [column, rows, empty](NodeRun& run) {
    DatasetWriter writer(run.folder.path() / kDatasetFile, {column});
    for (int32_t row = 0; row < rows; ++row) {
      for (int32_t item = 0; item <= (column.ragged ? row % 3 : 0); ++item) {
        if (column.kind == ColumnKind::kText) {
          const int32_t length = empty.contains(row) ? 0 : 1 + row % 5;
          writer.add_text(0, std::vector<int32_t>(length, (row + item) % 9));
        } else {
          writer.add_numbers(0, std::vector<float>{static_cast<float>(row % 9)});
        }
      }
      writer.end_row();
    }
    writer.finish();
    run.outputs = {kDatasetFile};
    run.metadata["without_tokens"] = empty.size();
  };
  return graph.add(std::move(node));
}

}  // namespace

TEST_CASE("training: streams read joined and parallel datasets", "[nodes]") {
  Registries registries;
  add_model<PairModel, PairOptions>(registries, "pairs", "reads several datasets", {});
  const ColumnDecl text{.vocabulary = {.size = 9}};
  const ColumnDecl captions{.vocabulary = {.size = 9}, .ragged = true};
  const ColumnDecl vector{.name = "vector", .kind = ColumnKind::kVector, .shape = {1}};
  const auto run = [&](const std::string& stop, const StreamSource& of_captions,
                       const std::filesystem::path& runs) {
    Graph graph("test", "smoke");
    add_dataset(graph, "a", text, 40);
    add_dataset(graph, "b", text, 25);
    add_dataset(graph, "captions", captions, 30);
    add_dataset(graph, "vectors", vector, 30, "captions");
    const StreamSources sources({{"train", {{{"a"}, {"b"}}}}, {"captions", of_captions}});
    Training training{
        .name = "model",
        .model = registries.models.get("pairs").configure(),
        .train = read_train_options(parse_yaml_or_throw(
            "{device: cpu, batch: {size: 8}, validate_every: 3u, stop: " + stop + "}", "test")),
        .train_data = sources,
        .valid_data = sources};
    add_training(graph, registries, training);
    return run_graph(graph, {"model"}, runs).at("model");
  };
  const TemporaryFolder runs, fresh;
  const StreamSource joined{{{"captions", "vectors"}}};
  const NodeStatus whole = run("8u", joined, fresh.path);
  INFO(whole.reason);
  REQUIRE(whole.state == NodeState::kFinished);
  const auto inputs = read_run_manifest(whole.folder)->at("inputs");
  for (const char* name : {"train", "train[1]", "train.captions", "train.captions+1", "valid[1]"}) {
    CHECK(inputs.contains(name));
  }
  CHECK(contains(read_file(whole.folder / "log.jsonl"), "pairs/vectors"));
  // In the middle of an epoch: equal to an uninterrupted run.
  REQUIRE(run("3u", joined, runs.path).state == NodeState::kFinished);
  const NodeStatus resumed = run("8u", joined, runs.path);
  REQUIRE(resumed.state == NodeState::kFinished);
  const std::string weights = "snapshots/step-00000008/model.safetensors";
  CHECK(sha256_file(resumed.folder / weights) == sha256_file(whole.folder / weights));

  const NodeStatus lacking = run("2u", {{{"captions"}}}, runs.path);
  CHECK(contains(lacking.reason, "reads the field 'vector'; its data has text"));
  CHECK_THROWS_WITH(run("2u", {{{"a", "vectors"}}}, runs.path),
                    Catch::Matchers::Contains("columns of different records in the stream"));
}

TEST_CASE("training: records are excluded if none of their joined columns has a token", "[nodes]") {
  Registries registries;
  add_model<PairModel, PairOptions>(registries, "pairs", "reads several datasets", {});
  Graph graph("test", "smoke");
  add_dataset(graph, "first", {.name = "text_0", .vocabulary = {.size = 9}}, 20, "", {0, 3, 4});
  add_dataset(graph, "second", {.name = "text_1", .vocabulary = {.size = 9}}, 20, "first", {3, 7});
  add_dataset(graph, "captions", {.vocabulary = {.size = 9}}, 30);
  add_dataset(graph, "vectors", {.name = "vector", .kind = ColumnKind::kVector, .shape = {1}}, 30,
              "captions");
  const StreamSources sources(
      {{"train", {{{"first", "second"}}}}, {"captions", {{{"captions", "vectors"}}}}});
  add_training(graph, registries,
               {.name = "model",
                .model = registries.models.get("pairs").configure(),
                .train = read_train_options(
                    parse_yaml_or_throw("{device: cpu, batch: {size: 32}, stop: 2u}", "test")),
                .train_data = sources,
                .valid_data = sources});
  const TemporaryFolder runs;
  const NodeStatus trained = run_graph(graph, {"model"}, runs.path).at("model");
  INFO(trained.reason);
  REQUIRE(trained.state == NodeState::kFinished);
  const auto metadata = read_run_manifest(trained.folder)->at("metadata");
  CHECK(metadata.at("without_tokens") == 1);
  CHECK(metadata.at("sentences") == 19);
}

TEST_CASE("training: two parallel texts, scored by two language models", "[nodes]") {
  Registries registries;
  register_all_models(registries);
  add_model<example::Transfer, example::TransferOptions>(registries, "transfer", "two texts", {});
  const auto run = [&](const std::string& stop, const std::filesystem::path& runs) {
    Graph graph("test", "smoke");
    DataBlock block;
    block.source.set = "embedded";
    block.source.train_at_most = 100;
    block.tokenizer = Choice<TokenizerFit>("unigram", parse_yaml_or_throw("vocab: 200"));
    const DataNodes data = add_data(graph, "data", block, {});
    const auto training = [&](const std::string& name, const std::string& model,
                              const std::string& options, const std::string& train,
                              const StreamSources& sources) {
      return Training{
          .name = name,
          .model = registries.models.get(model).configure(parse_yaml_or_throw(options, "test")),
          .train = read_train_options(parse_yaml_or_throw(
              "{device: cpu, batch: {size: 8}, validate_every: 3u, stop: " + train + "}", "test")),
          .train_data = sources,
          .valid_data = sources};
    };
    for (const char* style : {"0", "1"}) {
      add_training(graph, registries,
                   training("lm" + std::string(style), "rnn_lm", kLm,
                            "2u, keep: {checkpoints: 1u}, seed: 1" + std::string(style),
                            data.packs.at("train")));
    }
    const StreamSource both{{{data.packs.at("train")}, {data.packs.at("valid")}}};
    Training transfer =
        training("transfer", "transfer", "{}", stop,
                 StreamSources(std::map<std::string, StreamSource>{{"train", both}}));
    transfer.models = {{"language_model_0", {"lm0", "step:1"}}, {"language_model_1", "lm1"}};
    add_training(graph, registries, transfer);
    return run_graph(graph, {"transfer"}, runs).at("transfer");
  };
  const TemporaryFolder runs, fresh;
  const NodeStatus whole = run("8u", fresh.path);
  INFO(whole.reason);
  REQUIRE(whole.state == NodeState::kFinished);
  CHECK(contains(read_file(whole.folder / "log.jsonl"), "gen/lang"));
  REQUIRE(run("3u", runs.path).state == NodeState::kFinished);
  const NodeStatus resumed = run("8u", runs.path);
  REQUIRE(resumed.state == NodeState::kFinished);
  const std::string weights = "snapshots/step-00000008/model.safetensors";
  CHECK(sha256_file(resumed.folder / weights) == sha256_file(whole.folder / weights));
  CHECK(read_run_manifest(resumed.folder)->at("parts") ==
        nlohmann::ordered_json{{"inputs.language_model_0", "step:1"}});
  // Loaded with the language models and fields recorded in its folder.
  const LoadedModel model = read_model(resumed.folder, registries);
  CHECK(model.model->parameters().size() == 9);
  const auto& decoder = dynamic_cast<const NextTokenModel&>(*model.model);
  CHECK(decoder.vocabulary().size == 200);
  CHECK(dynamic_cast<Trainable&>(*model.model).frozen().size() == 2);
}
