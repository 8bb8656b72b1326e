#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/json.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/recipe/recipe.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

const char* kSample = R"Y(lvtext: 1
recipe: paper/table1
paper: {title: "A title: quoted", id: "arXiv:1804.07972", item: "Table 1"}
data: {set: sentences, tokenizer: {type: unigram, vocab: 8000}}
train:
  seed: 1111
  batch: {size: 256}
  stop: 50e
  optimizers: {default: {type: adam, lr: 5e-4}}
models:
  vae: {model: vae, label: "VAE (0.1)", latent: {noise: 0.1}}
  arae: {model: arae, train: {batch: {size: 64}}}
evaluate:
  forward: {evaluator: forward_cross_entropy, samples: 100000}
  bleu: {evaluator: bleu, max_order: [2, 3]}
table:
  columns: [forward, bleu]
  paper: {vae: {forward: 75.77, bleu: 37.56}, old: {bleu: 1}}
checks:
  - {id: better, claim: "VAE is better", expr: "vae.bleu > arae.bleu"}
not_run:
  old: {label: "Old", reason: "no code"}
default_profile: cpu
profiles:
  smoke: {data: {set: embedded}, train: {stop: 30u}}
  cpu:
    train: {stop: 5e}
    evaluate: {bleu: {max_order: [2]}}
)Y";

// A folder for recipes.
struct Folder : TemporaryFolder {
  std::string put(const std::string& name, const std::string& text) const {
    make_folders((path / name).parent_path());
    write_file_synced(path / name, text);
    return (path / name).string();
  }
};

template <class E>
std::string message(const RecipeRequest& request) {
  try {
    load_recipe(request);
  } catch (const E& error) {
    return error.what();
  }
  return "accepted";
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

/// A row's training options: the recipe's, overridden by the row's.
Node train_of(const Recipe& recipe, const std::string& row) {
  const Node* own = recipe.row(row).find("train");
  return own ? merge(recipe.options.train, *own) : recipe.options.train;
}

}  // namespace

TEST_CASE("recipe: profile and overrides are merged, every leaf keeps its origin", "[options]") {
  Folder folder;
  std::string file = folder.put("t.yaml", kSample);
  Recipe recipe = load_recipe({file, "", "", {"train.seed=7", "train.batch.size=32"}, {}});
  CHECK(recipe.profile == "cpu");
  CHECK(recipe.rows() == std::vector<std::string>{"vae", "arae"});
  const Node& train = recipe.options.train;
  CHECK(train.find("stop")->origin() == "profile cpu, " + file + ":27");
  CHECK(train.find("seed")->origin() == "command line, override 1");
  CHECK(train.find("optimizers")->find("default")->find("lr")->origin() == file + ":9");
  CHECK(train_of(recipe, "arae").find("batch")->find("size")->text() == "32");
  CHECK(train_of(recipe, "arae").find("stop")->text() == "5e");
  CHECK(recipe.row("arae").find("train") != nullptr);
  for (const char* key : {"model", "label", "train", "seeds", "generation"}) {
    CHECK(model_options(recipe.row("arae")).find(key) == nullptr);
  }
  CHECK(seeds_of(recipe.options, recipe.row("arae")) == 1);
  CHECK(recipe.options.evaluate.find("bleu")->find("max_order")->items().size() == 1);
  CHECK(recipe.options.table.paper.at("vae").at("bleu") == 37.56);
  CHECK(recipe.options.checks[0].id == "better");

  Recipe row = load_recipe({file, "smoke", "", {"models.arae.train.seed=9"}, {}});
  CHECK(train_of(row, "arae").find("seed")->text() == "9");
  CHECK(train_of(row, "arae").find("batch")->find("size")->text() == "64");
  CHECK(train_of(row, "vae").find("seed")->text() == "1111");
  CHECK(train_of(row, "vae").find("stop")->text() == "30u");

  has(message<UsageError>({file, "", "", {"models.arae.generation=30"}, {}}),
      "'models.arae.generation' must be a mapping of keys");

  Recipe seeds = load_recipe({file, "", "", {"models.arae.train.seeds=3"}, {}});
  CHECK(seeds_of(seeds.options, seeds.row("arae")) == 3);
  CHECK(seeds_of(seeds.options, seeds.row("vae")) == 1);
  for (const char* wrong : {"0", "-1", "two", "1.5"}) {
    has(message<UsageError>({file, "", "", {std::string("models.arae.train.seeds=") + wrong}, {}}),
        "'models.arae.train.seeds' must be a number of training runs");
  }
}

