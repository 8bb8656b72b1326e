// Inference with named parts and columns: identity, resuming, parts that are requested
// later.
#include <ATen/ATen.h>

#include "evaluators/evaluator.h"
#include "framework/core/base/files.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/parts.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/selection_nodes.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/score_file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

/// Parts computed by each pass.
std::vector<std::vector<std::string>> passes;

struct Multiple {
  double factor = 1;
  bool negative = false;

  template <class V>
  void visit(V& v) {
    v.field("factor", factor, "factor");
    v.field("negative", negative, "the other sign");
  }
};

struct MultiplesOptions {
  int64_t count = 3;
  Parts<Multiple> policies;

  template <class V>
  void visit(V& v) {
    v.field("count", count, "numbers", at_least(1));
    v.field("policies", policies, "the parts that it leaves", required(), not_empty());
  }
};

/// The first numbers times each part's factor, as a column and as tensors.
class Multiples : public InferenceOfParts {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kTensors;
  static constexpr const char* kParts = "policies";
  explicit Multiples(const MultiplesOptions& options) : options_(options) {}
  std::vector<InputDecl> inputs() const override { return {}; }
  std::vector<NamedPart> parts() const override { return named_parts(options_.policies); }
  std::vector<Inferred> run_parts(const Inputs&, const std::vector<size_t>& parts,
                                  const Notify&) const override {
    std::vector<Inferred> all;
    passes.emplace_back();
    for (const size_t index : parts) {
      const Multiple& each = options_.policies.all[index].options;
      passes.back().push_back(std::to_string(each.factor).substr(0, 3));
      const double factor = each.negative ? -each.factor : each.factor;
      const at::Tensor values = at::arange(1, options_.count + 1).to(at::kFloat) * factor;
      all.push_back(
          {.tensors = {{"values", values}},
           .columns = {
               {.decl = {.name = "value", .kind = ColumnKind::kNumber}, .values = values},
               {.decl = {.name = "pair", .kind = ColumnKind::kVector, .shape = {1}, .ragged = true},
                .values = values.unsqueeze(1),
                .rows = {0, 0, 1, options_.count}}}});
    }
    return all;
  }

 private:
  MultiplesOptions options_;
};

/// Sums of the tensors and of the column "value" of one part.
class Sum : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit Sum(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"sum", ""}, {"column", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "values", .type = ArtifactType::kTensors},
            {.name = "rows", .type = ArtifactType::kDataset}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const Dataset rows = inputs.dataset("rows");
    double column = 0;
    for (int64_t row = 0; row < rows.size(); ++row) {
      float value = 0;
      rows.column("value").copy(row, 0, &value);
      column += value;
    }
    return {{.id = "sum", .value = inputs.tensors("values").at("values").sum().item<double>()},
            {.id = "column", .value = column}};
  }
};

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    add_inference<Multiples, MultiplesOptions>(each, "multiples", "numbers", {});
    add_evaluator<Sum, NoOptions>(each, "sum", "their sum", {});
    return each;
  }();
  return all;
}

Configured multiples(const std::string& policies, const std::string& more = "") {
  return registries()
      .inference.get("multiples")
      .configure(parse_yaml_or_throw("{policies: {" + policies + "}" + more + "}", "test"));
}

std::string key_of(const Configured& component, const std::string& id) {
  for (const NamedPart& part : component.parts) {
    if (part.id == id) return part.key;
  }
  return "";
}

std::string add_sum(Graph& graph, const std::string& name, const NodePart& part) {
  return add_evaluation(graph, registries(), name, registries().evaluators.get("sum").configure(),
                        {{"values", {part}}, {"rows", {part}}});
}

