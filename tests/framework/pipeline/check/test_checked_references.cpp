// References to data sets, entries, metrics, selects and values of rows.
#include "framework/pipeline/check/checked_references.h"

#include <memory>

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Strings = std::vector<std::string>;

namespace {

const std::string kRecipe = R"Y(lvtext: 1
recipe: p/references
axes: {size: [2, 4]}
data:
  news: {set: embedded}
  pairs: {set: embedded-pairs}
  few: {from: [news.train], at_most: 5}
artifacts:
  words: {fit: words, data: news.train}
  ngrams: {fit: kneser_ney, data: news.train}
  judge: {model: rnn_lm, data: news}
  codes: {infer: encode, model: "vae[2]", data: news}
  said: {infer: complete, model: lm, inputs: {text: news.test}, words: 2}
  records: {infer: token_records, model: lm, data: news.test, policies: {k_5: {type: top_k, k: 5}, k_9: {type: top_k, k: 9}}}
models:
  lm: {model: rnn_lm, data: news}
  vae: {over: size, model: vae, data: news, latent: {size: $size}}
rows:
  lm: {model: lm, outputs: said}
  vae: {over: size, model: "vae[$size]"}
evaluate:
  variety: {evaluator: diversity}
select:
  best: {among: "vae[*]", max: variety}
  at: {among: checkpoints, max: variety}
profiles:
  less: {axes: {size: [4]}}
)Y";

/// A recipe with its references and the errors of looking them up.
struct Looked {
  Errors errors;
  Recipe recipe;
  std::unique_ptr<DataSets> data;
  std::unique_ptr<Names> names;
  std::unique_ptr<References> references;

  explicit Looked(const std::string& profile = "") {
    const TemporaryFolder folder;
    write_file_synced(folder / "r.yaml", kRecipe);
    recipe = load_recipe({(folder / "r.yaml").string(), profile, "", {}, {}});
    const CheckContext context{recipe, registries(), errors};
    data = std::make_unique<DataSets>(recipe.options, errors);
    names = std::make_unique<Names>(context);
    references = std::make_unique<References>(context, *data, *names);
    REQUIRE(errors.empty());
  }

  /// What a reference means, such as "entry codes part=test", or its error.
  Strings find(const std::string& text, const ReferenceScope& scope = {}) {
    Strings all;
    for (const auto& each : references->find(Node::scalar(text, true), {}, scope, "here")) {
      all.push_back(shown_reference(each));
    }
    return errors.empty() ? all : Strings{message()};
  }
  Strings find(const std::string& text, ArtifactType type) {
    return find(text, ReferenceScope{.type = type});
  }
  /// The first error, without the number of errors.
  std::string message() {
    const std::string text = errors.empty() ? "" : errors.report();
    errors = Errors();
    return text.substr(0, text.find('\n'));
  }

  static std::string shown_reference(const KnownReference& named) {
    const char* kinds[] = {"data", "entry", "row", "select", "metric"};
    std::string text = kinds[static_cast<int>(named.of)];
    if (!named.id.empty()) text += " " + named.id;
    if (!named.part.empty()) text += " part=" + named.part;
    if (!named.column.empty()) text += " column=" + named.column;
    if (!named.at.empty()) text += " at=" + named.at;
    if (!named.named_part.empty()) text += " named";
    if (named.decoded) text += " decoded";
    return named.removed.empty() ? text : text + " removed: " + named.removed;
  }
};

}  // namespace

TEST_CASE("references: splits, columns and decoded texts of data sets", "[check]") {
  Looked of;
  CHECK(of.find("news.test") == Strings{"data news part=test"});
  CHECK(of.find("pairs.test.premise") == Strings{"data pairs part=test column=premise"});
  // The only split need not be named.
  CHECK(of.find("few") == Strings{"data few part=train"});
  CHECK(of.find("few.text") == Strings{"data few part=train column=text"});
  CHECK(of.find("news.test.decoded") == Strings{"data news part=test decoded"});
  CHECK(of.find("news", ReferenceScope{.whole_sets = true}) == Strings{"data news"});
  CHECK(of.find("pairs", ArtifactType::kRecords) == Strings{"data pairs"});
  CHECK(of.find("pairs.test", ArtifactType::kRecords) ==
        Strings{"error: here: 'pairs.test' is a part of a data set, and the records of all its "
                "splits are required; write pairs"});
  CHECK(of.find("data.test") ==
        Strings{"error: here: 'data.test' is not a text that can be used here; the recipe has "
                "several data sets; specify one of news, pairs, few"});
  std::string part = "test.decoded";
  CHECK(remove_decoded(part));
  CHECK(part == "test");
  CHECK_FALSE(remove_decoded(part));
  part = "decoded";
  CHECK(remove_decoded(part));
  CHECK(part.empty());
}