TEST_CASE("recipe: null removes rows and metrics, which remain known", "[options]") {
  Folder folder;
  const std::string smoke = "  smoke: {data: {set: embedded}, train: {stop: 30u}";
  std::string text = kSample;
  text.replace(text.find(smoke), smoke.size(),
               smoke + ", models: {vae: null}, evaluate: {bleu: null}, not_run: {old: null}");
  std::string file = folder.put("t.yaml", text);
  CHECK(load_recipe({file, "cpu", "", {}, {}}).rows() == std::vector<std::string>{"vae", "arae"});
  CHECK_FALSE(load_recipe({file, "smoke", "", {}, {}}).options.not_run.contains("old"));

  text.replace(text.find(", not_run: {old: null}"), 22, "");
  file = folder.put("t.yaml", text);
  const Recipe recipe = load_recipe({file, "smoke", "", {}, {}});
  CHECK(recipe.rows() == std::vector<std::string>{"arae"});
  CHECK(recipe.options.not_run.at("vae").label == "VAE (0.1)");
  CHECK(recipe.options.not_run.at("vae").reason == "not in this profile");
  CHECK(recipe.options.evaluate.find("bleu") == nullptr);
  CHECK(recipe.known_metrics() == std::vector<std::string>{"forward", "bleu"});
  CHECK(recipe.removed.at("evaluate").at("bleu") == "not in this profile");
  CHECK(recipe.removed.at("models").at("vae") == "not in this profile");
  CHECK(recipe.removed_rows().contains("old"));
  CHECK_FALSE(recipe.removed_rows().contains("bleu"));

  const Recipe override = load_recipe({file, "cpu", "", {"models.arae=null"}, {}});
  CHECK(override.rows() == std::vector<std::string>{"vae"});
  CHECK(override.options.not_run.at("arae").reason == "removed by an override");
  // There is nothing to remove.
  has(message<UsageError>({file, "cpu", "", {"models.new=null"}, {}}), "'models.new' must be a");

  folder.put("over.yaml",
             "lvtext: 1\nbase: t.yaml\nmodels: {vae: null}\nchecks: []\n"
             "table: {paper: {vae: null}}\n");
  CHECK(load_recipe({(folder.path / "over.yaml").string(), "cpu", "", {}, {}}).rows() ==
        std::vector<std::string>{"arae"});
}

TEST_CASE("recipe: null for an entry that a base has removed already", "[options]") {
  Folder folder;
  folder.put("t.yaml", kSample);
  folder.put("mid.yaml",
             "lvtext: 1\nbase: t.yaml\nmodels: {vae: null}\nchecks: []\n"
             "table: {paper: {vae: null}}\n");
  const std::string top = folder.put(
      "top.yaml",
      "lvtext: 1\nbase: mid.yaml\nmodels: {vae: null}\nprofiles: {cpu: {models: {vae: null}}}\n");
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>(), {"models.vae=null"}}) {
    const Recipe recipe = load_recipe({top, "cpu", "", overrides, {}});
    CHECK(recipe.rows() == std::vector<std::string>{"arae"});
    CHECK(recipe.removed.size() == 1);  // the row of `not_run`
  }
  const std::string typo =
      folder.put("typo.yaml", "lvtext: 1\nbase: mid.yaml\nmodels: {vea: null}\n");
  has(message<ConfigError>({typo, "cpu", "", {}, {}}), "'models.vea' must be a mapping");
}

