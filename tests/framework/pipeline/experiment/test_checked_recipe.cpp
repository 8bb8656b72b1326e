// A recipe is parsed once, and the parsed recipe is executed.
#include <filesystem>
#include <map>

#include "evaluators/register.h"
#include "framework/core/base/files.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/experiment/resolved_recipe.h"
#include "framework/pipeline/figures/register.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/rating/kinds/register.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_models(each);
    register_all_evaluators(each);
    register_all_inference(each);
    register_all_figures(each);
    register_all_sheets(each);
    return each;
  }();
  return all;
}

/// Counts how often each option of a file is parsed, during its lifetime.
class ParseCounter {
 public:
  ParseCounter() {
    on_option_taken = [this](const std::string& path, const SourceLocation& location) {
      if (location.source) ++counts_[path + " at " + location.text()];
    };
  }
  ~ParseCounter() { on_option_taken = nullptr; }
  ParseCounter(const ParseCounter&) = delete;
  ParseCounter& operator=(const ParseCounter&) = delete;

  const std::map<std::string, int>& counts() const { return counts_; }
  std::vector<std::string> parsed_again() const {
    std::vector<std::string> again;
    for (const auto& [option, count] : counts_) {
      if (count > 1) again.push_back(option + ": " + std::to_string(count) + " times");
    }
    return again;
  }

 private:
  std::map<std::string, int> counts_;
};

Experiment experiment_of(const std::string& file, const std::string& profile) {
  const Recipe recipe = load_recipe({file, profile, "", {}, {}});
  return build_experiment(check_recipe(recipe, registries()), registries(), {});
}

}  // namespace

TEST_CASE("recipes: every option is parsed once", "[experiment]") {
  for (const std::string name :
       {"eval-all/table1", "eval-all/aae-gauss", "daae/deletion", "quickstart/quickstart"}) {
    const std::string file = "recipes/" + name + ".yaml";
    const ParseCounter counter;
    const Experiment experiment = experiment_of(file, "smoke");
    INFO(file);
    CAPTURE(counter.parsed_again());
    CHECK(counter.parsed_again().empty());
    // All options of the rows, and many others.
    CHECK(counter.counts().size() > 5 * experiment.rows.size());
    // The counter detects options that are parsed again.
    parse_options_or_throw<TableOptions>(*experiment.recipe.tree.find("table"), {}, "table");
    CHECK_FALSE(counter.parsed_again().empty());
  }
}

TEST_CASE("checked recipe: errors in figures, fits and inline components are named",
          "[experiment]") {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& entries) {
    write_file_synced(
        folder / "r.yaml",
        "lvtext: 1\nrecipe: p/t\ndata: {set: embedded}\ntrain: {stop: 3u}\n" + entries);
    Errors errors;
    check_recipe(load_recipe({(folder / "r.yaml").string(), "", "", {}, {}}), registries(), errors);
    return errors.empty() ? std::string() : errors.report();
  };
  const std::string vae = "models: {vae: {model: vae}}\n";
  CHECK(problem(vae + "figures: {f: {figure: posterior_tsne, rows: vae}}").empty());
  CHECK_THAT(problem(vae + "figures: {f: {figure: posterior_tnse, rows: vae}}"),
             Contains("unknown figure 'posterior_tnse'") && Contains("posterior_tsne"));
  CHECK_THAT(problem(vae + "figures: {f: {figure: posterior_tsne, rows: vae, draw: 3}}"),
             Contains("'figures.f.draw'") && Contains("did you mean 'draws'?"));
  CHECK_THAT(
      problem(vae + "figures: {f: {figure: posterior_tsne, sentences: 2, draws: 5, rows: vae, "
                    "perplexity: 10}}"),
      Contains("perplexity must be below the number of points, sentences times draws"));
  CHECK_THAT(problem(vae + "figures: {f: {figure: posterior_tsne}}"),
             Contains("missing key 'figures.f.rows'"));
  CHECK_THAT(problem("models: {vae: {fit: vae}}"),
             Contains("the model 'vae' is trained, not fitted") && Contains("`model: vae`"));
  CHECK_THAT(problem("models: {vectors: {fit: word_vectors}}"),
             Contains("the model 'word_vectors' is imported, not fitted"));
  const auto layout = [&](const std::string& filling) {
    return problem(vae + "figures: {f: {figure: posterior_tsne, rows: vae, inputs: {layout: " +
                   filling + "}}}");
  };
  CHECK(layout("{perplexity: 5}").empty());
  CHECK_THAT(layout("{infer: tsne_layuot}"), Contains("tsne_layout"));
  CHECK_THAT(layout("{infer: samples}"), Contains("samples returns a text, but layout is tensors"));
  CHECK_THAT(layout("{infer: tsne_layout, perplexty: 3}"), Contains("did you mean 'perplexity'?"));
  CHECK_THAT(layout("{infer: tsne_layout}"), Contains("missing key") && Contains("draws"));
  CHECK_THAT(problem("models: {a: {model: vae}, b: {model: vae, init: {from: c}}}"),
             Contains("models.b.init.from: 'c' is not a model"));
  CHECK_THAT(problem("models: {a: {model: vae, data: {zip: [data.train, data.tset]}}}"),
             Contains("'data.tset' is not a text") && Contains("data.test"));
}

TEST_CASE("checked recipe: rows override the recipe's training and generation options",
          "[experiment]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "r.yaml", R"(
lvtext: 1
recipe: p/t
data: {set: embedded}
train: {stop: 3u, seed: 5, optimizers: {default: {type: sgd, lr: 0.5, schedule: {type: reduce_on_plateau, factor: 0.5}}}}
generation: {samples: {max_length: 50, count: 9}}
models:
  plain: {model: rnn_lm, embedding: 4, decoder: {hidden: 4}}
  own:
    model: rnn_lm
    embedding: 4
    decoder: {hidden: 4}
    train: {seeds: 2, stop: 4u, optimizers: {default: {lr: 0.25}}}
    generation: {samples: {max_length: 30}}
  given: {samples: data.train}
evaluate:
  diversity: {evaluator: diversity}
)");
  const Recipe recipe = load_recipe({(folder / "r.yaml").string(), "", "", {}, {}});
  const CheckedRecipe checked = check_recipe(recipe, registries());
  REQUIRE(checked.rows.size() == 3);
  const CheckedEntry& plain = *checked.rows[0].entry;
  const CheckedEntry& own = *checked.rows[1].entry;
  const auto sampling = [](const CheckedRow& row, const char* key) {
    return row.generation.at("samples")->component.options.find(key)->text();
  };
  CHECK(plain.train.stop.any.front().amount == 3);
  CHECK(plain.seeds == 1);
  CHECK(sampling(checked.rows[0], "max_length") == "50");
  CHECK(own.train.stop.any.front().amount == 4);
  CHECK(own.train.seed == 5);
  CHECK(own.train.optimizers.at("default").lr == 0.25);
  CHECK(own.train.optimizers.at("default").type == OptimizerType::kSgd);
  CHECK(own.train.optimizers.at("default").schedule.name() == "reduce_on_plateau");
  CHECK(sampling(checked.rows[1], "max_length") == "30");
  CHECK(sampling(checked.rows[1], "count") == "9");
  CHECK(own.seeds == 2);
  CHECK_FALSE(checked.rows[2].entry);
  const auto& given = std::get<KnownReference>(checked.rows[2].fillers.at("samples").front());
  CHECK(given.of == KnownReference::Of::kData);
  CHECK(given.part == "train");
  CHECK(checked.metrics.at(0).evaluator.component->about.name == "diversity");
}
