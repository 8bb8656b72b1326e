// Artifacts and models: their options, training and data.
#include "framework/pipeline/check/checked_entries.h"

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const std::string kEntries = R"Y(lvtext: 1
recipe: p/entries
axes: {size: [4, 6]}
data:
  news: {set: embedded}
  reviews: {set: embedded-reviews, fields: text}
  all: {from: [news.train, reviews.train]}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
model_defaults: {decoder: {hidden: 4}}
artifacts:
  words: {fit: words, data: news.train, min_count: 1}
  ngrams: {fit: kneser_ney, data: news.train}
  said: {infer: reconstructions, model: vae, data: news}
models:
  lm: {over: size, label: "RNN", model: rnn_lm, data: news, embedding: $size}
  vae: {model: vae, data: news, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}}
  tuned: {model: rnn_lm, data: all, validate_on: news.valid, embedding: 4, train: {seeds: 2, seed: 7}, init: {from: "lm[4]", rows: extend}}
profiles:
  less: {axes: {size: [6]}}
)Y";

std::string wrong(const std::string& from, const std::string& to) {
  return mistake(replaced(kEntries, from, to));
}

}  // namespace

TEST_CASE("entries: artifacts, then models, and tokenizers apart from them", "[check]") {
  const CheckedRecipe checked = check_text(kEntries);
  std::vector<std::string> ids;
  for (const auto& entry : checked.entries) ids.push_back(entry->id);
  CHECK(ids == std::vector<std::string>{"ngrams", "said", "lm[4]", "lm[6]", "vae", "tuned"});
  REQUIRE(checked.tokenizers.size() == 1);
  CHECK(checked.tokenizers[0].id == "words");
  CHECK(checked.tokenizers[0].fit.name() == "words");
  CHECK(checked.tokenizers[0].data.id == "news");
  CHECK(checked.tokenizers[0].data.part == "train");
  const CheckedEntry& ngrams = *checked.entries[0];
  CHECK_FALSE(ngrams.is_model);
  CHECK_FALSE(ngrams.is_trained());
  CHECK(ngrams.data.empty());
  REQUIRE_FALSE(ngrams.inputs.empty());
  REQUIRE(ngrams.inputs[0].fillings.size() == 1);
  CHECK(std::get<KnownReference>(ngrams.inputs[0].fillings[0]).part == "train");
  const CheckedEntry& said = *checked.entries[1];
  CHECK(said.splits == std::vector<std::string>{"train", "valid", "test", "reverse"});
  const CheckedEntry& lm = *checked.entries[2];
  CHECK(lm.is_model);
  CHECK(lm.is_trained());
  CHECK(lm.splits.empty());
  CHECK(lm.component.options.find("decoder")->find("hidden")->text() == "4");
}

TEST_CASE("entries: data, seeds and initial weights of trainings", "[check]") {
  const CheckedRecipe checked = check_text(kEntries);
  const CheckedEntry& lm = *find_entry(checked.entries, "lm[4]");
  REQUIRE(lm.data.size() == 1);
  // The training determines the split of a data set that is named without one.
  CHECK(lm.data.at("train").at(0).at(0).id == "news");
  CHECK(lm.data.at("train").at(0).at(0).part.empty());
  CHECK(lm.validate_on.empty());
  CHECK(lm.seeds == 1);
  CHECK(lm.train.seed == 3);
  CHECK_FALSE(lm.has_own_seed);
  CHECK_FALSE(lm.init);
  const CheckedEntry& tuned = *find_entry(checked.entries, "tuned");
  CHECK(tuned.data.at("train").at(0).at(0).id == "all");
  CHECK(tuned.validate_on.at("train").at(0).at(0).id == "news");
  CHECK(tuned.validate_on.at("train").at(0).at(0).part == "valid");
  CHECK(tuned.seeds == 2);
  CHECK(tuned.train.seed == 7);
  CHECK(tuned.has_own_seed);
  REQUIRE(tuned.init);
  CHECK((tuned.init->rows == InitRows::kExtend));
  CHECK((tuned.initial.of == KnownReference::Of::kEntry));
  CHECK(tuned.initial.id == "lm[4]");
  CHECK(tuned.reason.empty());
  // A removed model is the reason why the entry is not computed.
  const Loaded less = load(kEntries, "less");
  CHECK(find_entry(less.checked.entries, "tuned")->reason == "not run: not in this profile");
}

