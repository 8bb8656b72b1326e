// A recipe is parsed once, and the parsed recipe is executed.
#include <algorithm>
#include <filesystem>
#include <map>

#include "framework/core/options/options.h"
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;

namespace {

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

TEST_CASE("registry: no component has an option called like a key of its entry", "[check]") {
  for (const auto* registry : {&registries().models, &registries().inference}) {
    for (const auto& name : registry->names()) {
      for (const FieldSchema& field : registry->get(name).about.schema.fields) {
        INFO(name + ": " + field.key);
        CHECK(std::find(kRowKeys.begin(), kRowKeys.end(), field.key) == kRowKeys.end());
      }
    }
  }
}

TEST_CASE("recipes: every option is parsed once", "[check]") {
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

TEST_CASE("checked recipe: errors in figures, fits and inline components are named", "[check]") {
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
             Contains("'data.tset': the data set 'embedded' has no split 'tset'") &&
                 Contains("did you mean 'test'?"));
}

TEST_CASE("checked recipe: a removed entry is known only where its section is referred to",
          "[check]") {
  const TemporaryFolder folder;
  const auto mistakes = [&](const std::string& more) {
    write_file_synced(folder / "r.yaml", R"Y(lvtext: 1
recipe: p/t
data: {set: embedded}
train: {stop: 3u}
models: {vae: {model: vae}, gone: {model: vae}}
evaluate: {bleu: {evaluator: bleu}, off: {evaluator: bleu}}
not_run: {old: {label: "old", reason: "no code"}}
profiles: {less: {models: {gone: null}, evaluate: {off: null}}}
)Y" + more);
    Errors errors;
    check_recipe(load_recipe({(folder / "r.yaml").string(), "less", "", {}, {}}, errors),
                 registries(), errors);
    return errors.empty() ? std::string() : errors.report();
  };
  CHECK(mistakes("table: {columns: [bleu, off], paper: {old: {off: 1}, gone: {bleu: 2}}}\n"
                 "checks: [{id: a, claim: a, expr: \"gone.bleu > vae.off\"}]")
            .empty());
  for (const char* id : {"old", "gone"}) {
    CHECK_THAT(mistakes(std::string("table: {columns: [bleu, ") + id + "]}"),
               Contains("'" + std::string(id) + "' is not a metric"));
    CHECK_THAT(mistakes(std::string("table: {paper: {vae: {") + id + ": 1}}}"),
               Contains("belongs to no metric"));
  }
  CHECK_THAT(mistakes("table: {paper: {off: {bleu: 1}}}"), Contains("is not a row of this recipe"));
  CHECK_THAT(mistakes("checks: [{id: a, claim: a, expr: \"off.bleu > 1\"}]"), Contains("off"));
  CHECK_THAT(mistakes("figures: {f: {figure: texts, rows: off, of: [samples]}}"),
             Contains("'off' is not a row of this recipe"));
}

TEST_CASE("checked recipe: models read fields that their data have", "[check]") {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& entries) {
    write_file_synced(folder / "r.yaml", "lvtext: 1\nrecipe: p/t\n" + entries);
    Errors errors;
    check_recipe(load_recipe({(folder / "r.yaml").string(), "", "", {}, {}}), registries(), errors);
    return errors.empty() ? std::string() : errors.report();
  };
  const std::string pairs = "data: {pairs: {set: embedded-pairs}, one: {from: pairs, columns: ";
  CHECK_THAT(problem("data: {set: embedded-pairs}\nmodels:\n  lm: {model: rnn_lm}\n"),
             Contains("r.yaml:5:3: error: model 'rnn_lm' reads the field 'text'; the data set "
                      "'embedded-pairs' has hypothesis, label, premise") &&
                 Contains("`columns: [premise]` of a derived data set"));
  CHECK(problem(pairs + "[premise, label]}}\nmodels: {lm: {model: rnn_lm, data: one}}").empty());
  CHECK_THAT(problem(pairs + "[premise, hypothesis]}}\nmodels: {lm: {model: rnn_lm, data: one}}"),
             Contains("reads the field 'text'; the data set 'one' has hypothesis, premise"));
  CHECK_THAT(problem(pairs + "[premis]}}\nmodels: {lm: {model: rnn_lm, data: one}}"),
             Contains("has no column 'premis'") && Contains("1 error;"));
  // A record for each of several texts has the other fields, too, unless columns are selected.
  const std::string captions =
      "data: {cxr: {set: synthcxr, pack: captions}, one: {from: cxr, flatten: captions";
  CHECK_THAT(
      problem(captions + "}}\nmodels: {lm: {model: rnn_lm, data: one}}"),
      Contains("reads the field 'text'; the data set 'one' has attributes, captions, image") &&
          Contains("`columns: [captions]` of a derived data set"));
  CHECK(problem(captions + ", columns: [captions]}}\nmodels: {lm: {model: rnn_lm, data: one}}")
            .empty());
  // An inline model on a split of the data.
  const auto judged = [&](const std::string& data) {
    return problem("data: " + data +
                   "\nmodels: {real: {samples: data.test.premise}}\nevaluate: {r: {evaluator: "
                   "forward_cross_entropy, inputs: {language_model: {data: data.train, "
                   "validate_on: data.valid}}}}");
  };
  CHECK_THAT(judged("{set: embedded-pairs}"),
             Contains("model 'rnn_lm' reads the field 'text'; the data set 'embedded-pairs'"));
}

