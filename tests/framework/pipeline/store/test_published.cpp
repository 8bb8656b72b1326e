// Weights in the form of other programs: GPT-2's of the package transformers.
#include <ATen/ATen.h>

#include <cstdlib>
#include <functional>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/checkpoint/exchange.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/store/exported_model.h"
#include "framework/pipeline/store/model_weights.h"
#include "framework/pipeline/store/published_folder.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/gpt2_files.h"
#include "tests/temporary_folder.h"
#include "trainers/weights.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const Registries& registries() {
  static const Registries registries = [] {
    Registries all;
    register_all_models(all);
    return all;
  }();
  return registries;
}

std::shared_ptr<Trainable> gpt2_of(const std::string& options, int32_t vocabulary) {
  ModelInputs inputs;
  inputs.streams["train"] = {{.vocabulary = {.size = vocabulary}}};
  return registries()
      .models.get("gpt2")
      .configure(parse_yaml_or_throw(options, "options"))
      .model(inputs);
}

/// The file of the specification of the paper, section 7.9: each tensor is 0.3 sin(0.7 i + k), row
/// by row in the layout of the file, gains 1 more. With masks of the attention.
TensorMap specified(const std::string& prefix) {
  struct Entry {
    const char* name;
    int k;
    std::vector<int64_t> shape;
  };
  TensorMap file;
  for (const Entry& each : {Entry{"wte.weight", 1, {7, 4}},
                            {"wpe.weight", 2, {8, 4}},
                            {"h.0.ln_1.weight", 3, {4}},
                            {"h.0.ln_1.bias", 4, {4}},
                            {"h.0.attn.c_attn.weight", 5, {4, 12}},
                            {"h.0.attn.c_attn.bias", 6, {12}},
                            {"h.0.attn.c_proj.weight", 7, {4, 4}},
                            {"h.0.attn.c_proj.bias", 8, {4}},
                            {"h.0.ln_2.weight", 9, {4}},
                            {"h.0.ln_2.bias", 10, {4}},
                            {"h.0.mlp.c_fc.weight", 11, {4, 16}},
                            {"h.0.mlp.c_fc.bias", 12, {16}},
                            {"h.0.mlp.c_proj.weight", 13, {16, 4}},
                            {"h.0.mlp.c_proj.bias", 14, {4}},
                            {"ln_f.weight", 15, {4}},
                            {"ln_f.bias", 16, {4}}}) {
    const std::string name = each.name;
    const bool is_gain = name.find("ln_") != std::string::npos && name.ends_with("weight");
    int64_t count = 1;
    for (const int64_t size : each.shape) count *= size;
    const at::Tensor wave = 0.3 * at::sin(0.7 * at::arange(count, at::kDouble) + each.k);
    file[prefix + name] = (wave + (is_gain ? 1 : 0)).view(each.shape).to(at::kFloat);
  }
  file[prefix + "h.0.attn.bias"] = at::ones({1, 1, 8, 8}, at::kByte);
  file[prefix + "h.0.attn.masked_bias"] = at::full({}, -1e4, at::kFloat);
  return file;
}

std::shared_ptr<Trainable> loaded(const TensorMap& file) {
  const TemporaryFolder folder;
  write_safetensors(folder / "model.safetensors", file, {});
  const auto model = gpt2_of("{layers: 1, heads: 2, width: 4, positions: 8}", 7);
  load_published(*model, folder / "model.safetensors");
  model->eval();
  return model;
}

/// Scores of all predictions of 3 1 4 1 5 and a further token: [5, 7].
at::Tensor scores(Trainable& model) {
  const at::Tensor ids = at::tensor({3, 1, 4, 1, 5, 0}, at::kLong).unsqueeze(0);
  return dynamic_cast<NextTokenModel&>(model).text_scores({ids, at::tensor({6}, at::kLong)});
}

double distance(const at::Tensor& row, const std::vector<double>& expected) {
  return (row.to(at::kDouble) - at::tensor(expected, at::kDouble)).abs().max().item<double>();
}

const std::vector<double> kFirst = {.28982412,  -.02680039, -.23932026, .47778618,
                                    -.66104137, .76790971,  -.78604200};
const std::vector<double> kFifth = {.31294793,  -.06290838, -.19440057, .42924550,
                                    -.61448883, .72872470,  -.75875256};

}  // namespace

