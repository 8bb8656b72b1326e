// Models written as the value of an input: merged with the input's default, and their mistakes.
#include "framework/pipeline/check/inline_models.h"

#include "framework/core/options/yaml.h"
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

InputDecl encoder_input() {
  return {.name = "encoder",
          .type = ArtifactType::kModel,
          .by_default = parse_yaml_or_throw(
              "{model: infersent, data: {set: nli, tokenizer: {type: words}}}", "test"),
          .capabilities = {"sentence_embedder"}};
}

InputDecl scorer_input() {
  return {.name = "language_model",
          .type = ArtifactType::kModel,
          .by_default =
              parse_yaml_or_throw("{model: rnn_lm, data: data.train, train: {stop: 9e}}", "test"),
          .capabilities = {"text_scorer"}};
}

Node effective(const InputDecl& input, const std::string& yaml) {
  return effective_input(input, parse_yaml_or_throw(yaml, "test"), registries());
}

std::optional<InlineModel> read(const InputDecl& input, const std::string& yaml, Errors& errors) {
  const TrainOptions recipe = read_train_options(
      parse_yaml_or_throw("{seed: 3, device: cpu, deterministic: true, stop: 5e}", "recipe"));
  return read_inline_model(input, effective(input, yaml), recipe, {}, registries(), errors,
                           "inputs." + input.name);
}

std::string problem(const InputDecl& input, const std::string& yaml) {
  Errors errors;
  read(input, yaml, errors);
  return errors.empty() ? "" : errors.report();
}

}  // namespace

TEST_CASE("inline models: what is written is merged into the default of the input", "[check]") {
  CHECK(effective_input(scorer_input(), Node(), registries()).find("model")->text() == "rnn_lm");
  const Node smaller = effective(scorer_input(), "{embedding: 4, train: {stop: 2e}}");
  CHECK(smaller.find("model")->text() == "rnn_lm");
  CHECK(smaller.find("data")->text() == "data.train");
  CHECK(smaller.find("embedding")->text() == "4");
  CHECK(smaller.find("train")->find("stop")->text() == "2e");
  // Another model is complete as written, and so is a reference.
  CHECK_FALSE(effective(scorer_input(), "{model: gpt2}").find("data"));
  CHECK(effective(scorer_input(), "judge").text() == "judge");
  // The training options of the model's authors are defaults.
  const Node encoder = effective(encoder_input(), "{train: {stop: 2e}}");
  CHECK(encoder.find("train")->find("stop")->text() == "2e");
  CHECK(encoder.find("train")->find("optimizers"));
}

TEST_CASE("inline models: capabilities that an input requires", "[check]") {
  const Component& lm = registries().models.get("rnn_lm");
  InputDecl input{.name = "judge", .type = ArtifactType::kModel};
  CHECK(capability_mismatch(input, lm).empty());
  input.capabilities = {"encoder", "text_scorer", "sentence_embedder"};
  CHECK(capability_mismatch(input, lm) == "lacks the capabilities encoder, sentence_embedder");
  input.capabilities = {};
  input.one_of = {"encoder", "style_transfer"};
  CHECK(capability_mismatch(input, lm) == "has none of the capabilities encoder, style_transfer");
  input.one_of = {"encoder", "text_scorer"};
  CHECK(capability_mismatch(input, lm).empty());
}

TEST_CASE("inline models: seed, device and determinism are those of the recipe", "[check]") {
  Errors errors;
  const auto usual = read(scorer_input(), "{embedding: 4, decoder: {hidden: 4}}", errors);
  REQUIRE(usual);
  CHECK(usual->train.seed == 3);
  CHECK(usual->train.device == "cpu");
  CHECK(usual->train.deterministic);
  CHECK(usual->train.stop.any.front().amount == 9);
  REQUIRE(usual->text);
  CHECK(usual->text->from == "data.train");
  CHECK(usual->validate_on == "data.valid");
  CHECK_FALSE(usual->is_imported);
  const auto own = read(scorer_input(), "{embedding: 4, train: {seed: 8}}", errors);
  REQUIRE(own);
  CHECK(own->train.seed == 8);
}

TEST_CASE("inline models: the width of word vectors is that of the model", "[check]") {
  const TemporaryFolder folder;
  const std::string file = (folder / "v.txt").string();
  write_file_synced(file, "london 1 2 3\nrain 0 0.5 -1\n");
  const std::string data =
      "data: {set: embedded-pairs, tokenizer: {type: word_vectors, file: " + file + "}}";
  Errors errors;
  const auto encoder = read(encoder_input(), "{hidden: 4, " + data + "}", errors);
  REQUIRE(encoder);
  CHECK(encoder->model.options.find("embedding")->text() == "3");
  CHECK_THAT(problem(encoder_input(), "{embedding: 4, " + data + "}"),
             Contains("have 3 dimensions, but embedding is 4") &&
                 Contains("remove embedding: the model uses the dimension of the vectors"));
}

TEST_CASE("inline models: errors", "[check]") {
  const auto wrong = [](const std::string& yaml) { return problem(encoder_input(), yaml); };
  CHECK(wrong("{hidden: 8, data: {set: nli}, train: {stop: 2e}}").empty());
  CHECK_THAT(wrong("{model: infersnt}"), Contains("infersnt"));
  CHECK_THAT(wrong("{model: vae}"),
             Contains("lacks the capability sentence_embedder") && Contains("infersent"));
  CHECK_THAT(wrong("{model: infersent}"), Contains("inputs.encoder.data is missing"));
  CHECK_THAT(wrong("{hiden: 8}"), Contains("hiden") && Contains("hidden"));
  CHECK_THAT(wrong("{import: infersent, weights: x.safetensors}"), Contains("type: word_vectors"));
  CHECK_THAT(wrong("{weights: x.safetensors}"), Contains("`weights` requires `import`"));
  const std::string words = "data: {tokenizer: {type: word_vectors, file: v.txt}}";
  CHECK_THAT(wrong("{import: infersent, " + words + "}"),
             Contains("inputs.encoder.weights is missing"));
  CHECK_THAT(wrong("{import: word_vectors, " + words + "}"),
             Contains("lacks the capability sentence_embedder"));
  CHECK_THAT(wrong("{import: infersnt, weights: x.safetensors}"), Contains("infersnt"));
  CHECK_THAT(wrong("{train: {stopp: 3u}}"), Contains("stopp"));
  CHECK_THAT(wrong("{data: {set: embeded-pairs}}"),
             Contains("unknown data set 'embeded-pairs'") && Contains("'embedded-pairs'"));
  CHECK_THAT(wrong("{data: {set: gpt2-bpe}}"),
             Contains("inputs.encoder.data.set: 'gpt2-bpe' has no training text"));
  CHECK_THAT(wrong("{run: x, hidden: 4}"),
             Contains("inputs.encoder.hidden: a finished run has its own options") &&
                 Contains("remove it"));
  CHECK_THAT(problem(scorer_input(), "{model: kneser_ney, data: data.train}"),
             Contains("the model 'kneser_ney' requires the input data, which inline models do not "
                      "support") &&
                 Contains("define it as an entry of `artifacts` or `models` and refer to that"));
}
