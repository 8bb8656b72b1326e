// Inline models as inputs: trained on a text or on records, or loaded from published weights.
#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/checkpoint/safetensors.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/core/text/words.h"
#include "framework/pipeline/check/inline_models.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "framework/pipeline/store/node_tokenizer.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "trainers/trainer.h"

using namespace lvtext;

namespace {

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_models(each);
    return each;
  }();
  return all;
}

InputDecl encoder_input() {
  return {.name = "encoder",
          .type = ArtifactType::kModel,
          .by_default = parse_yaml_or_throw(
              "{model: infersent, data: {set: nli, tokenizer: {type: words}}}", "test"),
          .capabilities = {"sentence_embedder"}};
}

InlineModel inline_of(const InputDecl& input, const std::string& yaml) {
  Errors errors;
  const Node node = effective_input(input, parse_yaml_or_throw(yaml, "test"), registries());
  const TrainOptions recipe = read_train_options(parse_yaml_or_throw(
      "{seed: 3, device: cpu, deterministic: true, stop: 9e, max_length: 3}", "recipe"));
  const auto model = read_inline_model(input, node, recipe, {}, registries(), errors, "encoder");
  INFO(errors.report());
  REQUIRE(errors.empty());
  return *model;
}

/// A finished encoder below `runs`.
struct Made {
  Graph graph{"test", "smoke"};
  std::string name, words_name;
  std::filesystem::path encoder, words;
  LoadedModel model;

  Made(const std::string& yaml, const std::filesystem::path& runs) {
    const InlineContext context{.name = "enc"};
    name = add_inline_model(graph, registries(), inline_of(encoder_input(), yaml), context);
    words_name = tokenizer_of(graph, name);
    const auto status = run_graph(graph, {name}, runs);
    INFO(status.at(name).reason);
    REQUIRE(status.at(name).state == NodeState::kFinished);
    encoder = status.at(name).folder;
    words = status.at(words_name).folder;
    model = read_model(encoder, registries());
  }
  /// Vectors of sentences, [B, E].
  at::Tensor embed(const std::vector<std::string>& sentences) const {
    const auto vocabulary = read_tokenizer(words);
    std::vector<std::vector<int32_t>> ids;
    for (const auto& sentence : sentences) ids.push_back(vocabulary->encode(sentence));
    return dynamic_cast<SentenceEmbedder&>(*model.model).embed(pad_sentences(ids));
  }
};

const std::string kSmall =
    "hidden: 4, classifier: 8, train: {stop: 3u, validate_every: 1u}, "
    "data: {set: embedded-pairs, train_at_most: 120}";

/// kSmall with words and vectors from a file.
std::string with_vectors(const std::filesystem::path& file, const std::string& options = "") {
  const std::string small = kSmall.substr(0, kSmall.size() - 1);
  return "{" + options + small + ", tokenizer: {type: word_vectors, file: " + file.string() + "}}}";
}

}  // namespace

TEST_CASE("encoder: trained on pairs, read back, equal for equal options", "[nodes]") {
  const TemporaryFolder runs, again;
  const Made made("{" + kSmall + ", embedding: 6}", runs.path);
  const at::Tensor vectors = made.embed({"london police arrest a man", "", "rain"});
  CHECK(vectors.sizes() == at::IntArrayRef({3, 8}));
  CHECK(at::isfinite(vectors).all().item<bool>());
  const Made other("{" + kSmall + ", embedding: 6}", again.path);
  CHECK(at::equal(vectors, other.embed({"london police arrest a man", "", "rain"})));
  CHECK(made.graph.at(made.name).identity == other.graph.at(other.name).identity);
  // Seed, device and `deterministic` are from the recipe; its other training options do not
  // affect the encoder.
  const auto& options = made.graph.at(made.name).options.at("train");
  CHECK(options.at("seed") == 3);
  CHECK(inline_of(encoder_input(), "{" + kSmall + "}").train.deterministic);
  CHECK(options.at("deterministic") == false);  // means nothing on a CPU
  CHECK(options.at("optimizers").at("default").at("lr") == 0.1);
  CHECK(options.at("optimizers").at("default").at("schedule").at("factor") == 0.2);
}

