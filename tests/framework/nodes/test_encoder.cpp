// The sentence encoder of a metric: trained on records, and read from published weights.
#include <ATen/ATen.h>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/graph/executor.h"
#include "framework/model/registries.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/encoder_nodes.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/mapping.h"
#include "framework/options/yaml.h"
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

EncoderBlock block_of(const std::string& yaml) {
  Errors errors;
  EncoderBlock block =
      parse_block<EncoderBlock>(parse_yaml_or_throw(yaml, "test"), errors, "encoder");
  REQUIRE(errors.empty());
  return block;
}

/// A finished encoder below `runs`.
struct Made {
  Graph graph{"test", "smoke"};
  EncoderNodes nodes;
  std::filesystem::path encoder, words;
  TrainedModel model;

  Made(const std::string& yaml, const std::filesystem::path& runs) {
    const Node train = parse_yaml_or_throw("{seed: 3, device: cpu, stop: 9e}", "recipe");
    nodes = add_encoder(graph, registries(), "enc", block_of(yaml), train, {}, "");
    const auto status = run_graph(graph, {nodes.encoder}, runs);
    INFO(status.at(nodes.encoder).reason);
    REQUIRE(status.at(nodes.encoder).state == NodeState::kFinished);
    encoder = status.at(nodes.encoder).folder;
    words = status.at(nodes.words).folder;
    model = read_trained(encoder, registries());
  }
  /// The vectors of sentences, [B, E].
  at::Tensor embed(const std::vector<std::string>& sentences) const {
    const Words vocabulary = read_words(words);
    std::vector<std::vector<int32_t>> ids;
    for (const auto& sentence : sentences) ids.push_back(vocabulary.encode(sentence));
    return dynamic_cast<EmbedsSentences&>(*model.model).embed(pad_sentences(ids));
  }
};

const std::string kSmall =
    "model: infersent, hidden: 4, classifier: 8, train: {stop: 3u, validate: 1u}, "
    "data: {set: embedded-pairs, train_at_most: 120}";

}  // namespace

TEST_CASE("encoder: trained on pairs, read back, the same for the same options", "[nodes]") {
  const TemporaryFolder runs, again;
  const Made made("{" + kSmall + ", embedding: 6}", runs.path);
  const at::Tensor vectors = made.embed({"london police arrest a man", "", "rain"});
  CHECK(vectors.sizes() == at::IntArrayRef({3, 8}));
  CHECK(at::isfinite(vectors).all().item<bool>());
  const Made other("{" + kSmall + ", embedding: 6}", again.path);
  CHECK(at::equal(vectors, other.embed({"london police arrest a man", "", "rain"})));
  CHECK(made.graph.at(made.nodes.encoder).identity == other.graph.at(other.nodes.encoder).identity);
  // The recipe gives seed and device; how long it trains its own models is nothing to the encoder.
  const auto& options = made.graph.at(made.nodes.encoder).options.at("train");
  CHECK(options.at("seed") == 3);
  CHECK(options.at("optim").at("default").at("lr") == 0.1);
  CHECK(options.at("optim").at("default").at("schedule").at("factor") == 0.2);
}

TEST_CASE("encoder: given word vectors are where training starts", "[nodes]") {
  const TemporaryFolder runs;
  const auto file = runs / "vectors.txt";
  write_file_synced(file, "london 1 2 3\n<s> 7 7 7\nrain 0 0.5 -1\n");
  const Made made("{" + kSmall + ", train_words: false, vectors: " + file.string() + "}",
                  runs.path);
  CHECK(read_words(made.words).words() == std::vector<std::string>{"london", "<s>", "rain"});
  const at::Tensor table = made.model.model->named_parameters()["words.weight"];
  const at::Tensor expected =
      at::tensor({0, 0, 0, 7, 7, 7, 0, 0, 0, 0, 0, 0, 1, 2, 3, 7, 7, 7}, at::kFloat);
  CHECK(at::equal(table.slice(0, 0, 6).flatten(), expected));
  const Made trained("{" + kSmall + ", vectors: " + file.string() + "}", runs.path);
  CHECK(!at::equal(table, trained.model.model->named_parameters()["words.weight"]));
}

TEST_CASE("encoder: published weights give what PyTorch's LSTM gives with them", "[nodes]") {
  // infersent_*.pkl: a state dictionary as torch.save writes it, tensor k being (0, 1, 2 ... + 100
  // k) / 64; weight_hh_l0 is stored transposed. The weights are read by
  // scripts/infersent_weights.py.
  const TemporaryFolder runs;
  std::vector<std::string> sums;
  for (const std::string layout : {"zip", "legacy"}) {
    const auto weights = runs / (layout + ".safetensors");
    const std::string command =
        ".lvtext-env/bin/python scripts/infersent_weights.py tests/framework/nodes/infersent_" +
        layout + ".pkl " + weights.string() + " > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0) {
      WARN("no Python with safetensors and numpy: the published layout was not read");
      return;
    }
    sums.push_back(read_safetensors(weights).sha256);
  }
  CHECK(sums[0] == sums[1]);
  const auto vectors = runs / "vectors.txt";
  write_file_synced(vectors, "<s> -0.5 0 0.5\n</s> 0.25 0.25 0\nrain 0.1 -0.2 -0.3\n");
  const Made made("{model: infersent, hidden: 2, pool: exact, weights: " +
                      (runs / "zip.safetensors").string() + ", vectors: " + vectors.string() + "}",
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
  // <s> rain </s>; "snow" has no vector and is left out.
  const at::Tensor input =
      at::tensor({-0.5, 0.0, 0.5, 0.1, -0.2, -0.3, 0.25, 0.25, 0.0}, at::kFloat).view({1, 3, 3});
  const auto [output, h, c] = at::lstm(input, {at::zeros({2, 1, 2}), at::zeros({2, 1, 2})},
                                       parameters, true, 1, 0, false, true, true);
  CHECK(at::allclose(made.embed({"rain snow"}), std::get<0>(output.max(1)), 1e-5, 1e-6));
  const auto manifest = read_run_manifest(made.encoder);
  CHECK(manifest->at("facts").at("published") == true);
}

TEST_CASE("encoder: mistakes are named", "[nodes]") {
  const auto problem = [](const std::string& yaml) {
    Errors errors;
    check_encoder(parse_yaml_or_throw(yaml, "test"), registries(), errors, "evaluate.fid.encoder");
    return errors.empty() ? "" : errors.report();
  };
  CHECK(problem("{hidden: 8, data: {set: nli}, train: {stop: 2e}}").empty());
  CHECK_THAT(problem("{model: infersnt}"), Contains("infersnt"));
  CHECK_THAT(problem("{model: vae}"),
             Contains("does not embed sentences") && Contains("infersent"));
  CHECK_THAT(problem("{hiden: 8}"), Contains("hiden") && Contains("hidden"));
  CHECK_THAT(problem("{weights: x.safetensors}"), Contains("`vectors`"));
  CHECK_THAT(problem("{train: {stopp: 3u}}"), Contains("stopp"));
  CHECK_THAT(problem("{data: {set: embedded}}"),
             Contains("'embedded' is no set of records") && Contains("embedded-pairs"));
}
