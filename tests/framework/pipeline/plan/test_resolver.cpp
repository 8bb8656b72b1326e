// Nodes of references and inline models.
#include "framework/pipeline/plan/resolver.h"

#include <algorithm>

#include "tests/framework/pipeline/plan/loaded_resolver.h"

using namespace lvtext;

namespace {

const char* kRecipe = R"Y(lvtext: 1
recipe: p/resolver
data: {set: embedded}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  judge: {model: rnn_lm, embedding: 4, decoder: {hidden: 4}, train: {stop: 2u}}
models:
  vae: {model: vae, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
  lm: {model: rnn_lm, embedding: 4, decoder: {hidden: 8}}
evaluate:
  bleu: {evaluator: bleu}
  few: {evaluator: reverse_cross_entropy, samples: 10}
  many: {evaluator: reverse_cross_entropy, samples: 20}
  other: {evaluator: reverse_cross_entropy, samples: 20, inputs: {language_model: {embedding: 7}}}
)Y";

const std::map<std::string, std::string>& inputs_of(const Experiment& experiment,
                                                    const std::string& row,
                                                    const std::string& metric) {
  const ExperimentCell& cell = experiment.row(row)->cells.at(metric);
  INFO(row + ", " + metric + ": " + cell.reason);
  REQUIRE(cell.scores.size() == 1);
  return experiment.graph.at(cell.scores.begin()->second).inputs;
}

bool has_node(const Experiment& experiment, const std::string& name) {
  const auto& nodes = experiment.graph.nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const GraphNode& node) { return node.name == name; });
}

}  // namespace

TEST_CASE("resolver: equal inline models are one node, for all rows and metrics", "[plan]") {
  const Experiment experiment = load(kRecipe).experiment;
  for (const char* row : {"vae", "lm"}) {
    for (const char* metric : {"few", "many"}) {
      const auto& inputs = inputs_of(experiment, row, metric);
      CHECK(inputs.at("language_model") == "few-language_model");
      CHECK(inputs.at("samples") == std::string(row) + "-samples");
    }
    CHECK(inputs_of(experiment, row, "other").at("language_model") == "other-language_model");
  }
  CHECK_FALSE(has_node(experiment, "many-language_model"));
}

TEST_CASE("resolver: nodes of entries that are referred to, and reasons of absent ones", "[plan]") {
  const Experiment experiment = load(kRecipe).experiment;
  CHECK(inputs_of(experiment, "vae", "bleu").at("outputs") == "vae-reconstructions");
  const ExperimentCell& absent = experiment.row("lm")->cells.at("bleu");
  CHECK(absent.scores.empty());
  CHECK(absent.reason == "the model rnn_lm lacks the capability encoder");
  CHECK_FALSE(has_node(experiment, "lm-reconstructions"));
  CHECK_FALSE(has_node(experiment, "judge"));
  const Experiment judged =
      load(std::string(kRecipe) +
           "  judged: {evaluator: reverse_cross_entropy, inputs: {language_model: judge}}\n")
          .experiment;
  CHECK(inputs_of(judged, "vae", "judged").at("language_model") == "judge");
  CHECK((judged.graph.at("judge").kind == NodeKind::kTrain));
  // Texts of rows are generated for metrics only.
  const std::string no_metric =
      std::string(kRecipe).substr(0, std::string(kRecipe).find("evaluate:"));
  CHECK_FALSE(has_node(load(no_metric).experiment, "vae-samples"));
  CHECK(has_node(load(no_metric).experiment, "vae"));
}

TEST_CASE("resolver: filled inputs, and the reasons of missing ones", "[plan]") {
  LoadedResolver of(kRecipe);
  const std::vector<CheckedInput>& inputs = of.metric("bleu").inputs;
  const Resolved filled = of.resolver.resolve("bleu", inputs, of.run("vae"));
  CHECK(filled.reasons.empty());
  CHECK(filled.inputs.at("outputs").front().node == "vae-reconstructions");
  const Resolved missing = of.resolver.resolve("bleu", inputs, of.run("lm"));
  const std::string reason = "the model rnn_lm lacks the capability encoder";
  CHECK(missing.reasons == std::vector<std::string>{reason});
  CHECK_FALSE(missing.inputs.contains("outputs"));
  CHECK_THROWS_WITH(of.resolver.all_inputs("bleu", inputs, of.run("lm")), reason);
}

TEST_CASE("resolver: an id that is being resolved cannot be resolved again", "[plan]") {
  LoadedResolver of(kRecipe);
  const auto open = [&of](const std::string& id) {
    const Resolver::Opening opened(of.resolver, id);
  };
  {
    const Resolver::Opening vae(of.resolver, "vae"), lm(of.resolver, "lm");
    CHECK_THROWS_WITH(open("vae"), Contains("cyclic references: vae -> lm -> vae"));
    CHECK_NOTHROW(open("judge"));
  }
  CHECK_NOTHROW(open("vae"));
}
