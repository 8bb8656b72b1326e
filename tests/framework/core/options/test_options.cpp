#include "framework/core/base/error.h"
#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/choice.h"
#include "framework/core/options/defaults.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/json.h"
#include "framework/core/options/options.h"
#include "framework/core/options/parts.h"
#include "framework/core/options/yaml.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

enum class Anneal { kNone, kLinear };
const std::vector<EnumName<Anneal>>& enum_names(Anneal) {
  static const std::vector<EnumName<Anneal>> names{
      {"none", Anneal::kNone, ""}, {"linear", Anneal::kLinear, "in a straight line"}};
  return names;
}

struct Dropout {
  double word = 0.0;
  template <class V>
  void visit(V& v) {
    v.field("word", word, "probability of dropping a word", in_range(0, 1));
  }
};

/// A family of components with two members.
struct Rule {
  static constexpr const char* kKind = "rule";
  static Choices<Rule>& components();
  Rule() = default;
  Rule(const Rule&) = default;
  Rule& operator=(const Rule&) = default;
  virtual ~Rule() = default;
  virtual double rate() const = 0;
  double lr = 1e-3;
};
struct AdamRule : Rule {
  std::vector<double> betas = {0.9, 0.999};
  double rate() const override { return lr; }
  template <class V>
  void visit(V& v) {
    v.field("lr", lr, "learning rate", above(0));
    v.field("betas", betas, "of the moments");
  }
};
struct SgdRule : Rule {
  int64_t every = 0;
  double rate() const override { return 2 * lr; }
  template <class V>
  void visit(V& v) {
    v.field("lr", lr, "learning rate", above(0));
    v.field("every", every, "steps", required());
  }
};
Choices<Rule>& Rule::components() {
  static auto components = [] {
    Choices<Rule> all(kKind);
    add_component<AdamRule>(all, "adam", "by moments");
    add_component<SgdRule>(all, "sgd", "by gradients");
    return all;
  }();
  return components;
}

struct RuleOptions {
  Choice<Rule> rule{"adam"};
  template <class V>
  void visit(V& v) {
    v.field("rule", rule, "what moves it");
  }
};

struct Vae {
  int64_t latent_dim = 32;
  double kl_weight = 1.0;
  Anneal anneal = Anneal::kLinear;
  bool tied = false;
  Period warmup = Period::updates(500);
  StopRule stop;
  std::vector<int64_t> sizes{1, 2};
  std::optional<double> clip;
  std::map<std::string, Choice<Rule>> optimizers;
  NumberOr<Rule> start = 0.5;
  Dropout dropout{0.25};
  std::string label = "a b";
  template <class V>
  void visit(V& v) {
    v.field("latent_dim", latent_dim, "size of z", in_range(1, 65536));
    v.field("kl_weight", kl_weight, "weight of the KL term", at_least(0));
    v.field("anneal", anneal, "how the weight rises");
    v.field("tied", tied, "one embedding for both");
    v.field("warmup", warmup, "updates of warm-up", above(0));
    v.field("stop", stop, "when training ends");
    v.field("sizes", sizes, "sizes of the layers", at_least(1), not_empty());
    v.field("clip", clip, "largest gradient norm", above(0));
    v.field("optimizers", optimizers, "optimizers by name");
    v.field("start", start, "when it starts", at_least(0));
    v.field("dropout", dropout, "dropout of the decoder");
    v.field("label", label, "a title", not_empty());
    v.check(kl_weight > 0 || anneal == Anneal::kNone, "anneal has no effect when kl_weight is 0");
  }
};

struct Needs {
  int64_t must = 0;
  template <class V>
  void visit(V& v) {
    v.field("must", must, "given", required());
  }
};

struct Nested {
  Vae vae;
  Dropout encoder, decoder;
  template <class V>
  void visit(V& v) {
    v.field("vae", vae, "the model");
    v.field("encoder", encoder, "dropout of the encoder");
    v.field("decoder", decoder, "dropout of the decoder");
  }
};