TEST_CASE("published: GPT-2 of transformers, with and without its prefix", "[store]") {
  for (const std::string prefix : {"", "transformer."}) {
    INFO(prefix);
    TensorMap file = specified(prefix);
    if (!prefix.empty()) file["lm_head.weight"] = file.at(prefix + "wte.weight").clone();
    const auto model = loaded(file);
    const at::Tensor all = scores(*model);
    CHECK(distance(all[0], kFirst) < 1e-6);
    CHECK(distance(all[4], kFifth) < 1e-6);
  }
}

TEST_CASE("published: a missing transpose is noticed, also of a square matrix", "[store]") {
  TensorMap file = specified("");
  at::Tensor& square = file.at("h.0.attn.c_proj.weight");
  square = square.t().contiguous();
  CHECK(distance(scores(*loaded(file))[4], kFifth) > 1e-3);
  file = specified("");
  at::Tensor& wide = file.at("h.0.mlp.c_fc.weight");
  wide = wide.t().contiguous();
  CHECK_THROWS_WITH(loaded(file), Contains("h.0.mlp.c_fc.weight is F32 [16, 4] in the file and F32 "
                                           "[4, 16] in the model (blocks.0.mlp_input.weight)"));
}

TEST_CASE("published: missing tensors and an output table of its own are errors", "[store]") {
  TensorMap file = specified("transformer.");
  file["lm_head.weight"] = file.at("transformer.wte.weight") + 1;
  file.erase("transformer.ln_f.bias");
  CHECK_THROWS_WITH(loaded(file), Contains("missing: ln_f.bias F32 [4]") &&
                                      Contains("lm_head.weight differs from wte.weight"));
}

TEST_CASE("published: tensors are written as they were read", "[store]") {
  TensorMap file = specified("");
  const auto model = loaded(file);
  file.erase("h.0.attn.bias");
  file.erase("h.0.attn.masked_bias");
  const TensorMap written =
      to_published(dynamic_cast<const Published&>(*model), model_tensors(*model));
  REQUIRE(written.size() == file.size());
  for (const auto& [name, tensor] : file) {
    INFO(name);
    CHECK(at::equal(written.at(name), tensor));
    CHECK(written.at(name).is_contiguous());
  }
  const auto config = dynamic_cast<const Published&>(*model).published_config();
  CHECK(config.at("n_layer") == 1);
  CHECK(config.at("vocab_size") == 7);
}

namespace {

constexpr int64_t kFolderTokens = 259;  ///< 256 bytes, two merges, <|endoftext|>

/// A folder as transformers writes it, of one layer with random weights. `change` edits its
/// configuration.
TensorMap write_published(const std::filesystem::path& folder,
                          const std::function<void(nlohmann::json&)>& change = {}) {
  std::filesystem::create_directories(folder);
  nlohmann::json config = {{"model_type", "gpt2"},
                           {"architectures", {"GPT2LMHeadModel"}},
                           {"vocab_size", kFolderTokens},
                           {"n_positions", 8},
                           {"n_embd", 4},
                           {"n_layer", 1},
                           {"n_head", 2},
                           {"n_inner", nullptr},
                           {"activation_function", "gelu_new"},
                           {"resid_pdrop", 0.0},
                           {"transformers_version", "4.0.0"}};
  if (change) change(config);
  write_file_synced(folder / "config.json", config.dump());
  testing::write_gpt2_tokenizer(folder, {{"t", "h"}, {"th", "e"}});
  TensorMap file = specified("transformer.");
  file["transformer.wte.weight"] =
      0.3 * at::sin(at::arange(4 * kFolderTokens, at::kFloat)).view({kFolderTokens, 4});
  write_safetensors(folder / "model.safetensors", file, {{"format", "pt"}});
  return file;
}

}  // namespace

