// Nodes of references to data, to models and to texts of rows.
#include "framework/pipeline/plan/reference_resolver.h"

#include "tests/framework/pipeline/plan/loaded_resolver.h"

using namespace lvtext;

namespace {

const char* kReferences = R"Y(lvtext: 1
recipe: p/references
axes: {size: [2, 4]}
data:
  news: {set: embedded}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  said: {over: size, infer: random_lines, seed: $size, data: news.test, inputs: {from: news.train}}
models:
  vae: {model: vae, data: news, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
  lm: {model: rnn_lm, data: news, embedding: 4, decoder: {hidden: 4}}
rows:
  vae: {model: vae}
  lm: {model: lm}
  copy: {outputs: {infer: copy, data: news.test}, several: "said[*]"}
evaluate:
  many: {evaluator: bleu, rows: copy, inputs: {outputs: row.outputs, references: row.several}}
  variety: {evaluator: diversity, rows: [vae, lm], samples: 10}
)Y";

KnownReference of_row(const std::string& name) {
  return {KnownReference::Of::kRow, "", name, ""};
}

}  // namespace

TEST_CASE("reference resolver: data and models of rows", "[plan]") {
  LoadedResolver of(kReferences);
  ReferenceResolver& references = of.resolver.references();
  const ResolvedRow vae = of.run("vae");
  const KnownReference test{KnownReference::Of::kData, "news", "test", ""};
  CHECK(references.node_of({.name = "text"}, test, vae).node == "news-pack-test");
  CHECK(references.node_of({.name = "records", .type = ArtifactType::kRecords}, test, vae).node ==
        "news-source");
  const InputDecl encoder{
      .name = "model", .type = ArtifactType::kModel, .capabilities = {"encoder"}};
  CHECK(references.node_of(encoder, of_row("model"), vae).node == "vae");
  CHECK_THROWS_WITH(references.node_of(encoder, of_row("model"), of.run("lm")),
                    "the model rnn_lm lacks the capability encoder");
  CHECK_THROWS_WITH(references.node_of(encoder, of_row("model"), of.run("copy")),
                    "the row has no model");
  KnownReference removed = test;
  removed.removed = "not in this profile";
  CHECK_THROWS_WITH(references.node_of({.name = "text"}, removed, vae),
                    "not run: not in this profile");
}

TEST_CASE("reference resolver: texts of rows are given or generated", "[plan]") {
  LoadedResolver of(kReferences);
  ReferenceResolver& references = of.resolver.references();
  CHECK(references.text_of_row("outputs", of.run("copy")) == "copy-outputs");
  CHECK(references.text_of_row("samples", of.run("vae")) == "vae-samples");
  CHECK_THROWS_AS(references.text_of_row("samples", of.run("copy")), Absent);
  CHECK(references.is_requested("samples"));
  CHECK(references.is_requested("several"));
  CHECK_FALSE(references.is_requested("reconstructions"));
}

TEST_CASE("reference resolver: all members of a row's filler", "[plan]") {
  LoadedResolver of(kReferences);
  const ReferenceResolver& references = of.resolver.references();
  std::vector<std::string> ids;
  for (const Filling& member : references.members_of(of_row("several"), of.run("copy"))) {
    ids.push_back(std::get<KnownReference>(member).id);
  }
  CHECK(ids == std::vector<std::string>{"said[2]", "said[4]"});
  CHECK(references.members_of(of_row("outputs"), of.run("copy")).size() == 1);
  CHECK(references.members_of(of_row("several"), of.run("vae")).size() == 1);
}
