#include "framework/core/base/error.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/json.h"
#include "framework/core/options/mapping.h"
#include "framework/core/options/yaml.h"
#include "tests/catch.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

std::string refusal(const std::string& text) {
  Errors errors;
  parse_yaml(std::make_shared<const Source>(Source{"x.yaml", text, false}), errors);
  return errors.empty() ? "" : errors.report();
}

bool refused(const std::string& text, const std::string& start, const std::string& part) {
  std::string report = refusal(text);
  INFO(report.substr(0, 400));
  CHECK(report.starts_with(start));
  CHECK(report.find(part) != std::string::npos);
  return report.starts_with(start) && report.find(part) != std::string::npos;
}

struct Declared {
  std::string b, a;

  template <class V>
  void visit(V& v) {
    v.field("b", b, "");
    v.field("a", a, "");
  }
};

}  // namespace

TEST_CASE("yaml: values and keys have source locations, in the order of the file", "[options]") {
  Node node = parse_yaml_or_throw("b: 1\na:\n  - \"x\"\n  - {c: null}\n", "x.yaml");
  REQUIRE(node.entries().size() == 2);
  CHECK(node.entries()[0].key == "b");
  CHECK(node.entries()[1].key_location.line == 2);
  const Node& list = node.entries()[1].value;
  CHECK(list.items()[0].quoted());
  CHECK(list.items()[0].location().text() == "x.yaml:3:5");
  CHECK(list.items()[1].find("c")->is_null());
  CHECK(node.find("b")->origin() == "x.yaml:1");
  CHECK(parse_yaml_or_throw("").is_null());
}

TEST_CASE("yaml: input that yaml-cpp accepts silently is rejected with its location", "[options]") {
  CHECK(refused("a: 1\nb: 2\na: 3\n", "x.yaml:3:1:", "first at line 1"));
  CHECK(refused("a: &x {b: 1}\nc:\n  <<: *x\n", "x.yaml:3:3:", "merge key"));
  CHECK(refused("a: &x [*x]\n", "x.yaml:1:8:", "alias refers to"));
  CHECK(refused("a: *x\n", "x.yaml:1:", "not valid YAML"));
  CHECK(refused("a: 1\n\tb: 2\n", "x.yaml:2:1:", "tab"));
  CHECK(
      refused("\xef\xbb\xbf"
              "a: 1\n",
              "x.yaml:1:1:", "byte order mark"));
  CHECK(refused("a: 1\nb: \xff\n", "x.yaml:2:4:", "invalid UTF-8"));
  CHECK(refused("a: \xc0\x80\n", "x.yaml:1:4:", "invalid UTF-8"));
  CHECK(refused("a: \xed\xa0\x80\n", "x.yaml:1:4:", "invalid UTF-8"));
  CHECK(refused(std::string("a: \0\n", 5), "x.yaml:1:4:", "control character"));
  CHECK(refused("a: !!str 1\n", "x.yaml:1:", "tag"));
  CHECK(refused("? [a]\n: 1\n", "x.yaml:1:", "must be a scalar"));
  CHECK(refused("[[:", "x.yaml:1:", "error"));
}

TEST_CASE("yaml: an unclosed bracket is reported where it opens", "[options]") {
  CHECK(refused("a: {size: 8", "x.yaml:1:4: error: not valid YAML: a closing } is missing", "^"));
  CHECK(refused("{size: 8", "x.yaml:1:1: error: not valid YAML: a closing } is missing", "^"));
  CHECK(refused("[1", "x.yaml:1:1: error: not valid YAML: a closing ] is missing", "^"));
  CHECK(refused("a: [1, {b: 2]\nc: 3\n", "x.yaml:1:8: error: not valid YAML: a closing }", "^"));
  CHECK(refused("a: x[1] don't  # [\nb: \"[\"\nc: {d: e\nf: 1\n",
                "x.yaml:3:4: error: not valid YAML: a closing }", "^"));
  CHECK(refused("a: {size: 8 kind: x}\n", "x.yaml:1:", "a comma or a bracket may be missing"));
  CHECK(refused("a: {b: 'it''s {', c: *x}\n", "x.yaml:1:", "not valid YAML: the referenced"));
}

