// Inputs of the panels of figures.
#include "framework/pipeline/plan/panels.h"

#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;

namespace {

const char* kFigures = R"Y(lvtext: 1
recipe: p/panels
data: {set: embedded}
train: {seed: 3, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
models:
  vae: {label: "VAE", model: vae, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
  lm: {model: rnn_lm, embedding: 4, decoder: {hidden: 4}}
  real: {label: "real data", samples: data.train}
not_run:
  aae: {label: "AAE", reason: "not built"}
figures:
  fig: {figure: posterior_tsne, rows: [vae, lm, real, aae]}
  again: {figure: posterior_tsne, rows: vae}
)Y";

}  // namespace

TEST_CASE("panels: a figure reads nodes of each row, or has a reason", "[plan]") {
  const Experiment experiment = load(kFigures).experiment;
  REQUIRE(experiment.figures.size() == 2);
  const ExperimentFigure& figure = experiment.figures[0];
  REQUIRE(figure.panels().size() == 4);
  const ExperimentPanel& vae = *figure.panels()[0];
  CHECK(vae.row == "vae");
  CHECK(vae.label == "VAE");
  CHECK(vae.reason.empty());
  const std::string layout = "vae-figure-fig-layout";
  const std::string text = experiment.data.front().nodes.packs.at("test");
  CHECK(vae.nodes() == std::vector<std::string>{layout, text});
  CHECK(experiment.graph.at(layout).inputs.at("draws") == layout + "-draws");
  CHECK(experiment.graph.at(layout + "-draws").inputs.at("model") == "vae");
  CHECK(experiment.graph.at(layout + "-draws").inputs.at("text") == text);
  std::vector<std::string> reasons;
  for (const ExperimentPanel* panel : figure.panels()) {
    reasons.push_back(panel->reason);
    CHECK(panel->inputs.empty() == !panel->reason.empty());
  }
  CHECK(reasons == std::vector<std::string>{"", "the model rnn_lm lacks the capability encoder",
                                            "the row has no model", "not built"});
  CHECK(figure.panels()[3]->label == "AAE");
}

TEST_CASE("panels: figures with equal options read the same nodes", "[plan]") {
  const Experiment experiment = load(kFigures).experiment;
  const auto nodes_of = [](const Experiment& of, size_t figure) {
    return of.figures.at(figure).panels().front()->nodes();
  };
  CHECK(nodes_of(experiment, 1) == nodes_of(experiment, 0));
  const Experiment other =
      load(replaced(kFigures, "rows: vae}", "rows: vae, perplexity: 5}")).experiment;
  const std::string layout = nodes_of(other, 1).front();
  CHECK(layout == "vae-figure-again-layout");
  CHECK(other.graph.at(layout).inputs.at("draws") == "vae-figure-fig-layout-draws");
}
