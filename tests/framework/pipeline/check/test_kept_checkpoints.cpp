// Recipes that use the checkpoints which a training keeps.
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const char* kKept = R"Y(lvtext: 1
recipe: p/kept
data: {set: embedded}
train: {seed: 3, seeds: 2, device: cpu, stop: 4u, optimizers: {default: {type: adam, lr: 0.01}}, keep: {checkpoints: 2u}}
model_defaults: {embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
models:
  vae: {model: vae, latent: {size: 2}}
  short: {model: vae, latent: {size: 2}, train: {keep: {checkpoints: null}}}
rows:
  vae: {label: "VAE", model: vae}
  short: {label: "short", model: short}
  real: {label: "real data", samples: data.train}
generation:
  samples: {checkpoints: all}
evaluate:
  variety: {evaluator: diversity, samples: 10}
  words: {evaluator: diversity, samples: 10, score: length}
  per: {evaluator: ratio, inputs: {x: variety, y: words}}
  bleu: {evaluator: bleu}
  agree: {evaluator: spearman, across: checkpoints, inputs: {x: variety, y: words}}
  pooled: {evaluator: pearson, across: [vae, short], checkpoints: all, inputs: {x: variety, y: words}}
select:
  at: {among: checkpoints, nearest: 0.8, of: variety, within: 0.1, ties: later}
tables:
  chosen: {choose: at, columns: [variety, per, bleu]}
  blocks: {columns: [{choose: at, of: {v: variety.unique}}, agree]}
)Y";

}  // namespace

TEST_CASE("kept checkpoints: texts generated at each checkpoint are scored at each", "[check]") {
  const Experiment experiment = load(kKept).experiment;
  const ExperimentRow& vae = *experiment.row("vae");
  const auto node = [&](const std::string& name) { return experiment.graph.at(name); };
  CHECK(node("vae-samples-checkpoints").parts.at("model") == "all");
  CHECK(node("vae-samples-checkpoints").checkpoints == "2u");
  CHECK(vae.at_checkpoints.at("variety").size() == 2);
  CHECK(vae.at_checkpoints.at("per").contains(4));
  CHECK(node(vae.at_checkpoints.at("per").at(3)).checkpoints == "2u");
  CHECK_FALSE(vae.at_checkpoints.contains("bleu"));  // a metric of reconstructions, not of samples
  CHECK(vae.cells.at("bleu").scores.size() == 2);
  CHECK(node(vae.checkpoint_selections.at("at").at(4)).kind == NodeKind::kSelection);
  // A row without kept checkpoints is not changed.
  const ExperimentRow& plain = *experiment.row("short");
  CHECK(plain.at_checkpoints.empty());
  CHECK(plain.checkpoint_selections.empty());
  CHECK(plain.cells.at("variety").scores.size() == 2);
  CHECK(plain.cells.at("agree").reason == "the row keeps no checkpoints");
  CHECK(experiment.row("real")->cells.at("variety").scores.size() == 1);
  // Several rows at their checkpoints, and rows without any, have one score for each seed.
  CHECK(experiment.metrics.back().of_rows.scores.size() == 2);
  // No table shows the row at its selected weights, so no text is generated with them.
  CHECK(vae.samples.empty());
  CHECK_FALSE(vae.cells.contains("variety"));
  const CheckedTable& chosen = experiment.tables.at(0);
  const ExperimentCell cell = experiment.cell(chosen.lines.at(0), chosen.columns.at(1));
  CHECK((cell.scores == vae.at_checkpoints.at("per")));
  CHECK((cell.selections == vae.checkpoint_selections.at("at")));
  CHECK(experiment.cell(chosen.lines.at(0), chosen.columns.at(2)).selections.empty());
  CHECK(experiment.tables.at(1).columns.at(0).id == "at_v");
  CHECK(experiment.cell(chosen.lines.at(2), chosen.columns.at(0)).scores.size() == 1);
}

TEST_CASE("kept checkpoints: a select determines the weights of a model", "[check]") {
  const std::string with_row =
      replaced(kKept, "  real: {",
               "  again: {label: \"again\", samples: {infer: samples, model: vae@at}}\n  real: {");
  const Experiment experiment = load(with_row).experiment;
  const GraphNode& again = experiment.graph.at("again-samples");
  CHECK(again.inputs.at("model") == "vae");
  CHECK(again.inputs.at("model.choice") == "vae-at");
  CHECK(experiment.graph.at("again-samples-4").inputs.at("model.choice") == "vae-at-4");
}

TEST_CASE("kept checkpoints: errors", "[check]") {
  const auto wrong = [](const std::string& from, const std::string& to) {
    return mistake(replaced(kKept, from, to));
  };
  CHECK_THAT(wrong("samples: {checkpoints: all}", "samples: {checkpoints: last}"),
             Contains("generation.samples.checkpoints must be all, got 'last'"));
  CHECK_THAT(wrong("choose: at,", "choose: ad,"),
             Contains("tables.chosen.choose: 'ad' is not a select among kept checkpoints"));
  CHECK_THAT(wrong("{choose: at, of: {v: variety.unique}}", "{choose: at, off: {v: variety}}"),
             Contains("unknown key 'tables.blocks.columns.off'") &&
                 Contains("the block has no `of`, which lists its columns"));
  CHECK_THAT(wrong("samples: data.train", "samples: {infer: samples, model: vae@ad}"),
             Contains("unknown weights 'ad'"));
  CHECK_THAT(wrong("samples: data.train", "samples: {infer: samples, model: at}"),
             Contains("'at' selects a kept checkpoint and cannot be used as a row"));
  CHECK_THAT(wrong("across: checkpoints, inputs", "across: checkpoints, checkpoints: all, inputs"),
             Contains("evaluate.agree.checkpoints: `across: checkpoints` already uses them"));
  CHECK_THAT(wrong("agree: {evaluator: spearman", "agree: {evaluator: mean_rank"),
             Contains("mean_rank computes a score for each row, not for their checkpoints"));
  CHECK_THAT(wrong("bleu: {evaluator: bleu}", "bleu: {evaluator: bleu, checkpoints: all}"),
             Contains("evaluate.bleu.checkpoints: it requires rows in `across`"));
  CHECK_THAT(wrong("rows:\n  vae: {",
                   "rows:\n  twin: {model: vae}\n  other: {samples: {infer: "
                   "samples, model: vae@at}}\n  vae: {"),
             Contains("several rows have the model vae: twin, vae"));
}
