// Weights in the form of other programs: GPT-2's of the package transformers.
#include <ATen/ATen.h>

#include <cstdlib>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/checkpoint/exchange.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/nodes/model_weights.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "trainers/weights.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

std::shared_ptr<Trainable> gpt2_of(const std::string& options, int32_t vocabulary) {
  static const Registries registries = [] {
    Registries all;
    register_all_models(all);
    return all;
  }();
  ModelInputs inputs;
  inputs.streams["train"] = {{.vocabulary = {.size = vocabulary}}};
  return registries.models.get("gpt2")
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

TEST_CASE("published: GPT-2 of transformers, with and without its prefix", "[nodes]") {
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

TEST_CASE("published: a missing transpose is noticed, also of a square matrix", "[nodes]") {
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

TEST_CASE("published: missing tensors and an output table of its own are errors", "[nodes]") {
  TensorMap file = specified("transformer.");
  file["lm_head.weight"] = file.at("transformer.wte.weight") + 1;
  file.erase("transformer.ln_f.bias");
  CHECK_THROWS_WITH(loaded(file), Contains("missing: ln_f.bias F32 [4]") &&
                                      Contains("lm_head.weight differs from wte.weight"));
}

TEST_CASE("published: tensors are written as they were read", "[nodes]") {
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
