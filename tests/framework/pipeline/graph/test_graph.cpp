#include "framework/pipeline/graph/graph.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/pipeline/graph/executor.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// A node that writes the concatenation of its inputs and its text, and counts its runs.
GraphNode writer(const std::string& name, const std::string& text, int& runs,
                 std::map<std::string, std::string> inputs = {}) {
  GraphNode node;
  node.name = name;
  node.component = "writer";
  node.options = {{"text", text}};
  node.inputs = std::move(inputs);
  node.run = [text, &runs](NodeRun& run) {
    ++runs;
    std::string all;
    for (const auto& [worker, folder] : run.inputs) all += read_file(folder / "out.txt");
    write_file_atomic(run.folder.path() / "out.txt", all + text);
    run.outputs = {"out.txt"};
  };
  return node;
}

}  // namespace

TEST_CASE("graph: finished nodes are not run again", "[graph]") {
  const TemporaryFolder scratch;
  int runs = 0;
  Graph first("paper", "smoke");
  first.add(writer("a", "A", runs));
  first.add(writer("b", "B", runs, {{"in", "a"}}));
  auto status = run_graph(first, {"b"}, scratch.path);
  CHECK(runs == 2);
  CHECK(read_file(status["b"].folder / "out.txt") == "AB");

  Graph other("another", "cpu");  // the same graph with other names
  other.add(writer("x", "A", runs));
  other.add(writer("c", "C", runs, {{"in", "x"}}));
  status = run_graph(other, {"c"}, scratch.path);
  CHECK(runs == 3);
  CHECK(read_file(status["c"].folder / "out.txt") == "AC");
}

TEST_CASE("graph: a changed option changes the identity of all dependent nodes", "[graph]") {
  int runs = 0;
  Graph one("p", "smoke"), two("p", "smoke");
  one.add(writer("a", "A", runs));
  one.add(writer("b", "B", runs, {{"in", "a"}}));
  two.add(writer("a", "A'", runs));
  two.add(writer("b", "B", runs, {{"in", "a"}}));
  CHECK(one.at("a").identity != two.at("a").identity);
  CHECK(one.at("b").identity != two.at("b").identity);
}

TEST_CASE("graph: equal work is a single node", "[graph]") {
  int runs = 0;
  Graph graph("p", "smoke");
  CHECK(graph.add(writer("a", "A", runs)) == "a");
  CHECK(graph.add(writer("again", "A", runs)) == "a");
  CHECK(graph.nodes().size() == 1);
}

TEST_CASE("graph: the part that is read is in the identity, requested parts are not", "[graph]") {
  int runs = 0;
  Graph graph("p", "smoke");
  graph.add(writer("model", "M", runs));
  const auto add = [&](const std::string& name, const std::string& part) {
    GraphNode node = writer(name, "T", runs, {{"in", "model"}});
    if (!part.empty()) node.parts["in"] = part;
    return graph.add(node);
  };
  CHECK(add("whole", "") == "whole");
  CHECK(add("last", "last") == "last");
  CHECK(add("again", "last") == "last");
  GraphNode keeping = writer("keeping", "M", runs);
  keeping.checkpoints = "2u";
  CHECK(graph.add(keeping) == "model");
  CHECK(graph.at("model").checkpoints == "2u");
  keeping.checkpoints = "3u";
  CHECK_THROWS_AS(graph.add(keeping), ConfigError);
}

TEST_CASE("graph: if a node throws any exception, the other nodes run", "[graph]") {
  const TemporaryFolder scratch;
  int runs = 0;
  Graph graph("p", "smoke");
  GraphNode memory = writer("memory", "x", runs), bug = writer("bug", "y", runs);
  memory.run = [](NodeRun&) { throw std::bad_alloc(); };
  bug.run = [](NodeRun&) { throw std::logic_error("a slip of ours"); };
  graph.add(memory);
  graph.add(bug);
  graph.add(writer("beside", "z", runs));
  const auto status = run_graph(graph, {"memory", "bug", "beside"}, scratch.path);
  CHECK(status.at("memory").state == NodeState::kFailed);
  CHECK_THAT(status.at("memory").reason, Contains("out of memory"));
  CHECK(status.at("bug").state == NodeState::kFailed);
  CHECK_THAT(status.at("bug").reason, Contains("a slip of ours") && Contains("bug in lvtext"));
  CHECK(status.at("beside").state == NodeState::kFinished);
}

TEST_CASE("graph: a damaged manifest fails only its node", "[graph]") {
  const TemporaryFolder scratch;
  int runs = 0;
  Graph graph("p", "smoke");
  graph.add(writer("bad", "x", runs));
  graph.add(writer("after", "y", runs, {{"in", "bad"}}));
  graph.add(writer("beside", "z", runs));
  auto status = run_graph(graph, {"bad"}, scratch.path);
  const auto manifest = status.at("bad").folder / "manifest.json";
  std::string text = read_file(manifest);
  text[text.size() / 2] ^= 1;
  write_file_synced(manifest, text);
  status = run_graph(graph, {"after", "beside"}, scratch.path);
  CHECK(status.at("bad").state == NodeState::kFailed);
  CHECK_THAT(status.at("bad").reason, Contains("damaged"));
  CHECK(status.at("after").state == NodeState::kBlocked);
  CHECK(status.at("beside").state == NodeState::kFinished);
}

TEST_CASE("graph: a failed node stops only dependent nodes", "[graph]") {
  const TemporaryFolder scratch;
  int runs = 0;
  Graph graph("p", "smoke");
  GraphNode bad = writer("bad", "x", runs);
  bad.run = [](NodeRun&) { throw DataError("no such luck"); };
  graph.add(bad);
  graph.add(writer("after", "y", runs, {{"in", "bad"}}));
  graph.add(writer("beside", "z", runs));
  const auto status = run_graph(graph, {"after", "beside"}, scratch.path);
  CHECK(status.at("bad").state == NodeState::kFailed);
  CHECK(status.at("bad").reason == "no such luck");
  CHECK(status.at("after").state == NodeState::kBlocked);
  CHECK(status.at("beside").state == NodeState::kFinished);
  CHECK(runs == 1);
}