TEST_CASE("checked recipe: a time as stop and schedules that depend on the end", "[check]") {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& train, const std::string& rest) {
    write_file_synced(folder / "r.yaml", "lvtext: 1\nrecipe: p/t\ndata: {set: embedded}\ntrain: {" +
                                             train + "}\nmodels: {lm: {model: rnn_lm" + rest);
    Errors errors;
    check_recipe(load_recipe({(folder / "r.yaml").string(), "", "", {}, {}}), registries(), errors);
    return errors.empty() ? std::string() : errors.report();
  };
  const std::string cosine = "optimizers: {default: {schedule: cosine}}";
  const std::string warmup =
      "optimizers: {default: {schedule: {type: constant, warmup_ratio: 0.1}}}";
  CHECK(problem("stop: 1min", "}}").empty());
  CHECK(problem("stop: 2e, " + cosine, "}}").empty());
  CHECK_THAT(problem("stop: '2e,1min', " + cosine, "}}"),
             Contains("r.yaml:4:15: error: 'train.stop' is a time, and the schedule 'cosine' of "
                      "optimizers.default depends on the number of updates"));
  CHECK_THAT(problem("stop: 1min, " + warmup, "}}"),
             Contains("the warmup_ratio of optimizers.default") && Contains("1 error;"));
  CHECK_THAT(problem("stop: 2e, " + cosine, ", train: {stop: 1min}}}"),
             Contains("'models.lm.train.stop' is a time"));
  CHECK_THAT(problem("stop: 2e",
                     "}}\nevaluate: {f: {evaluator: forward_cross_entropy, inputs: "
                     "{language_model: {train: {stop: 1min, " +
                         cosine + "}}}}}"),
             Contains("'evaluate.f.inputs.language_model.train.stop' is a time"));
}

TEST_CASE("checked recipe: shares of a named set", "[check]") {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& data, std::vector<std::string> overrides = {}) {
    write_file_synced(folder / "r.yaml", "lvtext: 1\nrecipe: p/t\ndata: " + data +
                                             "\nmodels: {lm: {model: rnn_lm}}\n");
    Errors errors;
    check_recipe(load_recipe({(folder / "r.yaml").string(), "", "", std::move(overrides), {}}),
                 registries(), errors);
    return errors.empty() ? std::string() : errors.report();
  };
  // Of a split that the set has: for own files, with which the recipe can also be run.
  CHECK(problem("{set: embedded, shares: {reverse: 0.3}}").empty());
  CHECK(problem("{set: embedded, valid_share: 0.05}").empty());  // as `config` prints it
  CHECK(problem("{set: embedded, shares: {reverse: 0.3}}", {"data.set=embedded-reviews"}).empty());
  CHECK_THAT(problem("{set: embedded, shares: {other: 0.3}}"),
             Contains("r.yaml:3:39: error: data.shares.other: the data set 'embedded' has no split "
                      "'other'") &&
                 Contains("it has train, valid, test, reverse"));
  CHECK_THAT(problem("{set: embedded, valid_share: 0.2}", {"data.test_share=0.3"}),
             Contains("data.valid_share: the data set 'embedded' has fixed splits") &&
                 Contains("data.test_share: the data set"));
  CHECK_THAT(problem("{set: embedded}", {"data.shares.reverse=0.1"}),
             Contains("data.shares.reverse: the data set 'embedded' has fixed splits"));
}