TEST_CASE("published: a folder of transformers is imported by its configuration", "[store]") {
  const TemporaryFolder folder;
  const TensorMap file = write_published(folder / "hub");
  REQUIRE(is_published_folder(folder / "hub"));
  CHECK(is_published_folder(folder / "hub" / "model.safetensors"));
  const ExchangeFolder contents = read_published_folder(folder / "hub", registries());
  const auto& own = contents.config.at("lvtext");
  CHECK(own.at("model") == "gpt2");
  CHECK(own.at("options").at("width") == 4);
  CHECK(own.at("options").at("residual_dropout") == 0);
  CHECK(own.at("options").at("embedding_dropout") == 0.1);
  CHECK(own.at("tokenizer") == "byte_bpe");
  // As an export in the form of transformers, which other tests cover.
  write_exchange(folder / "again", contents);
  CHECK_FALSE(is_published_folder(folder / "again"));
  const LoadedModel model = load_exported(folder / "again", registries());
  REQUIRE(model.tokenizer);
  CHECK(model.tokenizer->vocabulary().eos == kFolderTokens - 1);
  CHECK(model.tokenizer->vocabulary().bos == kFolderTokens - 1);
  CHECK(model.tokenizer->encode("the").size() == 1);
  const TensorMap tensors = model_tensors(dynamic_cast<Trainable&>(*model.model));
  CHECK(at::equal(tensors.at("tokens.weight"), file.at("transformer.wte.weight")));
  CHECK(at::equal(tensors.at("blocks.0.mlp_input.weight"),
                  file.at("transformer.h.0.mlp.c_fc.weight").t()));
}

TEST_CASE("published: mistakes in a folder of transformers", "[store]") {
  const auto read = [](const std::function<void(nlohmann::json&)>& change) {
    const TemporaryFolder folder;
    write_published(folder.path, change);
    return read_published_folder(folder.path, registries());
  };
  CHECK_THROWS_WITH(read([](auto& config) {
                      config.erase("n_layer");
                      config["activation_function"] = "relu";
                      config["architectures"] = {"GPT2ForTokenClassification"};
                      config["n_inner"] = 17;
                    }),
                    Contains("config.json") && Contains("n_layer is missing") &&
                        Contains("activation_function is \"relu\", but must be \"gelu_new\"") &&
                        Contains("architectures") && Contains("n_inner is 17, but must be 16"));
  CHECK_THROWS_WITH(read([](auto& config) { config["model_type"] = "llama"; }),
                    Contains("model_type is \"llama\""));
  CHECK_THROWS_WITH(read([](auto& config) { config["model_type"] = "vae"; }),
                    Contains("'vae' are not read from folders"));
  CHECK_THROWS_WITH(read([](auto& config) { config["vocab_size"] = 300; }),
                    Contains("vocab_size is 300, but the tokenizer of the folder has 259 tokens"));
  const TemporaryFolder folder;
  write_published(folder.path);
  std::filesystem::remove(folder / "merges.txt");
  CHECK_THROWS_WITH(read_published_folder(folder.path, registries()),
                    Contains("neither tokenizer.json nor merges.txt"));
  std::filesystem::remove(folder / "model.safetensors");
  write_file_synced(folder / "pytorch_model.bin", "");
  CHECK_THROWS_WITH(read_published_folder(folder.path, registries()),
                    Contains("has no model.safetensors; save pytorch_model.bin as safetensors"));
}

// tests/peers/gpt2.py: the folder LVTEXT_GPT2 has model.safetensors, options.json (of our model),
// vocabulary size and ids.safetensors ("ids", [B, T]). Writes logits.safetensors ("logits", [B, T,
// V]) and the folder "exported" with the same weights in the form of transformers.
TEST_CASE("published: the GPT-2 of a folder", "[.peer]") {
  const char* name = std::getenv("LVTEXT_GPT2");
  REQUIRE(name != nullptr);
  const std::filesystem::path folder = name;
  const auto options = parse_json<nlohmann::ordered_json>(read_file(folder / "options.json"));
  const auto model = gpt2_of(options.at("model").dump(), options.at("vocabulary").get<int32_t>());
  load_published(*model, folder / "model.safetensors");
  model->eval();
  const at::Tensor ids = read_safetensors(folder / "ids.safetensors").tensors.at("ids");
  const at::Tensor lengths = at::full({ids.size(0)}, ids.size(1) + 1, at::kLong);
  const at::Tensor longer = at::cat({ids, at::zeros({ids.size(0), 1}, at::kLong)}, 1);
  const at::Tensor logits = dynamic_cast<NextTokenModel&>(*model).text_scores({longer, lengths});
  write_safetensors(folder / "logits.safetensors",
                    {{"logits", logits.view({ids.size(0), ids.size(1), -1})}}, {});
  const auto& published = dynamic_cast<const Published&>(*model);
  write_exchange(folder / "exported", {.tensors = to_published(published, model_tensors(*model)),
                                       .config = published.published_config()});
}