TEST_CASE("recipe: null removes entries of all sections, which remain known", "[options]") {
  Folder folder;
  const std::string file = folder.put("t.yaml", R"Y(lvtext: 1
recipe: paper/table
data:
  few: {set: embedded, train_at_most: 20}
  many: {set: embedded}
artifacts: {tok: {fit: words, data: few.train}}
models: {vae: {model: vae, data: few}, other: {model: vae, data: many}}
rows: {a: {label: "A", model: vae}, b: {label: "B", model: other}}
evaluate: {bleu: {evaluator: bleu}}
select: {best: {among: "a", max: bleu}}
profiles:
  less:
    data: {many: null}
    artifacts: {tok: null}
    models: {other: null}
    rows: {b: null}
    select: {best: null}
)Y");
  const Recipe recipe = load_recipe({file, "less", "", {}, {}});
  for (const auto& [section, id] : {std::pair{"data", "many"},
                                    {"artifacts", "tok"},
                                    {"models", "other"},
                                    {"rows", "b"},
                                    {"select", "best"}}) {
    INFO(id);
    CHECK(recipe.removed.at(section) ==
          std::map<std::string, std::string>{{id, "not in this profile"}});
  }
  CHECK_FALSE(recipe.removed_rows().contains("other"));
  CHECK(recipe.options.not_run.size() == 1);
  CHECK(recipe.options.not_run.at("b").label == "B");
  CHECK(recipe.removed_rows().contains("b"));
  // Printed, they are read again.
  const Node printed = expanded_recipe(recipe);
  CHECK(printed.find("not_run")->find("tok")->find("reason")->text() == "not in this profile");
  CHECK(printed.find("not_run")->find("b")->find("label")->text() == "B");
  folder.put("printed.yaml", to_yaml(printed));
  const Recipe again = load_recipe({(folder.path / "printed.yaml").string(), "", "", {}, {}});
  CHECK(again.removed == recipe.removed);
  // The options of a single set are no entries.
  const std::string one = folder.put(
      "one.yaml", "lvtext: 1\nrecipe: p/t\ndata: {set: embedded, tokenizer: {vocab: 9}}\n");
  CHECK(load_recipe({one, "", "", {"data.tokenizer=null"}, {}}).removed.empty());
}

TEST_CASE("recipe: a base file is merged below, cycles are rejected", "[options]") {
  Folder folder;
  folder.put("shared/base.yaml", kSample);
  std::string file = folder.put("a/t.yaml", "base: ../shared/base.yaml\ntrain: {seed: 2}\n");
  Recipe recipe = load_recipe({file, "", "", {}, {}});
  CHECK(recipe.options.train.find("seed")->text() == "2");
  CHECK(recipe.options.recipe == "paper/table1");
  CHECK(recipe.options.data.find("set")->origin() == (folder.path / "shared/base.yaml:4").string());
  std::string circle = folder.put("c.yaml", "base: d.yaml\n");
  folder.put("d.yaml", "lvtext: 1\nbase: c.yaml\n");
  CHECK(
      has(message<ConfigError>({circle, "", "", {}, {}}), "d.yaml:2:7: error: 'base' refers back"));
  std::string missing = folder.put("m.yaml", "base: nothing.yaml\n");
  CHECK(has(message<ConfigError>({missing, "", "", {}, {}}), "m.yaml:1:7: error: the base file"));
}

TEST_CASE("recipe: ids of figures are lower_snake, and each has a kind", "[options]") {
  Folder folder;
  const std::string sample = kSample;
  const auto with = [&](const std::string& figures) {
    return RecipeRequest{
        folder.put("f.yaml", sample + "figures: " + figures + "\n"), "", "", {}, {}};
  };
  Recipe recipe = load_recipe(with("{fig1: {figure: posterior_tsne, rows: [vae, old]}}"));
  CHECK(recipe.options.figures.find("fig1")->find("rows")->items().size() == 2);
  CHECK(recipe.options.latent_space.steps == 7);

  const std::string text =
      message<ConfigError>(with("{Fig: {figure: posterior_tsne, rows: [vae]}, b: {rows: vae}}"));
  CHECK(has(text, "the id 'Fig' is not lower_snake"));
  CHECK(has(text, "missing key 'figures.b.figure'"));
}