std::string mistake(const std::string& policies) {
  try {
    multiples(policies);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("named parts: lists contain the names as written", "[nodes]") {
  const Configured all = multiples("one: {}, times: {factor: [2, 0.50]}, minus: {negative: true}");
  std::vector<std::string> ids;
  for (const NamedPart& part : all.parts) ids.push_back(part.id);
  CHECK(ids == std::vector<std::string>{"one", "times_2", "times_0.50", "minus"});
  CHECK(key_of(all, "times_0.50") == R"({"factor":0.5,"negative":false})");
  CHECK_THAT(mistake("a: {factor: [1, 2], negative: [true]}"),
             Contains("policies.a has two options that are lists"));
  CHECK_THAT(mistake("a: {factor: [1, 1]}"), Contains("policies has two parts named 'a_1'"));
  CHECK_THAT(mistake("a: {facto: 1}"), Contains("unknown key 'policies.a.facto'"));
  CHECK_THAT(mistake("'a b': {}"), Contains("'a b' is not a valid name in policies"));
  CHECK_THAT(mistake(""), Contains("'policies' must not be empty"));
  CHECK_THAT(mistake("a: {factor: []}"), Contains("policies.a.factor is an empty list"));
  CHECK_THAT(mistake("a: {factor: [{}]}"),
             Contains("policies.a.factor: the elements of this list must be scalars"));
}

TEST_CASE("named parts: their definitions are in the identity, references to them are not",
          "[nodes]") {
  const Configured few = multiples("a: {factor: 2}"), more = multiples("b: {factor: 2}, c: {}");
  Graph one("p", "t"), other("p", "t"), counts("p", "t");
  add_inference_node(one, registries(), "m", few, {});
  add_inference_node(other, registries(), "m", more, {});
  add_inference_node(counts, registries(), "m", multiples("a: {factor: 2}", ", count: 4"), {});
  CHECK(one.at("m").identity == other.at("m").identity);
  CHECK(one.at("m").identity != counts.at("m").identity);
  add_sum(one, "s", {"m", key_of(few, "a")});
  add_sum(other, "s", {"m", key_of(more, "b")});
  add_sum(other, "t", {"m", key_of(more, "c")});
  CHECK(one.at("s").identity == other.at("s").identity);
  CHECK(other.at("s").identity != other.at("t").identity);
}

TEST_CASE("named parts: one pass computes only the missing ones", "[nodes]") {
  const TemporaryFolder runs;
  const Configured few = multiples("a: {factor: 2}, b: {}"),
                   more = multiples("x: {factor: [3, 2]}, y: {negative: true}");
  passes.clear();
  Graph first("p", "t");
  add_inference_node(first, registries(), "m", few, {});
  add_sum(first, "s", {"m", key_of(few, "a")});
  auto status = run_graph(first, {"s"}, runs.path);
  REQUIRE(status.at("s").state == NodeState::kFinished);
  CHECK(read_scores(status.at("s").folder)[0].value == 12);
  CHECK(read_scores(status.at("s").folder)[1].value == 12);
  CHECK(passes == std::vector<std::vector<std::string>>{{"2.0", "1.0"}});
  const auto folder = status.at("m").folder;
  const auto part = named_part_folder(folder, key_of(few, "a"));
  const auto kept = std::filesystem::last_write_time(part / "tensors.safetensors");
  const Dataset rows = read_dataset(part);
  CHECK(rows.column("pair").items(0) == 0);
  CHECK(rows.column("pair").items(2) == 2);
  CHECK(rows.only("value").names() == std::vector<std::string>{"value"});

  // Another recipe requests other parts of the same node, one of them with another name; and two
  // entries of one recipe request parts that both need.
  Graph second("p", "t");
  CHECK(add_inference_node(second, registries(), "n", more, {}) == "n");
  CHECK(add_inference_node(second, registries(), "o", multiples("z: {factor: 5}"), {}) == "n");
  add_sum(second, "u", {"n", key_of(more, "x_2")});
  add_sum(second, "v", {"n", key_of(more, "y")});
  CHECK_FALSE(is_finished(folder, second.at("n")));
  status = run_graph(second, {"u", "v"}, runs.path);
  CHECK(status.at("n").folder == folder);
  CHECK(passes.size() == 2);
  CHECK(passes.back() == std::vector<std::string>{"3.0", "1.0", "5.0"});
  CHECK(std::filesystem::last_write_time(part / "tensors.safetensors") == kept);
  CHECK(read_scores(status.at("v").folder)[0].value == -6);
  CHECK(is_finished(folder, first.at("m")));
  CHECK(verify_run(folder).empty());
  CHECK_THROWS_WITH(named_part_folder(folder, R"({"factor":9})"),
                    Contains("has no part {\"factor\":9}; it has"));
}

TEST_CASE("named parts: a killed node computes its missing parts", "[nodes]") {
  const TemporaryFolder runs;
  const Configured all = multiples("a: {factor: [2, 3, 4]}");
  Graph graph("p", "t");
  add_inference_node(graph, registries(), "m", all, {});
  const auto folder = run_graph(graph, {"m"}, runs.path).at("m").folder;
  const auto manifest = read_run_manifest(folder)->at("files");
  // State of a process that died between two parts: one part complete, one damaged, one missing.
  std::filesystem::remove(folder / "manifest.json");
  std::vector<std::filesystem::path> parts;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.is_directory() && each.path().filename().string().starts_with("part-")) {
      parts.push_back(each.path());
    }
  }
  REQUIRE(parts.size() == 3);
  std::filesystem::remove_all(parts[0]);
  std::string content = read_file(parts[1] / "tensors.safetensors");
  content.back() ^= 1;
  write_file_atomic(parts[1] / "tensors.safetensors", content);
  passes.clear();
  const auto status = run_graph(graph, {"m"}, runs.path);
  REQUIRE(status.at("m").state == NodeState::kFinished);
  REQUIRE(passes.size() == 1);
  CHECK(passes[0].size() == 2);
  CHECK(read_run_manifest(folder)->at("files") == manifest);
}