TEST_CASE("yaml: adversarial input is rejected quickly", "[options]") {
  for (int levels = 8; levels <= 12; ++levels) {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i <= levels; ++i) {
      std::string alias = "*a" + std::to_string(i - 1);
      bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
              repeated(alias + ", ", 8) + alias + "]\n";
    }
    CHECK(refused(bomb, "x.yaml:6:10:", "100,000"));
  }
  CHECK(refused(repeated("[", 501) + repeated("]", 501), "x.yaml:1:65:", "64 levels"));
  CHECK(refused(repeated("[", 100000), "x.yaml:1:", "error"));
  CHECK(refused(repeated("{a: ", 100000), "x.yaml:1:", "error"));
  CHECK(refused(repeated("- ", 100000), "x.yaml:1:", "64 levels"));
  CHECK(refused(repeated("---\na: 1\n", 1000), "x.yaml:3:1:", "second document"));
  std::string keys;
  for (int i = 0; i < 1000000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  CHECK(refused(keys, "x.yaml:1:1:", "1 MiB"));
  CHECK(refused(repeated("- 1\n", 100001), "x.yaml:100000:", "100,000"));
  CHECK(refused("a: &a [[[[1]]]]\nb: " + repeated("[", 61) + "*a" + repeated("]", 61),
                "x.yaml:2:", "64 levels"));
}

TEST_CASE("yaml: an alias is replaced by its value", "[options]") {
  Node node = parse_yaml_or_throw("a: &x {b: 1}\nc: *x\n");
  CHECK(*node.find("a") == *node.find("c"));
}

TEST_CASE("json: trees are converted to values and back without text in between", "[options]") {
  const Node tree = parse_yaml_or_throw(
      "b: 2e3\na: [5e-4, true, \"7\", word, -3]\nunset: null\nempty: {}\nbig: 1e30\n", "t");
  CHECK(canonical_json(tree).dump() ==
        R"({"a":[0.0005,true,"7","word",-3],"b":2000,"big":1e+30,"empty":{}})");
  CHECK(to_json(tree).dump() ==
        R"({"b":2000,"a":[0.0005,true,"7","word",-3],"unset":null,"empty":{},"big":1e+30})");
  const Node again = node_of_json(to_json(tree), "manifest.json");
  CHECK(canonical_json(again) == canonical_json(tree));
  CHECK(again.find("a")->items()[2].quoted());
  CHECK(again.find("b")->origin() == "manifest.json:1");
  CHECK(node_of_json(nlohmann::ordered_json::parse("18446744073709551615"), "x").text() ==
        "18446744073709551615");
}

TEST_CASE("yaml: a key that could not be written again is refused", "[options]") {
  const std::string longest(160, '\x01');
  const Node read = parse_yaml_or_throw(to_yaml(Node::mapping({{longest, Node::scalar("1"), {}}})));
  CHECK(read.find(longest)->text() == "1");
  CHECK_THROWS_WITH(parse_yaml_or_throw(std::string(161, 'k') + ": 1"),
                    Contains("a key of 161 bytes") && Contains("the limit is 160"));
}

TEST_CASE("merge: mappings are merged, lists are replaced, order and origins are kept",
          "[options]") {
  Node under = parse_yaml_or_throw("a: {x: 1, y: [1, 2]}\nb: 2\n", "under.yaml");
  Node over = parse_yaml_or_throw("c: 3\na: {y: [3]}\n", "over.yaml").with_layer("profile cpu");
  Node both = merge(under, over);
  CHECK(canonical_json(both).dump() == R"({"a":{"x":1,"y":[3]},"b":2,"c":3})");
  CHECK(both.entries()[2].key == "c");
  CHECK(both.find("a")->find("x")->origin() == "under.yaml:1");
  CHECK(both.find("a")->find("y")->origin() == "profile cpu, over.yaml:2");
  CHECK(to_yaml(both, true) ==
        "a:\n  x: 1  # from under.yaml:1\n  y: [3]  # from profile cpu, over.yaml:2\n"
        "b: 2  # from under.yaml:2\nc: 3  # from profile cpu, over.yaml:1\n");
}

TEST_CASE("mapping: keys of two owners are separated, each in the order of the file", "[options]") {
  const Node node = parse_yaml_or_throw("{z: 1, a: 2, y: {b: 3}, b: 4}", "x.yaml");
  const DividedMapping parts = divide_mapping<Declared>(node);
  CHECK(keys_of(parts.declared) == std::vector<std::string>{"a", "b"});
  CHECK(keys_of(parts.others) == std::vector<std::string>{"z", "y"});
  CHECK(parts.declared.find("b")->text() == "4");
  CHECK(parts.declared.location().text() == node.location().text());
  CHECK(keys_of(divide_mapping<Declared>(Node::scalar("a")).declared).empty());
}