TEST_CASE("checked recipe: splits that a data set lacks, and values that rows have", "[check]") {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& outputs, const std::string& set) {
    write_file_synced(
        folder / "r.yaml",
        "lvtext: 1\nrecipe: p/t\ndata: {set: " + set +
            "}\nmodels: {real: {answers: data.test}}\nevaluate: {b: {evaluator: bleu, "
            "inputs: {outputs: " +
            outputs + ", references: row.answers}}}\n");
    Errors errors;
    check_recipe(load_recipe({(folder / "r.yaml").string(), "", "", {}, {}}), registries(), errors);
    return errors.empty() ? std::string() : errors.report();
  };
  CHECK_THAT(problem("data.reverse", "nli"),
             Contains("'data.reverse': the data set 'nli' has no split 'reverse'") &&
                 Contains("it has train, valid, test"));
  CHECK_THAT(
      problem("data.test.premis", "nli"),
      Contains("the data set 'nli' has no column 'premis'") && Contains("did you mean 'premise'?"));
  CHECK_THAT(problem("data.premise", "nli"),
             Contains("'data.premise' is a column of the splits train, valid, test") &&
                 Contains("such as data.test.premise"));
  CHECK_THAT(problem("data", "nli"), Contains("'data' has the splits train, valid, test"));
  const std::string rows = problem("row.sampels", "embedded");
  CHECK_THAT(rows, Contains("did you mean 'row.samples'?") && Contains("row.answers"));
  CHECK(rows.find("row.sim") == std::string::npos);
}

TEST_CASE("checked recipe: files that do not exist are reported with other mistakes", "[check]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "r.yaml",
                    "lvtext: 1\nrecipe: p/t\ndata: {train: none.txt}\n"
                    "models: {lm: {model: rnn_lm}}\n");
  const auto check = [&](std::vector<std::string> overrides) {
    Errors errors;
    check_recipe(
        load_recipe({(folder / "r.yaml").string(), "", "", std::move(overrides), {}}, errors),
        registries(), errors);
    errors.throw_if_any();
  };
  CHECK_THROWS_AS(check({}), MissingError);
  CHECK_THROWS_WITH(check({}), Contains("r.yaml:3:15: error: data.train: there is no file "
                                        "'none.txt'") &&
                                   Contains("paths are relative to the working directory"));
  CHECK_THROWS_AS(check({"train.stpo=3"}), ConfigError);
  CHECK_THROWS_WITH(check({"train.stpo=3"}), Contains("unknown key 'train.stpo'") &&
                                                 Contains("there is no file 'none.txt'") &&
                                                 Contains("2 errors;"));
}

TEST_CASE("checked recipe: rows override the recipe's training and generation options", "[check]") {
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

TEST_CASE("checked recipe: artifacts have seed, device and determinism of the recipe", "[check]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "r.yaml", R"(lvtext: 1
recipe: p/t
data: {set: embedded}
train: {stop: 3u, seed: 5, device: cpu, deterministic: true, precision: bf16}
artifacts:
  usual: {model: rnn_lm, embedding: 4, decoder: {hidden: 4}, train: {stop: 2u}}
  own: {model: rnn_lm, embedding: 4, decoder: {hidden: 4}, train: {stop: 2u, deterministic: false}}
models:
  lm: {model: rnn_lm, embedding: 4, decoder: {hidden: 4}}
evaluate:
  diversity: {evaluator: diversity}
)");
  const Recipe recipe = load_recipe({(folder / "r.yaml").string(), "", "", {}, {}});
  const CheckedRecipe checked = check_recipe(recipe, registries());
  REQUIRE(checked.entries.size() == 3);
  const TrainOptions& usual = checked.entries[0]->train;
  CHECK(usual.seed == 5);
  CHECK(usual.device == "cpu");
  CHECK(usual.deterministic);
  CHECK(usual.precision == Precision::kFp32);
  CHECK_FALSE(checked.entries[1]->train.deterministic);
}

TEST_CASE("checked recipe: a set of joined splits", "[check]") {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& from, const std::string& more = "") {
    write_file_synced(
        folder / "r.yaml",
        "lvtext: 1\nrecipe: p/t\ndata:\n  news: {set: embedded, pack: blocks}\n"
        "  pairs: {set: embedded-pairs}\n  cleaned: {set: embedded-reviews, fields: text}\n"
        "  all: {from: " +
            from + more +
            "}\nartifacts: {ngrams: {fit: kneser_ney, data: all.train}}\n"
            "rows: {a: {model: ngrams, samples: news.test}}\n");
    Errors errors;
    check_recipe(load_recipe({(folder / "r.yaml").string(), "", "", {}, {}}), registries(), errors);
    return errors.empty() ? std::string() : errors.report();
  };
  CHECK(problem("[news.train, cleaned.valid]").empty());
  CHECK(problem("[news.train]", ", pack: blocks").empty());
  CHECK_THAT(
      problem("[news.train, news]"),
      Contains("data.all.from: 'news' is not a split of news") && Contains("such as news.train"));
  CHECK_THAT(problem("[news.training]"), Contains("'news.training' is not a split of news"));
  CHECK_THAT(problem("[news.train, new.train]"),
             Contains("'new.train' is not a data set of this recipe"));
  CHECK_THAT(problem("[news.train, pairs.train]"),
             Contains("the records of news have the fields text, those of pairs"));
  CHECK_THAT(problem("[all.train]"), Contains("derived from each other in a cycle"));
  CHECK_THAT(problem("[]"), Contains("from"));
}
