// Inputs of components: references, lists, inline models and inline components.
#include "framework/pipeline/check/checked_inputs.h"

#include "framework/core/options/yaml.h"
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const std::string kInputs = R"Y(lvtext: 1
recipe: p/inputs
axes: {size: [2, 4]}
data:
  news: {set: embedded}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  judge: {over: size, model: rnn_lm, data: news, embedding: $size, decoder: {hidden: 4}, train: {stop: 2u}}
  codes: {infer: encode, model: vae, data: news}
  near: {infer: nearest_lines, data: codes.test, inputs: {from: [news.train, codes.train]}}
models:
  vae: {model: vae, data: news, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
evaluate:
  bleu: {evaluator: bleu}
  both: {evaluator: bleu, inputs: {outputs: {infer: copy, data: news.test}, references: [news.test, row.samples]}}
  judged: {evaluator: perplexity, inputs: {outputs: near, language_model: "judge[2]"}}
  forward: {evaluator: forward_cross_entropy, inputs: {language_model: {embedding: 4, decoder: {hidden: 4}}}}
  fid: {evaluator: frechet, inputs: {encoder: {data: {set: embedded-pairs, tokenizer: words}, hidden: 4, classifier: 8}}}
)Y";

std::string wrong(const std::string& from, const std::string& to) {
  return mistake(replaced(kInputs, from, to));
}

const KnownReference& named(const CheckedInput& input, size_t index = 0) {
  return std::get<KnownReference>(input.fillings.at(index));
}

/// The inputs of an entry of a component with default options: "text=news model=vae ".
std::string inputs_of_entry(const Component& component, const std::string& entry,
                            bool is_trained = false) {
  std::string all;
  const Node inputs = inputs_of(component.configure(), parse_yaml_or_throw(entry, "r"), is_trained);
  for (const Node::Entry& each : inputs.entries()) all += each.key + "=" + each.value.text() + " ";
  return all;
}

}  // namespace

TEST_CASE("inputs: `data` and `model` of an entry are inputs of its component", "[check]") {
  const Component& encode = registries().inference.get("encode");
  CHECK(inputs_of_entry(encode, "{infer: encode, model: vae, data: news}") ==
        "text=news model=vae ");
  CHECK(inputs_of_entry(encode, "{infer: encode, model: null, data: null}").empty());
  // `data` is the input of this name; if that is written, the next text without a value.
  const Component& random = registries().inference.get("random_lines");
  CHECK(inputs_of_entry(random, "{infer: random_lines, data: a.test}") == "data=a.test ");
  CHECK(inputs_of_entry(random, "{infer: random_lines, data: a.test, inputs: {data: b.test}}") ==
        "data=b.test from=a.test ");
  // An input that does not exist is refused when it is read.
  CHECK(inputs_of_entry(registries().inference.get("samples"),
                        "{infer: samples, model: vae, data: a.test}") == "data=a.test model=vae ");
  CHECK(inputs_of_entry(registries().models.get("kneser_ney"),
                        "{fit: kneser_ney, model: null, data: a.train}") == "data=a.train ");
  // The data of a trained model are streams.
  CHECK(inputs_of_entry(registries().models.get("rnn_lm"),
                        "{model: rnn_lm, data: news, inputs: {x: y}}",
                        /*is_trained=*/true) == "x=y ");
}

TEST_CASE("inputs: references, lists and defaults", "[check]") {
  const CheckedRecipe checked = check_text(kInputs);
  const std::vector<CheckedInput>& bleu = checked.metrics[0].inputs;
  REQUIRE(bleu.size() == 2);
  CHECK(bleu[0].decl.name == "outputs");
  CHECK_FALSE(bleu[0].is_written);
  CHECK((named(bleu[0]).of == KnownReference::Of::kRow));
  CHECK(named(bleu[0]).part == "reconstructions");
  // Defaults call the recipe's only data set "data".
  CHECK_FALSE(bleu[1].is_written);
  CHECK(named(bleu[1]).id == "news");
  CHECK(named(bleu[1]).part == "test");
  const CheckedInput& references = checked.metrics[1].inputs[1];
  CHECK(references.is_written);
  REQUIRE(references.fillings.size() == 2);
  CHECK(named(references, 0).part == "test");
  CHECK(named(references, 1).part == "samples");
  CHECK(named(checked.metrics[2].inputs[1]).id == "judge[2]");
  // The columns of a dataset can be listed; an optional input may have no value.
  const CheckedEntry& near = *find_entry(checked.entries, "near");
  REQUIRE(near.inputs.size() == 3);
  CHECK(named(near.inputs[0]).id == "codes");
  CHECK(near.inputs[1].fillings.size() == 2);
  CHECK(near.inputs[2].decl.name == "text");
  CHECK(near.inputs[2].fillings.empty());
}