TEST_CASE("entries: keys of other kinds of entries are refused", "[check]") {
  CHECK_THAT(wrong("  vae: {model", "  vae: {lable: VAE, model"),
             Contains("r.yaml:16:9: error: unknown key 'models.vae.lable'") &&
                 Contains("did you mean 'label'?") && Contains("1 error;"));
  // A key that resembles one of the model is reported with its type.
  CHECK_THAT(wrong("  vae: {model", "  vae: {embeding: 4, model"),
             Contains("unknown key 'models.vae.embeding'") &&
                 Contains("did you mean 'embedding'? (int or null, 1..65536)") &&
                 Contains("1 error;"));
  CHECK_THAT(wrong("  vae: {model", "  vae: {fit: kneser_ney, model"),
             Contains("models.vae has both `model` and `fit`") &&
                 Contains("remove one of them; a profile or an override removes `model` by "
                          "`model: null`") &&
                 Contains("1 error;"));
  CHECK_THAT(wrong("fit: kneser_ney, ", "fit: kneser_ney, train: {stop: 1u}, "),
             Contains("artifacts.ngrams.train: the model 'kneser_ney' is fitted, not trained") &&
                 Contains("remove it") && Contains("1 error;"));
  CHECK_THAT(wrong("vae, data: news}", "vae, data: news, validate_on: news.valid}"),
             Contains("artifacts.said.validate_on: inference is not trained") &&
                 Contains("remove it") && Contains("1 error;"));
  CHECK_THAT(wrong("model_defaults: {", "model_defaults: {decodr: 3, "),
             Contains("model_defaults: no model of this recipe has the option 'decodr'") &&
                 Contains("1 error;"));
}

TEST_CASE("entries: data that an entry cannot use", "[check]") {
  CHECK_THAT(wrong("fit: words, data: news.train,", "fit: words,"),
             Contains("artifacts.words.data is missing: the text to which it is fitted") &&
                 Contains("a split, such as news.train"));
  for (const std::string text : {"said.test", "news.train.decoded"}) {
    CHECK_THAT(wrong("fit: words, data: news.train,", "fit: words, data: " + text + ","),
               Contains("artifacts.words.data: a tokenizer is fitted to records of a data set"));
  }
  CHECK_THAT(wrong("validate_on: news.valid", "validate_on: all"),
             Contains("models.tuned.validate_on: all has no split valid") &&
                 Contains("specify one of its splits: train"));
  CHECK_THAT(wrong("\"lm[4]\"", "\"lm[*]\""),
             Contains("models.tuned.init.from accepts one value, but 'lm[*]' names 2"));
  CHECK_THAT(wrong("infer: reconstructions, model: vae, data: news}",
                   "infer: random_lines, data: news, inputs: {from: reviews}}"),
             Contains("artifacts.said: reviews has the splits train, valid, test, and its other "
                      "inputs train, valid, test, reverse") &&
                 Contains("specify one split of each"));
}

TEST_CASE("entries: mistakes in the recipe's `train` are reported once", "[check]") {
  CHECK_THAT(wrong("stop: 2u", "stop: 2x"),
             Contains("r.yaml:8:37: error: 'train.stop' must be one or more periods") &&
                 Contains("1 error;"));
  // The options that a model sets itself are still checked.
  const std::string both =
      mistake(replaced(replaced(kEntries, "stop: 2u", "stop: 2x"), "seed: 7}", "sed: 7}"));
  CHECK_THAT(both, Contains("unknown key 'models.tuned.train.sed'") && Contains("2 errors;"));
}