TEST_CASE("encoder: training starts from given word vectors", "[nodes]") {
  const TemporaryFolder runs;
  const auto file = runs / "vectors.txt";
  write_file_synced(file, "london 1 2 3\n<s> 7 7 7\nrain 0 0.5 -1\n");
  const Made made(with_vectors(file, "train_words: false, "), runs.path);
  const auto words = std::dynamic_pointer_cast<const Words>(read_tokenizer(made.words));
  CHECK(words->words() == std::vector<std::string>{"london", "<s>", "rain"});
  const at::Tensor table = made.model.model->named_parameters()["words.weight"];
  const at::Tensor expected =
      at::tensor({0, 0, 0, 7, 7, 7, 0, 0, 0, 0, 0, 0, 1, 2, 3, 7, 7, 7}, at::kFloat);
  CHECK(at::equal(table.slice(0, 0, 6).flatten(), expected));
  const Made trained(with_vectors(file), runs.path);
  CHECK(!at::equal(table, trained.model.model->named_parameters()["words.weight"]));
}

TEST_CASE("encoder: with published weights it equals PyTorch's LSTM", "[nodes]") {
  // infersent_*.pkl: a state dictionary written by torch.save, with tensor k = (0, 1, 2 ... + 100
  // k) / 64; weight_hh_l0 is stored transposed. The weights are read by
  // scripts/infersent_weights.py.
  const TemporaryFolder runs;
  std::vector<std::string> sums;
  for (const std::string layout : {"zip", "legacy"}) {
    const auto weights = runs / (layout + ".safetensors");
    const std::string command =
        ".lvtext-env/bin/python scripts/infersent_weights.py tests/framework/pipeline/nodes/infersent_" +
        layout + ".pkl " + weights.string() + " > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0) {
      WARN("not tested: the published layout (no Python with safetensors and numpy)");
      return;
    }
    sums.push_back(read_safetensors(weights).sha256);
  }
  CHECK(sums[0] == sums[1]);
  const auto vectors = runs / "vectors.txt";
  write_file_synced(vectors, "<s> -0.5 0 0.5\n</s> 0.25 0.25 0\nrain 0.1 -0.2 -0.3\n");
  const Made made("{import: infersent, hidden: 2, pool: exact, weights: " +
                      (runs / "zip.safetensors").string() +
                      ", data: {tokenizer: {type: word_vectors, file: " + vectors.string() + "}}}",
                  runs.path);
  const auto parameter = [](int k, at::IntArrayRef shape) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    return ((at::arange(count, at::kFloat) + 100 * k) / 64).view(shape);
  };
  std::vector<at::Tensor> parameters;
  for (const int first : {0, 4}) {
    parameters.push_back(parameter(first, {8, 3}));
    parameters.push_back(parameter(first + 1, {8, 2}));
    parameters.push_back(parameter(first + 2, {8}));
    parameters.push_back(parameter(first + 3, {8}));
  }
  // <s> rain </s>; "snow" has no vector and is omitted.
  const at::Tensor input =
      at::tensor({-0.5, 0.0, 0.5, 0.1, -0.2, -0.3, 0.25, 0.25, 0.0}, at::kFloat).view({1, 3, 3});
  const auto [output, h, c] = at::lstm(input, {at::zeros({2, 1, 2}), at::zeros({2, 1, 2})},
                                       parameters, true, 1, 0, false, true, true);
  CHECK(at::allclose(made.embed({"rain snow"}), std::get<0>(output.max(1)), 1e-5, 1e-6));
  const auto manifest = read_run_manifest(made.encoder);
  CHECK(manifest->at("metadata").at("published") == true);

  // Version 2: other words begin and end a sentence.
  write_file_synced(vectors, "rain 0.1 -0.2 -0.3\n<p> -0.5 0 0.5\n<s> 9 9 9\n</p> 0.25 0.25 0\n");
  const Made second("{import: infersent, hidden: 2, pool: exact, weights: " +
                        (runs / "zip.safetensors").string() +
                        ", data: {tokenizer: {type: word_vectors, begin: <p>, end: </p>, file: " +
                        vectors.string() + "}}}",
                    runs.path);
  CHECK(at::allclose(second.embed({"rain snow"}), std::get<0>(output.max(1)), 1e-5, 1e-6));
}

