#include "framework/pipeline/nodes/joined_rows.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

/// all <- few <- fewest: sets of records, each derived from the one before.
struct Sets {
  Graph graph{"p", "t"};

  Sets() {
    add("all", {}, {});
    add("few", {{"source", "all"}}, {});
    add("fewest", {{"source", "few"}}, {});
    add("other", {}, {});
    for (const std::string set : {"all", "few", "fewest", "other"}) {
      for (const std::string split : {"train", "test"}) {
        add(set + "-" + split, {{"source", set}}, NodeRows{set, split});
      }
    }
    add("blocks", {{"source", "all"}}, {});  // separate rows
    add("vectors", {{"text", "few-test"}}, NodeRows{"few", "test"});
  }

  void add(const std::string& name, const std::map<std::string, std::string>& inputs,
           const std::optional<NodeRows>& rows) {
    GraphNode node;
    node.name = name;
    node.component = "made";
    node.options = {{"name", name}};
    node.inputs = inputs;
    node.rows = rows;
    graph.add(std::move(node));
  }

  /// "0 1": which parts are joined by parents; "x" and the locations if they cannot be joined.
  std::string join(const std::vector<NodePart>& parts) const {
    const JoinedRows joined = joined_rows(graph, parts);
    if (joined.unjoinable) {
      return "x " + std::to_string(joined.unjoinable->first) + " " +
             std::to_string(joined.unjoinable->second);
    }
    std::string text;
    for (const bool of_parents : joined.of_parents) text += of_parents ? "p" : "-";
    return text;
  }
};

}  // namespace

TEST_CASE("joined rows: columns of the same records, or of records derived from them", "[nodes]") {
  const Sets sets;
  CHECK(sets.join({"few-test"}) == "-");
  CHECK(sets.join({"few-test", "vectors"}) == "--");
  CHECK(sets.join({"all-test", "few-test"}) == "p-");
  CHECK(sets.join({"vectors", "all-test", "few-test"}) == "-p-");
  CHECK(sets.join({"fewest-train", "few-train"}) == "-p");
  CHECK(sets.join({"blocks", "blocks"}) == "--");
  CHECK(rows_of_all(sets.graph, {"all-test", "vectors"}) == NodeRows{"few", "test"});
  CHECK(rows_of(sets.graph, "blocks") == NodeRows{"blocks", ""});
}

TEST_CASE("joined rows: equal numbers of rows do not imply equal records", "[nodes]") {
  const Sets sets;
  CHECK(sets.join({"all-test", "all-train"}) == "x 0 1");
  CHECK(sets.join({"all-test", "other-test"}) == "x 0 1");
  CHECK(sets.join({"few-test", "all-train"}) == "x 0 1");
  // Parents are those of one derivation.
  CHECK(sets.join({"fewest-test", "all-test"}) == "x 0 1");
  CHECK(sets.join({"all-test", "blocks"}) == "x 0 1");
  CHECK(sets.join({"all-test", "few-test", "other-test"}) == "x 1 2");
}

TEST_CASE("joined rows: the candidates of a choice must have the same rows", "[nodes]") {
  const Sets sets;
  const auto chosen = [](const std::string& first, const std::string& second) {
    return NodePart::chosen_of({{"0", first}, {"1", second}}, "blocks");
  };
  CHECK(sets.join({chosen("few-test", "vectors"), "all-test"}) == "-p");
  CHECK(sets.join({chosen("few-test", "other-test"), "few-test"}) == "x 0 1");
}
