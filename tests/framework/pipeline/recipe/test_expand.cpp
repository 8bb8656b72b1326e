#include "framework/core/base/error.h"
#include "framework/core/options/json.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/recipe/expand.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

Expansion expanded(const std::string& text, const RemovedValues& removed = {}) {
  Errors errors;
  Expansion expansion = expand(parse_yaml_or_throw(text, "r.yaml"), removed, errors);
  errors.throw_if_any();
  return expansion;
}

std::string json_of(const std::string& text, const RemovedValues& removed = {}) {
  return canonical_json(expanded(text, removed).tree).dump();
}

/// The whole message.
std::string mistake(const std::string& text) {
  try {
    expanded(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const char* kAxes =
    "axes: {corpus: {wt2: {set: wikitext-2}, bc: {label: Books}}, alpha: [1.1, 2]}\n";

}  // namespace

TEST_CASE("expand: a member for each combination, the last axis varies fastest", "[recipe]") {
  const Expansion expansion = expanded(
      std::string(kAxes) + "models: {a: {over: [corpus, alpha], model: gpt2}, b: {model: gpt2}}");
  std::vector<std::string> keys;
  for (const auto& entry : expansion.tree.find("models")->entries()) keys.push_back(entry.key);
  CHECK(keys == std::vector<std::string>{"a[wt2,1.1]", "a[wt2,2]", "a[bc,1.1]", "a[bc,2]", "b"});
  CHECK(expansion.tree.find("axes") == nullptr);
  REQUIRE(expansion.entries.size() == 1);
  CHECK(expansion.entries[0].members == 4);
  CHECK(expansion.entries[0].over == std::vector<std::string>{"corpus", "alpha"});
}

TEST_CASE("expand: values of $", "[recipe]") {
  const auto member = [](const std::string& value) {
    const Expansion expansion =
        expanded(std::string(kAxes) + "models: {a: {over: [corpus, alpha], x: " + value + "}}");
    return canonical_json(*expansion.tree.find("models")->find("a[bc,2]")->find("x")).dump();
  };
  CHECK(member("$alpha") == "2");          // keeps its type
  CHECK(member("\"$alpha\"") == "2");      // quotes are YAML's, not the value's
  CHECK(member("p_$alpha") == "\"p_2\"");  // within a longer text: as written
  CHECK(member("$corpus") == "\"bc\"");
  CHECK(member("$corpus.label") == "\"Books\"");
  CHECK(member("$(corpus).label") == "\"bc.label\"");
  CHECK(member("\"text[$corpus].$(alpha)x\"") == "\"text[bc].2x\"");
  CHECK(member("\"$$5 $corpus\"") == "\"$5 bc\"");
  CHECK(member("[$alpha, {y: $corpus}]") == "[2,{\"y\":\"bc\"}]");
}

TEST_CASE("expand: a missing label is the id, a field may have any value", "[recipe]") {
  CHECK(json_of("axes: {v: {m0: {w: [1, 2]}}}\nmodels: {a: {over: v, label: $v.label, w: $v.w}}") ==
        R"({"models":{"a[m0]":{"label":"m0","w":[1,2]}}})");
}

TEST_CASE("expand: entries without `over` are not changed", "[recipe]") {
  CHECK(json_of("models: {a: {label: \"$5 and $$\"}}") ==
        R"({"models":{"a":{"label":"$5 and $$"}}})");
}

TEST_CASE("expand: values that a profile removed remain known", "[recipe]") {
  const Node before =
      parse_yaml_or_throw(std::string(kAxes) + "models: {a: {over: [corpus, alpha]}}");
  const Node after = parse_yaml_or_throw(
      "axes: {corpus: {wt2: {}}, alpha: [1.1]}\nmodels: {a: {over: [corpus, alpha]}}");
  RemovedValues removed;
  add_removed_values(before, after, "not in profile cpu", removed);
  Errors errors;
  const Expansion expansion = expand(after, removed, errors);
  CHECK(errors.empty());
  CHECK(expansion.tree.find("models")->entries().size() == 1);
  REQUIRE(expansion.removed.size() == 1);
  const auto& gone = expansion.removed.begin()->second;
  CHECK(gone.size() == 3);
  CHECK(gone.at("a[bc,2]") == "not in profile cpu");
  CHECK(gone.contains("a[wt2,2]"));
}

TEST_CASE("expand: blocks of columns and the table rows that name their axis", "[recipe]") {
  CHECK(json_of("axes: {c: [x, y]}\ntables: {t: {rows: {s: \"best[$c]\", u: one}, columns: [m, "
                "{each: c, of: {sp: \"sp[test]\"}}]}}") ==
        R"({"tables":{"t":{"columns":["m",{"each":["x"],"of":{"sp":"sp[test]"}},)"
        R"({"each":["y"],"of":{"sp":"sp[test]"}}],)"
        R"("rows":{"s":{"x":"best[x]","y":"best[y]"},"u":"one"}}}})");
  CHECK(json_of("axes: {c: [x]}\ntables: {t: {columns: [{each: c, of: [m]}]}}",
                {{"c", {{"y", "not in profile cpu"}}}}) ==
        R"({"tables":{"t":{"columns":[{"each":["x"],"of":["m"]},)"
        R"({"each":["y"],"not_run":"not in profile cpu","of":["m"]}]}}})");
}

TEST_CASE("expand: the expanded recipe expands to itself", "[recipe]") {
  const Expansion once = expanded(
      std::string(kAxes) +
      "models: {a: {over: alpha, x: $alpha}}\ntables: {t: {rows: {s: \"a[$alpha]\"}, columns: [{each: "
      "alpha, of: [m]}]}}");
  Errors errors;
  const Expansion twice = expand(once.tree, {}, errors);
  CHECK(errors.empty());
  CHECK(twice.tree == once.tree);
}

TEST_CASE("expand: errors are reported with their line and once", "[recipe]") {
  CHECK(mistake("axes: {alpha: [1]}\nmodels:\n  a: {over: alhpa}\n") ==
        "r.yaml:3:13: error: models.a.over: unknown axis 'alhpa'\n"
        "    3 |   a: {over: alhpa}\n"
        "      |             ^~~~~ did you mean 'alpha'? (all: alpha)\n"
        "1 error; nothing was started.");
  CHECK(mistake("axes: {alpha: [1, 2]}\nmodels:\n  a: {over: alpha, x: $beta}\n") ==
        "r.yaml:3:23: error: unknown axis '$beta'\n"
        "    3 |   a: {over: alpha, x: $beta}\n"
        "      |                       ^~~~~ all: alpha\n"
        "1 error; nothing was started.");
  CHECK(mistake("axes: {a: [1], b: [2]}\nmodels:\n  m: {over: a, x: $b}\n")
            .find("'$b': the entry is not over 'b'") != std::string::npos);
  CHECK(mistake("axes: {a: {u: {w: 1}}}\nmodels:\n  m: {over: a, x: $a.v}\n")
            .find("the value 'u' of the axis 'a' has no field 'v'") != std::string::npos);
  CHECK(mistake("axes: {a: [1]}\nmodels:\n  m: {over: a, x: \"5 $\"}\n")
            .find("a dollar sign is written $$") != std::string::npos);
  CHECK(mistake("axes: {a: [1]}\nmodels:\n  m: {over: a, x: \"$(a\"}\n").find("'$(' without ')'") !=
        std::string::npos);
  CHECK(mistake("axes: {a: {u: {w: [1]}}}\nmodels:\n  m: {over: a, x: \"p$a.w\"}\n")
            .find("which is not a single value") != std::string::npos);
  CHECK(mistake("axes: {a: [1, 1]}").find("axes.a has '1' twice") != std::string::npos);
  CHECK(mistake("axes: {a: [\"x y\"]}").find("a value must be one word") != std::string::npos);
  CHECK(mistake("axes: {a: {u: }}").find("{} for a value without fields") != std::string::npos);
  CHECK(mistake("axes: {a: [1]}\nmodels: {m: {over: [a, a]}}").find("has 'a' twice") !=
        std::string::npos);
  CHECK(mistake("axes: {a: [1]}\ntables: {t: {rows: [\"m[$a]\"], columns: [{each: a, of: [x]}]}}")
            .find("a line whose row varies by column needs an id") != std::string::npos);
}

TEST_CASE("expand: more members than the limit are rejected before they are created", "[recipe]") {
  std::string axis = "a: [0";
  for (int i = 1; i < 1000; ++i) axis += ", " + std::to_string(i);
  CHECK(mistake("axes: {" + axis + "], b" + axis.substr(1) + "]}\nmodels: {m: {over: [a, b]}}")
            .find("more than 100000 members") != std::string::npos);
}