TEST_CASE("recipe: errors of files and of the command line are distinguished", "[options]") {
  Folder folder;
  std::string file = folder.put("t.yaml", kSample);
  CHECK(message<UsageError>({file, "", "", {"train.seed=1", "trian.seed=1"}, {}})
            .starts_with(
                "command line, override 2: error: unknown key 'trian'; did you mean 'train'?"));
  CHECK(message<UsageError>({file, "", "", {"models.vea.train.seed=1"}, {}}) ==
        "command line, override 1: error: unknown row 'vea'; did you mean 'vae'? (all: vae, arae)\n"
        "1 error; nothing was started.");
  CHECK(message<UsageError>({file, "", "", {"models.new.model=vae"}, {}}) ==
        "command line, override 1: error: unknown row 'new'; all: vae, arae; "
        "to add one: models.new={model: vae}\n1 error; nothing was started.");
  CHECK(has(message<UsageError>({file, "", "", {"evaluate.new.evaluator=rouge"}, {}}),
            "to add one: evaluate.new={evaluator: rouge}"));
  CHECK(message<UsageError>({file, "", "", {"profile=smoke"}, {}}) ==
        "command line, override 1: error: unknown key 'profile'; use --profile smoke\n"
        "1 error; nothing was started.");
  const std::string unknown = message<UsageError>({file, "", "", {"nothing_near=1"}, {}});
  CHECK(has(unknown, "allowed: recipe, paper, "));
  CHECK(unknown.find("profiles") == std::string::npos);
  CHECK(has(message<UsageError>({file, "", "", {"base=x"}, {}}), "'base' cannot be overridden"));
  CHECK(message<UsageError>({file, "", "", {"train.seed.x=1"}, {}}) ==
        "command line, override 1: error: 'train.seed' is not a mapping: it has no key 'x'; "
        "its value is '1111'\n1 error; nothing was started.");
  CHECK(has(message<UsageError>({file, "", "", {"seed"}, {}}), "write key.path=value"));
  CHECK(
      has(message<UsageError>({file, "", "", {"train.stop=[["}, {}}), "command line, override 1"));
  CHECK(has(message<UsageError>({file, "cup", "", {}, {}}), "did you mean 'cpu'?"));
  CHECK(has(message<UsageError>({file, "", "", {"checks.3.scale=absolute"}, {}}), "invalid index"));

  std::string newer = folder.put("n.yaml", "lvtext: 2\nanything: new\n");
  CHECK(has(message<ConfigError>({newer, "", "", {}, {}}), "formats up to 1"));
  std::string wrong = folder.put(
      "w.yaml",
      "lvtext: 1\nmodels: {Bad: {model: x}, y: {}}\nrecipes: a\nprofiles: {p: {trian: 1}}\n");
  std::string report = message<ConfigError>({wrong, "", "", {"train.x=1", "evil=2"}, {}});
  CHECK(has(report, "w.yaml:2:10: error: the id 'Bad' is not lower_snake"));
  CHECK(has(report, "missing key 'models.y.model'"));
  CHECK(has(report, "missing key 'recipe'"));
  CHECK(has(report, "unknown key 'recipes'"));
  CHECK(has(report, "unknown key 'profiles.p.trian'"));
  CHECK(has(report, "command line, override 2: error: unknown key 'evil'"));
  CHECK(has(report, "6 errors; nothing was started."));
}

TEST_CASE("recipe: names that cannot be folder names are rejected, all at once", "[options]") {
  Folder folder;
  const std::string long_id(41, 'a');
  const auto refused = [&](const std::string& text) {
    return message<ConfigError>({folder.put("n.yaml", text), "", "", {}, {}});
  };
  for (const char* name : {"../../x", "paper", "a/b/c", "a.b/c", "a/", "/b", "a/b c", "a/-b"}) {
    INFO(name);
    CHECK(
        has(refused("lvtext: 1\nrecipe: \"" + std::string(name) + "\"\n"), "n.yaml:2:9: error: "));
  }
  CHECK(refused("lvtext: 1\nrecipe: Eval-all_2/3.1\n") != "accepted");
  CHECK(refused("lvtext: 1\nrecipe: Eval-all_2/3-1\n") == "accepted");
  const std::string text = refused("lvtext: 1\nrecipe: a/" + long_id + "\nmodels: {" + long_id +
                                   ": {model: vae}, ok: {model: vae}}\nnot_run: {A: {label: a, "
                                   "reason: b}}\nprofiles: {../x: {}, a.b: {}, \"\": {}}\n");
  CHECK(has(text, "n.yaml:2:9: error: the table '" + long_id + "' has 41 characters"));
  CHECK(has(text, "used in file names: at most 40"));
  CHECK(has(text, "n.yaml:3:10: error: the id '" + long_id + "' has 41 characters"));
  CHECK(has(text, "the id 'A' is not lower_snake"));
  CHECK(has(text, "the profile '../x' cannot name a folder"));
  CHECK(has(text, "the profile 'a.b' cannot name a folder"));
  CHECK(has(text, "the profile '' cannot name a folder"));
  CHECK(has(text, "6 errors; nothing was started."));
}

