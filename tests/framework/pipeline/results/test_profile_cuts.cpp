#include "framework/pipeline/results/profile_cuts.h"

#include "framework/core/options/yaml.h"
#include "framework/pipeline/plan/schedules.h"
#include "models/vae/vae_options.h"
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

TEST_CASE("schedules: options in updates are recognized by their unit", "[results]") {
  const auto found = [](const std::string& options) {
    return options_in_updates(describe<AnnealingOptions>(), parse_yaml_or_throw(options, "test"));
  };
  using Found = std::vector<std::pair<std::string, double>>;
  CHECK(found("{type: linear, steps: 500, k: 3, center: 40}") == Found{{"steps", 500}});
  CHECK(found("{type: tanh, steps: 500, center: 40, scale: 9}") ==
        Found{{"center", 40}, {"scale", 9}});
}

namespace {

enum class Shape { kRamp, kStep };
const std::vector<EnumName<Shape>>& enum_names(Shape) {
  static const std::vector<EnumName<Shape>> names{{"ramp", Shape::kRamp, "grows"},
                                                  {"step", Shape::kStep, "jumps"}};
  return names;
}

struct ShapeOptions {
  Shape type = Shape::kRamp;
  int64_t length = 10, start = 5;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "shape");
    v.field("length", length, "updates of growth", unit("updates"), only_for("type", {"ramp"}));
    v.field("start", start, "step: a word of help that decides nothing", unit("updates"));
  }
};

}  // namespace

TEST_CASE("schedules: declarations decide which options are unused, not help texts", "[results]") {
  const auto schema = describe<ShapeOptions>();
  CHECK(schema.fields[1].help == "ramp: updates of growth");
  using Found = std::vector<std::pair<std::string, double>>;
  CHECK(options_in_updates(schema,
                           parse_yaml_or_throw("{type: ramp, length: 7, start: 3}", "test")) ==
        Found{{"length", 7}, {"start", 3}});
  CHECK(options_in_updates(schema, parse_yaml_or_throw("{type: step, length: 7, start: 3}",
                                                       "test")) == Found{{"start", 3}});
}
