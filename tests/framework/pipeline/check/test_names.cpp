// Look-up of rows, selects and metrics by the entries of a recipe that name them.
#include "evaluators/register.h"
#include "framework/core/base/files.h"
#include "framework/pipeline/check/names.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Catch::Matchers::Contains;
using Strings = std::vector<std::string>;

namespace {

constexpr const char* kRecipe = R"(lvtext: 1
recipe: tests/names
axes: {noise: [0.1, 0.2]}
data: {set: embedded}
models:
  ae: {over: noise, model: autoencoder}
  vae: {model: vae}
evaluate:
  bleu: {evaluator: bleu}
  variety: {over: noise, evaluator: diversity}
select:
  best: {among: "ae[*]", max: bleu}
  level: {among: checkpoints, max: bleu}
not_run: {old: {label: "Old", reason: "no data"}}
)";

/// A recipe with its names and the errors of looking them up.
struct Looked {
  TemporaryFolder folder;
  Registries registries;
  Errors errors;
  Recipe recipe;
  std::unique_ptr<Names> names;

  Looked() {
    register_all_models(registries);
    register_all_evaluators(registries);
    write_file_atomic(folder / "names.yaml", kRecipe);
    recipe = load_recipe({.name = (folder / "names.yaml").string()});
    names = std::make_unique<Names>(CheckContext{recipe, registries, errors});
  }

  Strings rows(const std::string& text, bool with_selects = false) {
    const auto found = names->rows(Node::scalar(text, true), "here", with_selects);
    return found ? found->ids : Strings{message()};
  }
  Strings metrics(const std::string& text) {
    const auto found = names->metrics(Node::scalar(text, true), "here");
    return found ? found->ids : Strings{message()};
  }
  /// The errors so far.
  std::string message() {
    std::string text;
    try {
      errors.throw_if_any();
    } catch (const std::exception& error) {
      text = error.what();
    }
    errors = Errors();
    return text;
  }
};

}  // namespace

TEST_CASE("names: rows by id and pattern, selects where they are allowed", "[experiment]") {
  Looked of;
  CHECK(of.rows("vae") == Strings{"vae"});
  CHECK(of.rows("ae[*]") == Strings{"ae[0.1]", "ae[0.2]"});
  CHECK(of.rows("ae[0.2]") == Strings{"ae[0.2]"});
  CHECK(of.rows("best", true) == Strings{"best"});
  CHECK(of.names->rows(Node::scalar("old", true), "here")->removed == Strings{"no data"});
  const Node list = Node::sequence({Node::scalar("vae", true), Node::scalar("ae[*]", true)});
  CHECK(all_ids(of.names->each_rows(list, "here")) == Strings{"vae", "ae[0.1]", "ae[0.2]"});
  CHECK(of.names->rows_of_model("vae") == Strings{"vae"});
  CHECK(of.names->chooses_checkpoints("level"));
  CHECK_FALSE(of.names->chooses_checkpoints("best"));
}

TEST_CASE("names: what is no row is refused with the nearest", "[experiment]") {
  Looked of;
  CHECK_THAT(of.rows("vea")[0], Contains("here: 'vea' is not a row of this recipe") &&
                                    Contains("did you mean 'vae'?"));
  CHECK_THAT(of.rows("ae")[0], Contains("here: 'ae' is not a row") && Contains("all as ae[*]"));
  CHECK_THAT(of.rows("olt")[0], Contains("did you mean 'old'?"));
  CHECK_THAT(of.rows("ae[0.3]")[0], Contains("no member of ae has the value '0.3'"));
  CHECK_THAT(of.rows("vae.outputs")[0], Contains("is a part of a row") && Contains("write vae"));
  CHECK_THAT(of.rows("vae@best")[0], Contains("have `choose` for a checkpoint"));
  CHECK_THAT(of.rows("best")[0], Contains("is a select, not a row"));
  CHECK_THAT(of.rows("level", true)[0], Contains("it chooses checkpoints"));
  CHECK_THAT(of.rows("a row")[0], Contains("'a row' is not a row"));
}

TEST_CASE("names: metrics and their scores", "[experiment]") {
  Looked of;
  CHECK(of.metrics("bleu") == Strings{"bleu"});
  CHECK(of.metrics("variety[*].unique") == Strings{"variety[0.1]", "variety[0.2]"});
  CHECK_THAT(of.metrics("blue")[0], Contains("here: 'blue' is not a metric of `evaluate`") &&
                                        Contains("did you mean 'bleu'?"));
  CHECK(of.metrics("variety[*].uniqe").size() == 2);  // the score is reported
  CHECK_THAT(of.message(), Contains("diversity has no score 'uniqe'"));
  CHECK_FALSE(of.names->one_metric(Node::scalar("variety[*]", true), "here"));
  CHECK_THAT(of.message(), Contains("'variety[*]' names several metrics"));
  CHECK_THAT(of.metrics("bleu@best")[0], Contains("names a checkpoint"));
}