TEST_CASE("named parts: a damaged one fails its node, leftovers of a killed one are removed",
          "[nodes]") {
  const TemporaryFolder runs;
  const Configured all = multiples("a: {factor: 2}, b: {factor: 3}");
  Graph graph("p", "t");
  add_inference_node(graph, registries(), "m", all, {});
  const auto folder = run_graph(graph, {"m"}, runs.path).at("m").folder;
  const auto part = named_part_folder(folder, key_of(all, "a"));
  std::string content = read_file(part / "tensors.safetensors");
  const std::string whole = content;
  content.back() ^= 1;
  write_file_atomic(part / "tensors.safetensors", content);
  add_sum(graph, "of_a", {"m", key_of(all, "a")});
  add_sum(graph, "of_b", {"m", key_of(all, "b")});
  const auto status = run_graph(graph, {"of_a"}, runs.path);
  CHECK(status.at("of_a").state == NodeState::kBlocked);
  CHECK(status.at("m").state == NodeState::kFailed);
  CHECK_THAT(status.at("m").reason, Contains("lvtext runs rm " + folder.string() + " "));
  // Adding a part does not seal the damage.
  const std::string manifest = read_file(folder / "manifest.json");
  Graph later("p", "t");
  add_inference_node(later, registries(), "m", multiples("c: {factor: 4}"), {});
  CHECK(run_graph(later, {"m"}, runs.path).at("m").state == NodeState::kFailed);
  CHECK(read_file(folder / "manifest.json") == manifest);
  write_file_atomic(part / "tensors.safetensors", whole);
  const auto partial = folder / "part-0123456789abcdef.partial";
  std::filesystem::create_directory(partial);
  CHECK(run_graph(later, {"m"}, runs.path).at("m").state == NodeState::kFinished);
  CHECK_FALSE(std::filesystem::exists(partial));
}

TEST_CASE("named parts: a choice among parts of one node reads the chosen part", "[nodes]") {
  const TemporaryFolder runs;
  const Configured all = multiples("a: {factor: 2}, b: {factor: 3}");
  Graph graph("p", "t");
  add_inference_node(graph, registries(), "m", all, {});
  add_sum(graph, "of_a", {"m", key_of(all, "a")});
  add_sum(graph, "of_b", {"m", key_of(all, "b")});
  const std::vector<CandidateNode> parts = {{"x", "m", key_of(all, "a")},
                                            {"y", "m", key_of(all, "b")}};
  for (const auto by : {SelectionRule::By::kMax, SelectionRule::By::kMin}) {
    const bool is_max = by == SelectionRule::By::kMax;
    const std::string choice = is_max ? "max" : "min";
    add_selection(graph, choice, {.by = by}, {{"x", "of_a"}, {"y", "of_b"}}, "sum");
    const std::string sum = add_sum(graph, "of_" + choice, NodePart::chosen_of(parts, choice));
    const auto status = run_graph(graph, {sum}, runs.path);
    REQUIRE(status.at(sum).state == NodeState::kFinished);
    const auto scores = read_scores(status.at(sum).folder);
    CHECK(scores[0].value == (is_max ? 18 : 12));
    CHECK(scores[1].value == (is_max ? 18 : 12));
  }
}