namespace {

/// The variable k of the checkpoint of the next test: sin(k + 0.37 i) at index i.
at::Tensor variable(int k, at::IntArrayRef shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return (at::arange(count, at::kDouble) * 0.37 + k).sin().view(shape);
}

/// The final state of TensorFlow 1's GRU cell with the variables k to k + 3, of 2 units.
at::Tensor tensorflow_state(int k, const std::vector<at::Tensor>& words) {
  const at::Tensor gates = variable(k, {5, 4}), gates_bias = variable(k + 1, {4});
  const at::Tensor candidate = variable(k + 2, {5, 2}), candidate_bias = variable(k + 3, {2});
  at::Tensor h = at::zeros({2}, at::kDouble);
  for (const at::Tensor& x : words) {
    const at::Tensor ru = at::sigmoid(at::mv(gates.t(), at::cat({x, h})) + gates_bias);
    const at::Tensor r = ru.narrow(0, 0, 2), u = ru.narrow(0, 2, 2);
    const at::Tensor c = at::tanh(at::mv(candidate.t(), at::cat({x, r * h})) + candidate_bias);
    h = u * h + (1 - u) * c;
  }
  return h;
}

}  // namespace

TEST_CASE("encoder: published QuickThought equals TensorFlow's GRU", "[nodes]") {
  const TemporaryFolder runs;
  const std::string out = (runs / "qt").string();
  write_file_synced(runs / "words.txt", "rain\nsnow\nsun\n");
  write_file_synced(runs / "write.py", R"(
import numpy, sys
def variable(k, *shape):
    return numpy.sin(0.37 * numpy.arange(numpy.prod(shape)) + k).reshape(shape).astype("float32")
names = {"word_embedding": variable(50, 3, 3), "word_embedding_out": variable(60, 3, 3)}
k = 0
for out in ("", "_out"):
    for direction in ("fw", "bw"):
        prefix = "encoder" + out + "/bidirectional_rnn/" + direction + "/gru_cell/"
        for part, outputs in (("gates", 4), ("candidate", 2)):
            names[prefix + part + "/kernel"] = variable(k, 5, outputs)
            names[prefix + part + "/bias"] = variable(k + 1, outputs)
            k += 2
numpy.savez(sys.argv[1], **names)
)");
  const std::string python = ".lvtext-env/bin/python ";
  const std::string command = python + (runs / "write.py").string() + " " + out + ".npz && " +
                              python + "scripts/quick_thought_weights.py " + out + ".npz " + out +
                              " --vocabulary " + (runs / "words.txt").string();
  if (std::system((command + " > /dev/null 2>&1").c_str()) != 0) {
    WARN("not tested: the published layout (no Python with safetensors and numpy)");
    return;
  }
  const Made made("{import: quick_thought, hidden: 2, weights: " + out +
                      ".safetensors, data: {tokenizer: {type: word_vectors, file: " + out +
                      ".vectors.bin}}}",
                  runs.path);
  std::vector<at::Tensor> expected;
  int k = 0;
  for (const int table : {50, 60}) {
    const at::Tensor words = variable(table, {3, 3});
    const at::Tensor state = at::cat(
        {tensorflow_state(k, {words[2], words[0]}), tensorflow_state(k + 4, {words[0], words[2]})});
    expected.push_back(state / state.norm());
    k += 8;
  }
  CHECK(at::allclose(made.embed({"sun rain"})[0].to(at::kDouble), at::cat(expected), 0, 1e-5));
}

TEST_CASE("inline model: published weights need no data", "[nodes]") {
  const InlineModel model = inline_of(encoder_input(),
                                      "{import: infersent, weights: w.safetensors, "
                                      "data: {tokenizer: {type: word_vectors, file: v.txt}}}");
  CHECK_FALSE(model.text);
}

/// The file of a small published BERT, with tensors that the model does not have, and its
/// tokenizer.
struct PublishedBert {
  TemporaryFolder folder;
  TensorMap tensors;
  std::string weights = folder.path / "model.safetensors", words = folder.path / "vocab.txt";

