// The recipe that `config` prints.
#include "framework/pipeline/check/printed_recipe.h"

#include <set>

#include "framework/core/base/strings.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/mapping.h"
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;

namespace {

const std::string kPrinted = R"Y(lvtext: 1
recipe: p/printed
data:
  news: {set: embedded, tokenizer: words}
  few: {from: news, at_most: 50}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
model_defaults: {embedding: 4, decoder: {hidden: 4}}
artifacts:
  words: {fit: words, data: news.train, min_count: 1}
  judge: {model: rnn_lm, data: news, embedding: 6, decoder: {hidden: 4}, train: {stop: 1u}}
models:
  vae: {model: vae, data: news, latent: {size: 2}, encoder: {hidden: 4}}
  lm: {label: "LM", model: rnn_lm, data: few, embedding: 8, train: {seeds: 2}}
evaluate:
  variety: {evaluator: diversity, samples: 10, inputs: {train: null}}
  bleu: {evaluator: bleu, inputs: {references: news.test}}
  judged: {evaluator: perplexity, inputs: {outputs: row.samples, language_model: judge}}
tables: {all: {columns: [variety]}}
profiles:
  less: {models: {lm: null}}
  more: {train: {stop: 9u}}
)Y";

/// The printed form of a recipe.
Node print(const std::string& text, const std::string& profile = "") {
  return printed_recipe(load(text, profile).checked, registries());
}

/// The value of a key such as "models.vae.label"; null if there is none.
const Node* find(const Node& tree, const std::string& path) {
  const Node* at = &tree;
  for (const std::string& key : split(path, '.')) {
    if (at) at = at->find(key);
  }
  return at;
}

std::string text_at(const Node& tree, const std::string& path) {
  const Node* value = find(tree, path);
  INFO(path);
  REQUIRE(value);
  return value->text();
}

std::set<std::string> identities(const std::string& text) {
  const auto loaded = load(text);
  std::set<std::string> all;
  for (const GraphNode& node : loaded.experiment.graph.nodes()) all.insert(node.identity);
  return all;
}

}  // namespace

TEST_CASE("printed recipe: defaults are written where they apply", "[check]") {
  const Node printed = print(kPrinted);
  CHECK_FALSE(find(printed, "model_defaults"));
  CHECK(text_at(printed, "models.vae.embedding") == "4");
  CHECK(text_at(printed, "models.lm.embedding") == "8");
  CHECK(text_at(printed, "models.vae.decoder.hidden") == "4");
  CHECK(text_at(printed, "models.vae.label") == "vae");
  CHECK(text_at(printed, "train.seeds") == "1");
  // The id of a tokenizer is no component.
  CHECK(text_at(printed, "data.news.tokenizer") == "words");
  CHECK(text_at(printed, "data.few.at_most") == "50");
  CHECK_FALSE(find(printed, "data.few.tokenizer"));
  CHECK(text_at(printed, "artifacts.words.most") == "50000");
  CHECK_FALSE(find(printed, "artifacts.words.type"));
  // A recipe with tables has no other table.
  CHECK_FALSE(find(printed, "table"));
}

TEST_CASE("printed recipe: trainings do not repeat what they inherit", "[check]") {
  const Node printed = print(kPrinted);
  CHECK_FALSE(find(printed, "models.vae.train"));
  CHECK(text_at(printed, "models.lm.train.seeds") == "2");
  CHECK(text_at(printed, "models.lm.train.stop") == "2u");
  CHECK(text_at(printed, "artifacts.judge.train.stop") == "1u");
  CHECK(text_at(printed, "artifacts.judge.train.precision") == "fp32");
  for (const std::string id : {"models.lm", "artifacts.judge"}) {
    for (const std::string key : {"seed", "device", "deterministic"}) {
      INFO(id + "." + key);
      CHECK_FALSE(find(printed, id + ".train." + key));
    }
  }
  CHECK_FALSE(find(printed, "artifacts.judge.train.seeds"));
}

TEST_CASE("printed recipe: inputs of metrics, and the texts that they read", "[check]") {
  const Node printed = print(kPrinted);
  CHECK(text_at(printed, "evaluate.bleu.inputs.outputs") == "row.reconstructions");
  CHECK(text_at(printed, "evaluate.bleu.inputs.references") == "news.test");
  // An input that is set to null has no value.
  CHECK_FALSE(find(printed, "evaluate.variety.inputs.train"));
  CHECK(keys_of(*find(printed, "generation")) ==
        std::vector<std::string>{"reconstructions", "samples"});
  CHECK(text_at(printed, "generation.samples.max_length") == "60");
  // They depend on the row.
  CHECK_FALSE(find(printed, "generation.samples.seed"));
  CHECK_FALSE(find(printed, "generation.samples.count"));
  CHECK(identities(to_yaml(printed)) == identities(kPrinted));
}

TEST_CASE("printed recipe: the selected profile, and what it removed", "[check]") {
  const Node printed = print(kPrinted, "less");
  CHECK(keys_of(*find(printed, "profiles")) == std::vector<std::string>{"less"});
  CHECK(find(printed, "profiles.less")->entries().empty());
  CHECK(text_at(printed, "default_profile") == "less");
  CHECK_FALSE(find(printed, "models.lm"));
  CHECK(text_at(printed, "not_run.lm.label") == "LM");
  CHECK(text_at(printed, "not_run.lm.reason") == "not in this profile");
  CHECK(find(printed, "not_run.lm.sections")->items().size() == 1);
  CHECK_FALSE(find(print(kPrinted), "profiles"));
}

TEST_CASE("printed recipe: texts that figures read, and the rules of the data set", "[check]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "own.txt", "a b\nc d\n");
  const std::string text = "lvtext: 1\nrecipe: p/t\ndata: {train: '" +
                           (folder / "own.txt").string() +
                           "', clean: false}\n"
                           "models: {vae: {model: vae}}\n"
                           "figures: {f: {figure: texts, rows: vae, of: [reconstructions]}}\n";
  const Node printed = print(text);
  CHECK(find(printed, "generation.reconstructions.max_length"));
  CHECK_FALSE(find(printed, "generation.samples"));
  CHECK(text_at(printed, "data.clean") == "false");
  for (const std::string rule : {"dedupe", "remove_test_overlap", "remove_valid_overlap"}) {
    CHECK(text_at(printed, "data." + rule) == "true");
  }
  CHECK(text_at(printed, "data.order") == "content");
  CHECK(identities(to_yaml(printed)) == identities(text));
}