struct Step {
  double lr = 1;
  template <class V>
  void visit(V& v) {
    v.field("lr", lr, "learning rate", above(0));
  }
};
struct Steps {
  std::map<std::string, Step> steps;
  template <class V>
  void visit(V& v) {
    v.field("steps", steps, "steps by name");
  }
};

/// Mistakes of the options with one key set on the command line.
std::string mistakes_with(const std::string& yaml, const std::string& key,
                          const std::string& value) {
  Errors errors;
  const auto source = std::make_shared<const Source>(Source{"override 1", value, true});
  const Node tree = parse_yaml_or_throw(yaml, "x.yaml")
                        .with({key, parse_yaml(source, errors), {source, 1, 1, 1}});
  parse_options<Vae>(tree, errors);
  return errors.report();
}

template <class O = Vae>
std::string mistakes(const std::string& yaml) {
  Errors errors;
  parse_options<O>(parse_yaml_or_throw(yaml, "x.yaml"), errors);
  return errors.report();
}

}  // namespace

TEST_CASE("options: every type is read", "[options]") {
  Vae vae = parse_options_or_throw<Vae>(parse_yaml_or_throw(R"(
latent_dim: 64
kl_weight: 5e-1
anneal: none
tied: true
warmup: 2e
stop: 20e,30min
sizes: 7
clip: 0.5
optimizers: {default: {type: adam, lr: 5e-4}, critic: adam}
start: {type: sgd, every: 3}
label: 17
)"));
  CHECK(vae.latent_dim == 64);
  CHECK(vae.kl_weight == 0.5);
  CHECK(vae.anneal == Anneal::kNone);
  CHECK(vae.tied);
  CHECK(vae.warmup == Period::epochs(2));
  CHECK(vae.stop.any == std::vector<Period>{Period::epochs(20), Period::seconds(1800)});
  CHECK(vae.sizes == std::vector<int64_t>{7});
  CHECK(vae.clip == 0.5);
  CHECK(vae.optimizers.at("default").name() == "adam");
  CHECK(vae.optimizers.at("default")->rate() == 5e-4);
  CHECK(vae.optimizers.at("critic")->rate() == 1e-3);
  CHECK(std::get<Choice<Rule>>(vae.start)->rate() == 2e-3);
  CHECK(vae.dropout.word == 0.25);
  CHECK(vae.label == "17");
}

TEST_CASE("options: typical typos and their exact messages", "[options]") {
  const std::string end = "\n1 error; nothing was started.";
  CHECK(mistakes("latent_dims: 64") ==
        "x.yaml:1:1: error: unknown key 'latent_dims'\n"
        "    1 | latent_dims: 64\n"
        "      | ^~~~~~~~~~~ did you mean 'latent_dim'? (int, 1..65536, default 32)" +
            end);
  CHECK(mistakes("Latent-Dim: 64") ==
        "x.yaml:1:1: error: unknown key 'Latent-Dim'\n"
        "    1 | Latent-Dim: 64\n"
        "      | ^~~~~~~~~~ did you mean 'latent_dim'? (int, 1..65536, default 32)" +
            end);
  CHECK(mistakes("latent_dim: 0") ==
        "x.yaml:1:13: error: 'latent_dim' must be 1..65536, got 0\n"
        "    1 | latent_dim: 0\n"
        "      |             ^" +
            end);
  CHECK(mistakes("latent_dim: 010") ==
        "x.yaml:1:13: error: 'latent_dim' must be an int, got '010'\n"
        "    1 | latent_dim: 010\n"
        "      |             ^~~ write 10" +
            end);
  CHECK(mistakes("latent_dim: 1_000") ==
        "x.yaml:1:13: error: 'latent_dim' must be an int, got '1_000'\n"
        "    1 | latent_dim: 1_000\n"
        "      |             ^~~~~ write 1000" +
            end);
  CHECK(mistakes("kl_weight: fast") ==
        "x.yaml:1:12: error: 'kl_weight' must be a number, got 'fast'\n"
        "    1 | kl_weight: fast\n"
        "      |            ^~~~ allowed: a number such as 12, -0.5 or 1e-4, >= 0" +
            end);
  CHECK(mistakes("kl_weight: 1,5") ==
        "x.yaml:1:12: error: 'kl_weight' must be a number, got '1,5'\n"
        "    1 | kl_weight: 1,5\n"
        "      |            ^~~ write 1.5" +
            end);
  CHECK(mistakes("anneal: liner") ==
        "x.yaml:1:9: error: 'anneal' must be one of none, linear, got 'liner'\n"
        "    1 | anneal: liner\n"
        "      |         ^~~~~ did you mean 'linear'?" +
            end);
  CHECK(mistakes("tied: yes") ==
        "x.yaml:1:7: error: 'tied' must be true or false, got 'yes'\n"
        "    1 | tied: yes\n"
        "      |       ^~~ write true" +
            end);
  CHECK(
      mistakes("warmup: 500") ==
      "x.yaml:1:9: error: 'warmup' must be a period with its unit, got '500'\n"
      "    1 | warmup: 500\n"
      "      |         ^~~ units: u, e, Mt, Kt, t, h, min, s; such as 500u (updates), 2e (epochs), "
      "10Mt, 30min" +
          end);
  CHECK(mistakes("dropout:\n  wrod: 0.1") ==
        "x.yaml:2:3: error: unknown key 'dropout.wrod'\n"
        "    2 |   wrod: 0.1\n"
        "      |   ^~~~ did you mean 'word'? (number, 0..1, default 0.25)" +
            end);
  CHECK(mistakes("kl_weight: 0") ==
        "x.yaml:1:1: error: anneal has no effect when kl_weight is 0\n"
        "    1 | kl_weight: 0\n"
        "      | ^" +
            end);
  CHECK(mistakes<Needs>("{}") ==
        "x.yaml:1:1: error: missing key 'must'\n"
        "    1 | {}\n"
        "      | ^ int, required: given" +
            end);
}

TEST_CASE("options: a value in place of a mapping, with the keys and an example", "[options]") {
  CHECK(mistakes("dropout: 0.3") ==
        "x.yaml:1:10: error: 'dropout' must be a mapping of keys, got '0.3'\n"
        "    1 | dropout: 0.3\n"
        "      |          ^~~ allowed: word; such as {word: 0.3}\n"
        "1 error; nothing was started.");
  CHECK(mistakes("dropout: 3").find("allowed: word\n") != std::string::npos);  // out of range
  CHECK(mistakes<Nested>("vae: 2e").find("such as {warmup: 2e}") != std::string::npos);
  CHECK(mistakes<Nested>("vae: none").find("such as {anneal: none}") != std::string::npos);
  CHECK(mistakes<Steps>("steps: {default: {lr: 2}, lr: 3}")
            .find("'steps.lr' must be a mapping of keys, got '3'\n"
                  "    1 | steps: {default: {lr: 2}, lr: 3}\n"
                  "      |                               ^ did you mean 'steps.default.lr'?") !=
        std::string::npos);
}

TEST_CASE("options: a key at the wrong level is searched for below", "[options]") {
  const auto hint = [](const std::string& yaml) { return mistakes<Nested>(yaml); };
  CHECK(hint("latent_dim: 3").find("did you mean 'vae.latent_dim'?") != std::string::npos);
  CHECK(hint("vae_latent_dim: 3").find("did you mean 'vae.latent_dim'?") != std::string::npos);
  CHECK(hint("word: 0.1")
            .find("did you mean 'vae.dropout.word' or 'encoder.word' or "
                  "'decoder.word'?") != std::string::npos);
  CHECK(hint("vae: {word: 0.1}").find("did you mean 'vae.dropout.word'?") != std::string::npos);
  CHECK(mistakes<Steps>("{steps: {fast: {}}, lr: 3}").find("did you mean 'steps.fast.lr'?") !=
        std::string::npos);
  CHECK(mistakes<Steps>("lr: 3").find("allowed: steps") != std::string::npos);
}

TEST_CASE("options: a violated condition is located in the override that violates it",
          "[options]") {
  CHECK(mistakes_with("latent_dim: 3\nanneal: linear", "kl_weight", "0") ==
        "override 1: error: anneal has no effect when kl_weight is 0\n"
        "1 error; nothing was started.");
  CHECK(mistakes_with("kl_weight: 0", "latent_dim", "4").starts_with("x.yaml:1:1: error: anneal"));
}

TEST_CASE("options: an axis outside a loop has a hint", "[options]") {
  CHECK(mistakes("latent_dim: $n").find("add over: n") != std::string::npos);
  CHECK(mistakes("anneal: $(n).x").find("add over: n") != std::string::npos);
  CHECK(mistakes("latent_dim: $").find("over") == std::string::npos);
  CHECK(mistakes("latent_dim: $5").find("over") == std::string::npos);
}

TEST_CASE("options: all errors are collected, twenty are printed", "[options]") {
  std::string report = mistakes("tied: 3\nlatent_dim: x\nkl_weight: -1");
  CHECK(report.find("x.yaml:1:7") < report.find("x.yaml:2:13"));
  CHECK(report.find("x.yaml:2:13") < report.find("x.yaml:3:12"));
  CHECK(report.ends_with("3 errors; nothing was started."));
  std::string many;
  for (int i = 0; i < 33; ++i) many += "key" + std::to_string(i) + ": 1\n";
  CHECK(mistakes(many).ends_with("... and 13 more\n33 errors; nothing was started."));
}

TEST_CASE("options: numbers are strict", "[options]") {
  for (const char* bad : {".nan", ".inf", "-.inf", "1e400", "1_000", "010", "0x10", "+1", ".5",
                          "1.", "\"1\"", "true", "[1]", "{}", "", "9e999999999999"}) {
    INFO(bad);
    CHECK(mistakes(std::string("kl_weight: ") + bad).starts_with("x.yaml:1:"));
  }
  for (const char* bad : {"1.0", "1e3", "9223372036854775808", "99999999999999999999999", "1-"}) {
    INFO(bad);
    CHECK(mistakes(std::string("latent_dim: ") + bad).starts_with("x.yaml:1:13"));
  }
  CHECK(mistakes("clip: null") == "0 errors; nothing was started.");
  CHECK(mistakes("clip: 0").find("must be > 0") != std::string::npos);
  CHECK(mistakes("sizes: []").find("must not be empty") != std::string::npos);
  CHECK(mistakes("sizes: [1, 0]").find("'sizes[1]' must be >= 1") != std::string::npos);
  CHECK(mistakes("optimizers: {default: {lr: 1}}").find("'optimizers.default.type'") !=
        std::string::npos);
}

TEST_CASE("options: the canonical dump is sorted, complete and idempotent", "[options]") {
  Vae vae;
  vae.kl_weight = 0.1;
  vae.optimizers["default"] =
      Choice<Rule>("adam", parse_yaml_or_throw("{lr: 5e-4, betas: [0.50, 0.9]}"));
  const auto json = canonical_json(to_node(vae));
  CHECK(json.dump() ==
        R"({"anneal":"linear","dropout":{"word":0.25},"kl_weight":0.1,"label":"a b",)"
        R"("latent_dim":32,"optimizers":{"default":{"betas":[0.5,0.9],"lr":0.0005,"type":"adam"}},)"
        R"("sizes":[1,2],"start":0.5,"tied":false,"warmup":"500u"})");
  for (const std::string& text : {to_yaml(to_node(vae)), to_json(to_node(vae)).dump(2)}) {
    Node again = parse_yaml_or_throw(text);
    CHECK(canonical_json(again) == json);
  }
}

TEST_CASE("options: a dumped struct is parsed as the same struct", "[options]") {
  Vae vae;
  vae.stop = *StopRule::parse("20e,30min");
  vae.label = "x: #y \"z\" \n true";
  std::string yaml = to_yaml(to_node(vae));
  Vae again = parse_options_or_throw<Vae>(parse_yaml_or_throw(yaml));
  CHECK(again.label == vae.label);
  CHECK(to_yaml(to_node(again)) == yaml);
}

TEST_CASE("options: help, Markdown and JSON schema come from the same visit", "[options]") {
  Schema schema = describe<Vae>();
  std::string help = help_text(schema);
  CHECK(help.find("latent_dim") != std::string::npos);
  CHECK(help.find("1..65536") != std::string::npos);
  CHECK(help.find("dropout.word") != std::string::npos);
  CHECK(help.find("linear = in a straight line") != std::string::npos);
  CHECK(markdown_table(schema).find("| `anneal` | none\\|linear |  | `linear` |") !=
        std::string::npos);
  Node json = node_of_json(json_schema(schema, "vae"), "schema");
  const Node* latent = json.find("properties")->find("latent_dim");
  CHECK(latent->find("type")->text() == "integer");
  CHECK(latent->find("default")->text() == "32");
  CHECK(latent->find("maximum")->text() == "65536");
  CHECK(json.find("additionalProperties")->text() == "false");
}

TEST_CASE("options: components are selected by name, and their errors are named", "[options]") {
  CHECK(mistakes("optimizers: {default: {type: adm}}").find("did you mean 'adam'?") !=
        std::string::npos);
  CHECK(mistakes("optimizers: {default: adm}")
            .find("'optimizers.default' must be one of adam, sgd") != std::string::npos);
  CHECK(mistakes("optimizers: {default: {type: adam, every: 2}}")
            .find("unknown key 'optimizers.default.every'") != std::string::npos);
  CHECK(
      mistakes("optimizers: {default: {type: adam, beta: [1, 2]}}").find("did you mean 'betas'?") !=
      std::string::npos);
  CHECK(mistakes("optimizers: {default: {type: sgd}}")
            .find("missing key 'optimizers.default.every'") != std::string::npos);
  CHECK(mistakes("start: -1").find("'start' must be >= 0") != std::string::npos);
  CHECK(mistakes("start: {type: sgd, every: x}").find("'start.every'") != std::string::npos);
  CHECK_THROWS_AS(Choice<Rule>("nothing"), ConfigError);

  const auto rule = [](const std::string& text) {
    return parse_options_or_throw<RuleOptions>(parse_yaml_or_throw(text)).rule;
  };
  CHECK(rule("{}").name() == "adam");
  CHECK(rule("{rule: {lr: 3}}")->rate() == 3);  // the default's option
  CHECK(rule("{rule: {type: sgd, every: 1, lr: 3}}")->rate() == 6);
}

TEST_CASE("options: components are in help, schema and defaults", "[options]") {
  const std::string table = markdown_table(describe<RuleOptions>());
  CHECK(
      table ==
      "| name | type | range | default | help |\n|---|---|---|---|---|\n"
      "| `rule` | name or mapping with type |  |  | what moves it |\n"
      "| `rule.type` | adam\\|sgd |  | `adam` | name of the component. Values: adam = by moments; sgd = by "
      "gradients |\n"
      "| `rule.lr` | number | > 0 | `0.001` | learning rate |\n"
      "| `rule.betas` | list of number |  | `[0.9,0.999]` | adam: of the moments |\n"
      "| `rule.every` | int |  | `required` | sgd: steps |\n");
  const Node json = node_of_json(json_schema(describe<RuleOptions>(), "rules"), "schema");
  const auto& choices = json.find("properties")->find("rule")->find("anyOf")->items();
  REQUIRE(choices.size() == 3);
  CHECK(choices[2].find("properties")->find("type")->find("const")->text() == "sgd");
  CHECK(choices[2].find("required")->items().at(0).text() == "every");
  const auto filled = [](const std::string& text) {
    return canonical_json(with_defaults(parse_yaml_or_throw(text), describe<RuleOptions>())).dump();
  };
  CHECK(filled("{}") == R"({"rule":{"betas":[0.9,0.999],"lr":0.001,"type":"adam"}})");
  CHECK(filled("{rule: {lr: 2}}") == R"({"rule":{"betas":[0.9,0.999],"lr":2,"type":"adam"}})");
  CHECK(filled("{rule: {type: sgd, every: 4}}") ==
        R"({"rule":{"every":4,"lr":0.001,"type":"sgd"}})");
}

TEST_CASE("period: units are parsed, and the shortest form is printed", "[options]") {
  for (const char* text :
       {"500u", "2e", "0.5e", "10Mt", "500Kt", "64t", "30min", "10s", "2h", "0u"}) {
    INFO(text);
    REQUIRE(Period::parse(text));
    CHECK(Period::parse(text)->text() == text);
  }
  CHECK(Period::parse("90min")->text() == "90min");
  CHECK(Period::parse("60min")->text() == "1h");
  CHECK(Period::parse("1000Kt")->text() == "1Mt");
  CHECK(Period::parse("1.001Kt")->amount == 1001);
  for (const char* text : {"", "5", "u", "1.5u", "-1u", "5 u", "1e5u", "5m", "010u", "1e16u", "5uu",
                           "99999999999999999999u", "1.0005Kt", ".5e"}) {
    INFO(text);
    CHECK_FALSE(Period::parse(text));
  }
  CHECK(StopRule::parse("20e, 30min")->text() == "20e,30min");
  CHECK_FALSE(StopRule::parse("20e,30e"));
  CHECK_FALSE(StopRule::parse("20e,"));
  CHECK_FALSE(StopRule::parse(""));
  for (const std::string& unit : split(period_units(), ',')) {
    CHECK(Period::parse("5" + std::string(trim(unit))));
  }
  CHECK(mistakes("stop: 20epochs").find("units: u, e, Mt") != std::string::npos);
}

TEST_CASE("registry: names are unique and an unknown name suggests the nearest", "[options]") {
  Registry<int> models("model");
  models.add("vae", 1, "models/vae");
  models.add("arae", 2, "models/arae");
  CHECK(models.get("vae") == 1);
  CHECK(models.find("nothing") == nullptr);
  CHECK(models.names() == std::vector<std::string>{"arae", "vae"});
  CHECK_THROWS_WITH(models.get("VEA"), "unknown model 'VEA'; did you mean 'vae'? (all: arae, vae)");
  try {
    models.add("vae", 3, "plug-in x.so");
    FAIL("a duplicate was accepted");
  } catch (const std::logic_error& error) {
    CHECK(std::string(error.what()).find("models/vae and from plug-in x.so") != std::string::npos);
  }
  CHECK_THROWS_AS(models.add("Upper", 1), std::logic_error);
}

namespace {

struct PartOptions {
  int64_t k = 0;
  double temperature = 1;

  template <class V>
  void visit(V& v) {
    v.field("k", k, "tokens");
    v.field("temperature", temperature, "divisor");
  }
};

struct PartsOptions {
  Parts<PartOptions> policies;

  template <class V>
  void visit(V& v) {
    v.field("policies", policies, "the parts");
  }
};

}  // namespace

TEST_CASE("options: values of named parts are filled in, those of lists one by one", "[options]") {
  const Node written = parse_yaml_or_throw(
      "{policies: {all: {}, k: {k: [5, 10], temperature: 2}, k_x: {k: [1]}}}", "test");
  const auto parsed = parse_options_or_throw<PartsOptions>(written);
  const Node printed = with_values(written, to_node(parsed));
  CHECK(canonical_json(printed).dump() ==
        R"({"policies":{"all":{"k":0,"temperature":1},"k_10":{"k":10,"temperature":2},)"
        R"("k_5":{"k":5,"temperature":2},"k_x_1":{"k":1,"temperature":1}}})");
  const auto again = parse_options_or_throw<PartsOptions>(printed);
  REQUIRE(again.policies.all.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(again.policies.all[i].id == parsed.policies.all[i].id);
    CHECK(canonical_json(to_node(again.policies.all[i].options)) ==
          canonical_json(to_node(parsed.policies.all[i].options)));
  }
}
