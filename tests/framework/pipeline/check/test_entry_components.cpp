// Components of artifacts and models: their types, splits and parts.
#include "framework/pipeline/check/entry_components.h"

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Strings = std::vector<std::string>;

TEST_CASE("entry components: types, splits and parts of what entries compute", "[check]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "r.yaml", R"Y(lvtext: 1
recipe: p/components
data:
  news: {set: embedded}
  few: {from: [news.train], at_most: 5}
artifacts:
  words: {fit: words, data: news.train}
  ngrams: {fit: kneser_ney, data: news.train}
  codes: {infer: encode, model: vae, data: news}
  again: {infer: normalize_vectors, data: codes, inputs: {statistics: codes.train}}
  one_split: {infer: encode, model: vae, data: few}
  said: {infer: complete, model: lm, inputs: {text: news.test}, words: 2}
  inlined: {infer: reconstructions, model: vae, inputs: {text: {infer: copy, data: news}}}
  records: {infer: token_records, model: lm, data: news.test, policies: {k_5: {type: top_k, k: 5}, k_9: {type: top_k, k: 9}}}
  wrong: {infer: token_records, model: lm, data: news.test, policies: {k_5: {type: topk}}}
  unknown: {infer: reconstruct}
  one: {infer: reconstructions, model: vae, data: other}
  other: {infer: reconstructions, model: vae, data: one}
models:
  lm: {model: rnn_lm, data: news}
  vae: {model: vae, data: news}
  real: {samples: news.train}
)Y");
  const Recipe recipe = load_recipe({(folder / "r.yaml").string(), "", "", {}, {}});
  Errors errors;
  const DataSets data(recipe.options, errors);
  REQUIRE(errors.empty());
  const EntryComponents components(recipe, registries(), data);
  CHECK(components.find("lm")->about.name == "rnn_lm");
  CHECK(components.find("codes")->about.name == "encode");
  CHECK(components.contains("unknown"));
  CHECK_FALSE(components.find("unknown"));
  for (const std::string id : {"words", "real", "news"}) {
    INFO(id);
    CHECK_FALSE(components.contains(id));
    CHECK_FALSE(components.find(id));
  }
  CHECK(components.models() == Strings{"lm", "ngrams", "vae"});
  CHECK(components.is_inference("codes"));
  CHECK_FALSE(components.is_inference("ngrams"));
  CHECK((components.result_type("codes") == ArtifactType::kDataset));
  CHECK((components.result_type("said") == ArtifactType::kText));
  CHECK((components.result_type("lm") == ArtifactType::kText));
  // Inference on a whole data set, or on such an entry, runs for each split.
  const Strings splits{"train", "valid", "test", "reverse"};
  CHECK(components.whole_splits("codes") == splits);
  CHECK(components.whole_splits("again") == splits);
  for (const std::string id : {"one_split", "said", "inlined", "one"}) {  // `one` is in a cycle
    INFO(id);
    CHECK(components.whole_splits(id).empty());
  }
  Strings parts;
  for (const NamedPart& part : components.parts("records")) parts.push_back(part.id);
  CHECK(parts == Strings{"k_5", "k_9"});
  CHECK(components.parts("wrong").empty());
  CHECK(components.parts("codes").empty());
  CHECK(components.parts("unknown").empty());
  CHECK(components.whole_splits("absent").empty());
}
