#include "framework/pipeline/results/profile_cuts.h"

#include "tests/catch.h"

using namespace lvtext;

namespace {

/// Two rows and a language model that scores, with the given batch size and width.
Experiment experiment(int batch, int width, const std::string& profile) {
  Experiment made;
  made.recipe.profile = profile;
  made.graph = Graph("p", profile);
  for (const char* name : {"ae", "vae", "reverse_lm"}) {
    GraphNode node;
    node.name = name;
    node.kind = NodeKind::kTrain;
    node.options = {{"train", {{"batch", batch}}}, {"model", {{"name", name}}}};
    if (std::string(name) == "vae") node.options["model"]["width"] = width;
    made.graph.add(node);
  }
  for (const char* name : {"ae", "vae"}) {
    ExperimentRow row;
    row.id = name;
    row.trained[1] = name;
    made.rows.push_back(row);
  }
  return made;
}

}  // namespace

TEST_CASE("profile cuts: every different option is listed once, with the affected entries",
          "[results]") {
  const auto cuts = profile_cuts(experiment(64, 128, "cpu"), experiment(256, 512, "paper"));
  REQUIRE(cuts.size() == 2);
  CHECK(cuts[0].what == "train.batch");
  CHECK(cuts[0].paper == "256");
  CHECK(cuts[0].ours == "64");
  CHECK(cuts[0].reason == "profile cpu: all trainings");
  CHECK(cuts[1].what == "model.width");
  CHECK(cuts[1].reason == "profile cpu: vae");
  CHECK(profile_cuts(experiment(64, 8, "cpu"), experiment(64, 8, "paper")).empty());
  Experiment thrice = experiment(64, 8, "paper");
  thrice.rows[1].trained[2] = thrice.rows[1].trained[3] = "vae";
  const auto seeds = profile_cuts(experiment(64, 8, "cpu"), thrice);
  REQUIRE(seeds.size() == 1);
  CHECK(seeds[0].what == "seeds");
  CHECK(seeds[0].paper == "3");
  CHECK(seeds[0].ours == "1");
  CHECK(seeds[0].reason == "profile cpu: vae");
}
