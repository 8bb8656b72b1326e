#include "framework/pipeline/results/report_request.h"

#include <filesystem>
#include <set>

#include "evaluators/register.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/inference/register.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

const char* kRecipe = R"Y(lvtext: 1
recipe: paper/table
data: {set: embedded}
train: {seed: 5}
models:
  lm: {model: rnn_lm}
  ae: {model: autoencoder, train: {seeds: 2}}
default_profile: cpu
profiles: {cpu: {train: {stop: 1u}}}
)Y";

struct Made {
  TemporaryFolder folder;
  Registries registries;

  Made() {
    register_all_models(registries);
    register_all_evaluators(registries);
    register_all_inference(registries);
    write_file_synced(folder / "r.yaml", kRecipe);
  }
  Experiment experiment(const std::vector<std::string>& overrides,
                        const ExperimentRequest& request) const {
    const Recipe recipe = load_recipe({(folder / "r.yaml").string(), "", "", overrides, {}});
    return build_experiment(check_recipe(recipe, registries), registries, request);
  }
  std::string name(const std::vector<std::string>& overrides,
                   const ExperimentRequest& request) const {
    return report_name(experiment(overrides, request), request).string();
  }
};

}  // namespace

TEST_CASE("report: reports with different content have separate folders", "[results]") {
  const Made made;
  CHECK(made.name({}, {}) == "paper/table-cpu");
  // Settings without effect do not create another report.
  CHECK(made.name({"train.seed=5"}, {}) == "paper/table-cpu");
  CHECK(made.name({}, {.rows = {"ae", "lm"}}) == "paper/table-cpu");
  const std::string text = (made.folder / "own.txt").string();
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += "sentence number " + std::to_string(i) + "\n";
  write_file_synced(text, lines);
  std::set<std::string> names;
  const auto add = [&names](const std::string& name) {
    CHECK(name.starts_with("paper/table-cpu-"));
    CHECK(name.size() == std::string("paper/table-cpu-").size() + 8);
    names.insert(name);
  };
  add(made.name({"train.seed=6"}, {}));
  add(made.name({"train.stop=2u"}, {}));
  add(made.name({}, {.rows = {"ae"}}));
  add(made.name({}, {.rows = {"lm"}}));
  add(made.name({}, {.seeds = 3}));
  add(made.name({}, {.seeds = 1}));  // from ae, which has two
  add(made.name({"data.train=" + text}, {}));
  write_file_synced(text, lines + "one more\n");
  add(made.name({"data.train=" + text}, {}));
  CHECK(names.size() == 8);
  CHECK(made.name({"train.seed=6"}, {.rows = {"ae", "lm"}}) == made.name({"train.seed=6"}, {}));
}

TEST_CASE("report: the request is read back", "[results]") {
  const Made made;
  const ExperimentRequest request{.rows = {"ae"}, .seeds = 3};
  CHECK_FALSE(holds_report_request(made.folder.path));
  write_report_request(made.folder.path, made.experiment({"train.seed=6"}, request), request);
  REQUIRE(holds_report_request(made.folder.path));
  const ReportRequest read = read_report_request(made.folder.path);
  CHECK(read.profile == "cpu");
  CHECK(read.overrides == std::vector<std::string>{"train.seed=6"});
  CHECK(read.rows == request.rows);
  CHECK(read.seeds == request.seeds);
  const Recipe again =
      load_recipe({(made.folder / "recipe.yaml").string(), read.profile, "", read.overrides, {}});
  const CheckedRecipe checked = check_recipe(again, made.registries);
  CHECK(report_name(build_experiment(checked, made.registries, request), request) ==
        made.name({"train.seed=6"}, request));
  write_file_synced(made.folder / "report.json", "{\"schema\": \"lvtext.report/1\"}");
  CHECK_THROWS_AS(read_report_request(made.folder.path), DataError);
  write_file_synced(made.folder / "report.json", "no json");
  CHECK_THROWS_AS(read_report_request(made.folder.path), DataError);
}

TEST_CASE("report: the last five reports of an edited recipe are kept", "[results]") {
  const Made made;
  const auto folder = made.folder / "report";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& recipe) {
    write_file_synced(made.folder / "r.yaml", recipe);
    const Experiment experiment = made.experiment({}, {});
    const auto replaced = keep_previous_report(folder, experiment, {});
    write_file_synced(folder / "table.csv", recipe);
    write_report_request(folder, experiment, {});
    return replaced;
  };
  const auto with_seed = [](int seed) {
    std::string recipe = kRecipe;
    return recipe.replace(recipe.find("seed: 5"), 7, "seed: " + std::to_string(seed));
  };
  CHECK_FALSE(write(with_seed(1)));
  CHECK_FALSE(write(with_seed(1)));
  const auto second = write(with_seed(2));
  REQUIRE(second);
  CHECK(second->changes == std::vector<std::string>{"train.seed: 1 -> 2"});
  CHECK(second->kept.filename().string().starts_with("previous-"));
  CHECK(read_file(second->kept / "table.csv") == with_seed(1));
  CHECK(read_report_request(second->kept).profile == "cpu");
  std::string longer = with_seed(2);
  longer.replace(longer.find("stop: 1u"), 8, "stop: 9u, validate_every: 3u");
  const auto third = write(longer);
  REQUIRE(third);
  CHECK(third->changes == std::vector<std::string>{"profiles.cpu.train.stop: 1u -> 9u",
                                                   "profiles.cpu.train.validate_every: 3u (new)"});
  for (int seed = 3; seed < 9; ++seed) CHECK(write(with_seed(seed)));
  int kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    kept += entry.is_directory() ? 1 : 0;
  }
  CHECK(kept == 5);
  CHECK_FALSE(std::filesystem::exists(second->kept));
  CHECK(read_file(folder / "table.csv") == with_seed(8));
}