TEST_CASE("inputs: inline components and inline models", "[check]") {
  const CheckedRecipe checked = check_text(kInputs);
  const CheckedInput& outputs = checked.metrics[1].inputs[0];
  REQUIRE(outputs.fillings.size() == 1);
  const auto& copy = std::get<std::shared_ptr<const InlineComponent>>(outputs.fillings[0]);
  CHECK(copy->component.component->about.name == "copy");
  CHECK(copy->written.entries().empty());
  CHECK_FALSE(copy->at_checkpoints);
  REQUIRE(copy->inputs.size() == 1);
  CHECK(copy->inputs[0].is_written);
  CHECK(named(copy->inputs[0]).part == "test");
  // A model that is trained on a text of the row, with the seed of the recipe.
  const auto& scorer = std::get<CheckedModel>(checked.metrics[3].inputs[0].fillings.at(0));
  CHECK(scorer.model.train.seed == 3);
  REQUIRE(scorer.text);
  CHECK((scorer.text->of == KnownReference::Of::kRow));
  CHECK(scorer.text->part == "samples");
  REQUIRE(scorer.validate_on);
  CHECK(scorer.validate_on->id == "news");
  CHECK(scorer.validate_on->part == "valid");
  CHECK(scorer.uses_row());
  // A model with its own data.
  const auto& encoder = std::get<CheckedModel>(checked.metrics[4].inputs[2].fillings.at(0));
  CHECK_FALSE(encoder.text);
  CHECK_FALSE(encoder.validate_on);
  CHECK_FALSE(encoder.uses_row());
}

TEST_CASE("inputs: values that an input does not accept", "[check]") {
  const std::string inlined = "{infer: copy, data: news.test}";
  CHECK_THAT(wrong(", inputs: {from: [news.train, codes.train]}", ""),
             Contains("r.yaml:10:3: error: missing key 'artifacts.near.inputs.from'") &&
                 Contains("sentences with their vectors, such as [news.train, embeddings.train]"));
  CHECK_THAT(wrong(inlined, "{infer: copy, inputs: {dat: news.test}}"),
             Contains("copy has no input 'dat'") && Contains("did you mean 'data'? (all: data)"));
  CHECK_THAT(wrong(inlined, "{model: rnn_lm}"),
             Contains("evaluate.both.inputs.outputs is a text, which cannot be an inline model") &&
                 Contains("a reference such as data.test or row.samples, or {infer: NAME}"));
  CHECK_THAT(wrong(inlined, "[news.test, news.valid]"),
             Contains("evaluate.both.inputs.outputs must be a reference or a component"));
  CHECK_THAT(wrong(inlined, "{infer: encode, model: vae, data: news.test}"),
             Contains("evaluate.both.inputs.outputs: encode returns a dataset, but outputs is a "
                      "text"));
  CHECK_THAT(wrong("\"judge[2]\"", "\"judge[*]\""),
             Contains("evaluate.judged.inputs.language_model accepts one value, but 'judge[*]' "
                      "names 2"));
  CHECK_THAT(wrong("\"judge[2]\"", "{fit: idf, data: news.train}"),
             Contains("evaluate.judged.inputs.language_model: idf lacks the capability "
                      "text_scorer"));
  CHECK_THAT(wrong("set: embedded-pairs,", "set: embedded-pairs, fields: [premise, nonsense],"),
             Contains("evaluate.fid.inputs.encoder.data.fields: 'embedded-pairs' has no field "
                      "'nonsense'") &&
                 Contains("all: premise, hypothesis, label"));
  CHECK_THAT(wrong("device: cpu, stop: 2u", "device: cpu, stop: 1min, schedule_length: 5u"),
             Contains("'train.stop' is a time, and train.schedule_length scales schedules to a "
                      "number of updates") &&
                 Contains("stop after updates, epochs or tokens, or leave schedule_length out"));
}

TEST_CASE("inputs: a default that names `data` has no value beside several sets", "[check]") {
  const std::string two = R"Y(lvtext: 1
recipe: p/two
data: {news: {set: embedded}, other: {set: embedded-reviews, fields: text}}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  codes: {infer: encode, model: vae, data: news}
models:
  vae: {model: vae, data: news, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
evaluate:
  bleu: {evaluator: bleu}
)Y";
  // A row may have a text of this name.
  const std::vector<CheckedInput> bleu = check_text(two).metrics[0].inputs;
  CHECK(bleu[1].decl.name == "references");
  CHECK(bleu[1].fillings.empty());
  CHECK_THAT(mistake(replaced(two, "model: vae, data: news}", "model: vae}")),
             Contains("r.yaml:6:3: error: artifacts.codes.inputs.text is missing: the recipe has "
                      "several data sets; specify one of news, other") &&
                 Contains("sentences to encode") && Contains("1 error;"));
}