TEST_CASE("recipe: labels are texts, and a row is listed once", "[options]") {
  Folder folder;
  const std::string file = folder.put("t.yaml", R"Y(lvtext: 1
recipe: paper/table1
models:
  vae: {model: vae, label: [a, b]}
  real: {label: {x: 1}}
not_run:
  vae: {label: "VAE", reason: "no code"}
)Y");
  const std::string text = message<ConfigError>({file, "", "", {}, {}});
  CHECK(has(text, "t.yaml:4:28: error: 'models.vae.label' must be a text"));
  CHECK(has(text, "t.yaml:5:17: error: 'models.real.label' must be a text"));
  CHECK(has(text, "t.yaml:7:3: error: the row 'vae' is defined in models and in not_run"));
  CHECK(has(text, "t.yaml:5:9: error: missing key 'models.real.model'"));
  CHECK(has(text, "such as samples: data.train"));
  CHECK(has(text, "4 errors; nothing was started."));
}

TEST_CASE("recipe: found as a file, a folder, or paper/table", "[options]") {
  Folder folder;
  std::string file = folder.put("recipes/paper/table1.yaml", kSample);
  CHECK(find_recipe(file, {}) == file);
  CHECK(find_recipe((folder.path / "recipes/paper").string(), {}) == file);
  CHECK(find_recipe("paper/table1", folder.path) == file);
  CHECK(find_recipe("paper", folder.path) == file);
  CHECK(has(message<MissingError>({"paper/tabel1", "", "", {}, folder.path}),
            "did you mean 'paper/table1'?"));
  folder.put("recipes/paper/table2.yaml", kSample);
  CHECK(has(message<MissingError>({"paper", "", "", {}, folder.path}), "table1.yaml, table2.yaml"));
}

namespace {

// A seeded mutation of a recipe's text.
std::string mutated(std::string text, std::mt19937& random) {
  static const std::vector<std::string> pieces{".nan",
                                               ".inf",
                                               "1e400",
                                               "010",
                                               "yes",
                                               "99999999999999999999",
                                               "\t",
                                               "\xef\xbb\xbf",
                                               "\xff",
                                               "*x",
                                               "&x ",
                                               "<<: ",
                                               "[",
                                               "]",
                                               "{",
                                               "}",
                                               ": ",
                                               "- ",
                                               "#",
                                               "\"",
                                               "'",
                                               "|",
                                               ">",
                                               "!",
                                               "%",
                                               "? ",
                                               "---\n",
                                               "~",
                                               "null",
                                               "\n",
                                               "  ",
                                               "-1",
                                               "\\",
                                               ",",
                                               std::string(1, '\0'),
                                               "\xe2\x80\xa8"};
  auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  for (size_t edits = 1 + pick(3); edits > 0 && !text.empty(); --edits) {
    size_t at = pick(text.size());
    size_t line = text.rfind('\n', at) + 1;
    size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    switch (pick(6)) {
      case 0: text.erase(at, 1 + pick(8)); break;
      case 1: text.insert(at, pieces[pick(pieces.size())]); break;
      case 2:
        if (line < end) text.insert(line, text.substr(line, end - line));
        break;
      case 3:
        if (line < end) text.erase(line, end - line);
        break;
      case 4: {
        size_t value = text.find(": ", at);
        if (value == std::string::npos) break;
        size_t stop = std::min(text.find_first_of(",}\n", value), text.size());
        text.replace(value + 2, stop - std::min(stop, value + 2), pieces[pick(pieces.size())]);
        break;
      }
      default: text[at] = static_cast<char>(pick(256));
    }
  }
  return text;
}

void fuzz(int count, uint32_t seed) {
  Folder folder;
  std::mt19937 random(seed);
  int accepted = 0;
  for (int i = 0; i < count; ++i) {
    std::string file = (folder.path / "f.yaml").string();
    std::ofstream(file, std::ios::binary) << mutated(kSample, random);
    Recipe recipe;
    try {
      recipe = load_recipe({file, "", "", {}, {}});
    } catch (const ConfigError& error) {
      if (std::string(error.what()).find(file + ":") == std::string::npos) FAIL(error.what());
      continue;
    }
    ++accepted;
    std::string yaml = to_yaml(recipe.tree);
    INFO(yaml);
    Node again = parse_yaml_or_throw(yaml);
    if (canonical_json(again) != canonical_json(recipe.tree))
      FAIL("the dump is read back differently");
    if (to_yaml(again) != yaml) FAIL("the second dump differs");
  }
  CHECK(accepted > count / 20);
  CHECK(accepted < count);
}

}  // namespace

TEST_CASE("recipe: 3,000 mutations do not crash, accepted ones are unchanged by a dump",
          "[options]") {
  fuzz(3000, 1);
}

TEST_CASE("recipe: 20,000 mutations do not crash, accepted ones are unchanged by a dump",
          "[options][long]") {
  fuzz(20000, 2);
}