TEST_CASE("references: models and their weights", "[check]") {
  Looked of;
  const ArtifactType model = ArtifactType::kModel;
  CHECK(of.find("lm", model) == Strings{"entry lm"});
  CHECK(of.find("vae[*]", model) == Strings{"entry vae[2]", "entry vae[4]"});
  CHECK(of.find("lm@step:4", model) == Strings{"entry lm at=step:4"});
  CHECK(of.find("vae[2]@at", model) == Strings{"entry vae[2] at=at"});
  CHECK(of.find("judge@at", model) ==
        Strings{"error: here: 'judge@at': 'at' selects a checkpoint for each row, but no row has "
                "the model judge"});
  CHECK(of.find("ngrams@best", model) ==
        Strings{"error: here: 'ngrams@best': ngrams is not trained and keeps no checkpoints"});
  CHECK(of.find("lm@frist", model) ==
        Strings{"error: here: 'lm@frist': unknown weights 'frist'; @last, @best or @step:N, or "
                "what a select among checkpoints chose: @at"});
  CHECK(of.find("lm.weights", model) ==
        Strings{"error: here: lm is a model and has no part 'weights'; write lm"});
  CHECK(of.find("words") == Strings{"error: here: 'words' is a tokenizer, and a text is required"});
  CHECK(of.find("news.train", model) ==
        Strings{"error: here: 'news.train' is not a model that can be used here; all: judge, lm, "
                "ngrams, vae[2], vae[4]"});
  Looked less("less");
  CHECK(less.find("vae[2]", model) == Strings{"entry removed: not in this profile"});
  CHECK(less.find("vae[*]", model) == Strings{"entry vae[4]"});
}

TEST_CASE("references: splits, columns and parts of inference", "[check]") {
  Looked of;
  const ArtifactType dataset = ArtifactType::kDataset;
  CHECK(of.find("codes.test", dataset) == Strings{"entry codes part=test"});
  CHECK(of.find("codes.test.text") == Strings{"entry codes part=test column=text"});
  CHECK(of.find("codes", ReferenceScope{.type = dataset, .whole_sets = true}) ==
        Strings{"entry codes"});
  CHECK(of.find("said.original") == Strings{"entry said column=original"});
  CHECK(of.find("records.k_9", dataset) == Strings{"entry records named"});
  CHECK(of.find("records", dataset) ==
        Strings{"error: here: 'records' has several parts; specify one, such as records.k_5: k_5, "
                "k_9"});
  CHECK(of.find("records.k_6", dataset) ==
        Strings{"error: here: 'records.k_6' is not a part of records; did you mean 'k_5'? (all: "
                "k_5, k_9)"});
}

TEST_CASE("references: values of rows, scores and selects", "[check]") {
  Looked of;
  const ReferenceScope of_row{.of_row = true};
  CHECK(of.find("row.outputs", of_row) == Strings{"row part=outputs"});
  CHECK(of.find("row.outputs.original", of_row) == Strings{"row part=outputs column=original"});
  CHECK(of.find("row.model", {.type = ArtifactType::kModel, .of_row = true}) ==
        Strings{"row part=model"});
  CHECK(of.find("row.outputs@best", of_row) ==
        Strings{"error: here: 'row.outputs@best': a text of a row has no @; tables, figures and "
                "sheets have `choose`, which names a select among checkpoints"});
  CHECK(of.find("variety.unique", ArtifactType::kScores) == Strings{"metric variety part=unique"});
  CHECK(of.find("lm", ArtifactType::kScores) ==
        Strings{"error: here: 'lm' is not a metric that can be used here; all: variety"});
  CHECK(of.find("best", ArtifactType::kModel) == Strings{"select best part=model"});
  CHECK(of.find("best.samples") == Strings{"select best part=samples"});
  // A training reads whole entries and splits.
  const auto whole = [&](const std::string& text) {
    const auto found = of.references->find(Node::scalar(text, true), {}, {}, "here");
    check_whole(found.at(0), text, {}, "here", of.errors);
    return of.message();
  };
  CHECK(whole("news.train").empty());
  const std::string hint =
      " is not valid here; the id of an entry, or a split of a data set such as news.train";
  for (const std::string text : {"pairs.train.premise", "said.original", "best.samples"}) {
    CHECK(whole(text) == "error: here: '" + text + "'" + hint);
  }
}

TEST_CASE("references: ids, and the first entry of a pattern", "[check]") {
  const Looked of;
  const References& all = *of.references;
  CHECK(all.first_id(parse_reference("vae[*].samples")) == "vae[2]");
  CHECK(all.first_id(std::nullopt).empty());
  CHECK(all.has("pairs"));
  CHECK_FALSE(all.has("row"));
  CHECK(all.with_only_set("data.test") == "data.test");  // there are several sets
}