  PublishedBert() {
    write_file_atomic(words, "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##b\n");
    const auto add = [&](const std::string& name, at::IntArrayRef shape) {
      at::manual_seed(static_cast<int64_t>(tensors.size()));
      tensors[name] = at::randn(shape);
    };
    const auto layer = [&](const std::string& name, int64_t in, int64_t out) {
      add(name + ".weight", {out, in});
      add(name + ".bias", {out});
    };
    const auto norm = [&](const std::string& name) {
      add(name + ".weight", {8});
      add(name + ".bias", {8});
    };
    add("embeddings.word_embeddings.weight", {6, 8});
    add("embeddings.position_embeddings.weight", {10, 8});
    add("embeddings.token_type_embeddings.weight", {2, 8});
    norm("embeddings.LayerNorm");
    for (const char* each : {"query", "key", "value"}) {
      layer(std::string("encoder.layer.0.attention.self.") + each, 8, 8);
    }
    layer("encoder.layer.0.attention.output.dense", 8, 8);
    norm("encoder.layer.0.attention.output.LayerNorm");
    layer("encoder.layer.0.intermediate.dense", 8, 32);
    layer("encoder.layer.0.output.dense", 32, 8);
    norm("encoder.layer.0.output.LayerNorm");
    layer("pooler.dense", 8, 8);
    tensors["embeddings.position_ids"] = at::arange(10, at::kLong).unsqueeze(0);
  }

  /// The import, after writing the weights.
  std::string import(const std::string& options = "width: 8") const {
    write_safetensors(weights, tensors);
    return "{import: sbert, layers: 1, heads: 2, positions: 10, " + options +
           ", weights: " + weights + ", data: {tokenizer: {type: word_piece, file: " + words +
           "}}}";
  }
  /// Why the import fails.
  std::string failure(const std::string& options = "width: 8") const {
    Graph graph{"test", "smoke"};
    const std::string name = add_inline_model(
        graph, registries(), inline_of(encoder_input(), import(options)), {.name = "enc"});
    return run_graph(graph, {name}, folder.path / "runs").at(name).reason;
  }
};

TEST_CASE("encoder: published weights with the authors' names and tokenizer", "[nodes]") {
  PublishedBert bert;
  const Made imported(bert.import(), bert.folder.path / "runs");
  const auto parameters = imported.model.model->named_parameters();
  const auto given = [&](const std::string& name) { return bert.tensors.at(name); };
  CHECK(at::equal(parameters["tokens.weight"], given("embeddings.word_embeddings.weight")));
  const std::string self = "encoder.layer.0.attention.self.";
  CHECK(at::equal(parameters["blocks.0.qkv.weight"],
                  at::cat({given(self + "query.weight"), given(self + "key.weight"),
                           given(self + "value.weight")})));
  CHECK(imported.model.published);
  CHECK(read_tokenizer(imported.words)->encode("AB") == TokenIds{4, 5});
}

TEST_CASE("encoder: published weights that do not fit are one error", "[nodes]") {
  using Catch::Matchers::Contains;
  PublishedBert bert;
  CHECK_THAT(bert.failure("width: 12"),
             Contains("model.safetensors' does not fit the model:") &&
                 Contains("does not fit: embeddings.word_embeddings.weight is F32 [6, 8] in "
                          "the file and F32 [6, 12] in the model (tokens.weight)") &&
                 Contains("use the options and the tokenizer of the published model"));
  write_file_atomic(bert.words, "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n");
  CHECK_THAT(bert.failure(), Contains("word_embeddings.weight is F32 [6, 8] in the file and F32 "
                                      "[5, 8] in the model (tokens.weight)") &&
                                 !Contains("missing"));
  write_file_atomic(bert.words, "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##b\n");
  bert.tensors.erase("encoder.layer.0.attention.self.key.bias");
  CHECK_THAT(bert.failure(),
             Contains("missing: encoder.layer.0.attention.self.key.bias F32 [8]\nuse"));
}

TEST_CASE("inline model: word vectors of a file, with its words as tokenizer", "[nodes]") {
  const TemporaryFolder runs;
  const auto file = runs / "glove.txt";
  write_file_synced(file, "london 1 2 3\nrain 0 0.5 -1\n");
  const InputDecl input{
      .name = "vectors", .type = ArtifactType::kModel, .capabilities = {WordVectors::kName}};
  Graph graph{"test", "smoke"};
  const std::string name = add_inline_model(
      graph, registries(),
      inline_of(input, "{import: word_vectors, data: {tokenizer: {type: word_vectors, file: " +
                           file.string() + "}}}"),
      {.name = "vectors"});
  const auto status = run_graph(graph, {name}, runs.path);
  INFO(status.at(name).reason);
  REQUIRE(status.at(name).state == NodeState::kFinished);
  const LoadedModel loaded = read_model(status.at(name).folder, registries());
  CHECK(loaded.component == "word_vectors");
  CHECK(loaded.published);
  CHECK(loaded.source == "glove.txt:" + sha256_file(file));
  const at::Tensor vectors = dynamic_cast<WordVectors&>(*loaded.model).vectors();
  REQUIRE(vectors.sizes() == at::IntArrayRef({6, 3}));
  CHECK(vectors.slice(0, 0, 4).eq(0).all().item<bool>());
  CHECK(at::equal(vectors.slice(0, 4).flatten(),
                  at::tensor({1.0, 2.0, 3.0, 0.0, 0.5, -1.0}, at::kFloat)));
  const auto words = read_tokenizer(status.at(tokenizer_of(graph, name)).folder);
  CHECK(words->encode("rain london") == TokenIds{5, 4});
  Errors errors;
  read_inline_model(input,
                    parse_yaml_or_throw("{import: word_vectors, weights: w.safetensors, data: "
                                        "{tokenizer: {type: word_vectors, file: v.txt}}}"),
                    {}, {}, registries(), errors, "inputs.vectors");
  CHECK_THAT(errors.report(), Contains("has only the vectors of its tokenizer"));
}

namespace {

/// A finished language model of the first 40 embedded training sentences.
struct MadeLm {
  TemporaryFolder runs;
  Graph graph{"test", "smoke"};
  std::string name;
  GraphStatus status;

  explicit MadeLm(const std::string& yaml) {
    DataBlock block;
    block.source.set = "embedded";
    block.source.fields = {"sentence"};
    block.source.train_at_most = 100;
    block.tokenizer = Choice<TokenizerFit>("unigram", parse_yaml_or_throw("vocab: 200"));
    const DataNodes data = add_data(graph, "data", block, {});
    const InputDecl input{.name = "language_model",
                          .type = ArtifactType::kModel,
                          .by_default = parse_yaml_or_throw(
                              "{model: rnn_lm, data: {from: data.train, at_most: 40}}", "test"),
                          .capabilities = {"text_scorer"}};
    const InlineModel model = inline_of(input, yaml);
    InlineContext context{.name = "lm", .seed = 3, .text = {data.packs.at("train"), 100}};
    if (model.validate_on != kOwnText) context.valid = data.packs.at("valid");
    name = add_inline_model(graph, registries(), model, context);
    status = run_graph(graph, {name}, runs.path);
    REQUIRE(status.at(name).state == NodeState::kFinished);
  }
  std::vector<std::string> input(const std::string& input_key) const {
    const auto& node = graph.at(name).inputs.at(input_key);
    const auto folder = status.at(node).folder;
    if (!std::filesystem::exists(folder / "text.txt")) return {node};
    return read_text(folder);
  }
  int64_t trained_on() const {
    return read_run_manifest(status.at(name).folder)->at("metadata").at("sentences").get<int64_t>();
  }
};

const std::string kSmallLm = "embedding: 4, decoder: {hidden: 4}, train: {stop: 1u}";

}  // namespace

TEST_CASE("language model: selected on real text, trained on all lengths", "[nodes]") {
  const MadeLm lm("{" + kSmallLm + "}");
  CHECK(lm.input("valid") == std::vector<std::string>{"data-pack-valid"});
  CHECK(lm.input("train").size() == 40);
  CHECK(lm.trained_on() == 40);  // without the limit of the recipe's models
}

TEST_CASE("language model: selected on a held-out part of its own text", "[nodes]") {
  const MadeLm real("{" + kSmallLm + "}");
  const MadeLm own("{validate_on: own, " + kSmallLm + "}");
  std::vector<std::string> both = own.input("train");
  CHECK(both.size() == 38);
  CHECK(own.trained_on() == 38);
  const auto held_out = own.input("valid");
  CHECK(held_out.size() == 2);
  both.insert(both.end(), held_out.begin(), held_out.end());
  CHECK(both == real.input("train"));
}

TEST_CASE("language model: its own limit applies", "[nodes]") {
  const MadeLm lm("{embedding: 4, decoder: {hidden: 4}, train: {stop: 1u, max_length: 20}}");
  CHECK(lm.trained_on() < 40);
  CHECK(lm.trained_on() > 0);
}
