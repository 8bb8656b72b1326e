// Texts of inputs: their lines are the texts of the records, their ids those of the tokenizers of
// their nodes.
#include <algorithm>
#include <map>

#include "evaluators/evaluator.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/score_file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// Compares the lines and the ids of two text columns of a dataset.
class SameTexts : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit SameTexts(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() { return {{"same_lines", ""}, {"same_ids", ""}}; }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "records", .type = ArtifactType::kDataset}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const Text text = inputs.text("records", "text"), source = inputs.text("records", "source");
    const auto share = [&](auto&& is_same) {
      int64_t same = 0;
      for (size_t i = 0; i < text.size(); ++i) same += is_same(i);
      return static_cast<double>(same) / static_cast<double>(text.size());
    };
    return {{.id = "same_lines",
             .value = share([&](size_t i) { return text.lines()[i] == source.lines()[i]; })},
            {.id = "same_ids",
             .value = share([&](size_t i) { return text.ids()[i] == source.ids()[i]; })}};
  }
};

/// Shares of the lines of a text, and of two columns of a dataset, that contain unknown words.
class UnknownLines : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit UnknownLines(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() {
    return {{"line", ""}, {"decoded", ""}, {"text", ""}, {"source", ""}};
  }
  std::vector<InputDecl> inputs() const override {
    return {
        {.name = "lines"},
        {.name = "records", .type = ArtifactType::kDataset, .arity = InputDecl::Arity::kOptional}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    const auto share = [](const Text& text) {
      int64_t unknown = 0;
      for (const auto& line : text.lines()) unknown += line.find("<unk>") != std::string::npos;
      return static_cast<double>(unknown) / static_cast<double>(text.size());
    };
    const Text& text = inputs.text("lines");
    std::vector<Score> scores = {{.id = "line", .value = share(text)},
                                 {.id = "decoded", .value = text.is_decoded() ? 1.0 : 0.0}};
    if (!inputs.has("records")) return scores;
    for (const char* column : {"text", "source"}) {
      scores.push_back({.id = column, .value = share(inputs.text("records", column))});
    }
    return scores;
  }
};

/// Counts the records of each split of a data set.
class SplitSizes : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit SplitSizes(const NoOptions&) {}
  static std::vector<ScoreDecl> scores() {
    return {{"train", ""}, {"valid", ""}, {"test", ""}, {"reverse", ""}};
  }
  std::vector<InputDecl> inputs() const override {
    return {{.name = "task", .type = ArtifactType::kRecords}};
  }
  std::vector<Score> evaluate(const Inputs& inputs) const override {
    std::vector<Score> scores;
    for (const auto& [split, records] : inputs.records("task")) {
      scores.push_back({.id = split, .value = static_cast<double>(records.rows.size())});
    }
    return scores;
  }
};

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_inference(each);
    add_evaluator<SameTexts, NoOptions>(each, "same_texts", "compares two columns", {});
    add_evaluator<UnknownLines, NoOptions>(each, "unknown_lines", "counts unknown words", {});
    add_evaluator<SplitSizes, NoOptions>(each, "split_sizes", "counts records", {});
    return each;
  }();
  return all;
}

}  // namespace

TEST_CASE("dataset inputs: joined texts of different tokenizers have the same lines", "[nodes]") {
  const TemporaryFolder runs;
  Graph graph{"test", "smoke"};
  DataOptions data;
  data.set = "embedded";
  data.train_at_most = 200;
  const std::string source = add_source(graph, "source", data, {});
  const auto pack = [&](const std::string& name, const std::string& options) {
    const std::string tokenizer = add_tokenizer(
        graph, name, source, Choice<TokenizerFit>(name, parse_yaml_or_throw(options)), {});
    return add_packs(graph, "of-" + name, source, tokenizer, {"train"}, Choice<Packer>("text"))
        .packs.at("train");
  };
  const std::string words = pack("words", "min_count: 1"), characters = pack("char", "{}");
  const std::string copied = add_inference_node(graph, registries(), "copied",
                                                registries().inference.get("copy").configure(),
                                                {{"data", {characters}}}, 1);
  NodePart column(copied);
  column.column = "source";
  const std::string scored = add_evaluation(graph, registries(), "scored",
                                            registries().evaluators.get("same_texts").configure(),
                                            {{"records", {words, column}}});
  const auto status = run_graph(graph, {scored}, runs.path);
  INFO(status.at(scored).reason);
  REQUIRE(status.at(scored).state == NodeState::kFinished);
  const auto scores = read_scores(status.at(scored).folder);
  CHECK(find_score(scores, "same_lines")->value == 1);
  CHECK(find_score(scores, "same_ids")->value < 0.1);
}

TEST_CASE("texts: the lines of data are those of the records, not of the tokenizer", "[nodes]") {
  const TemporaryFolder runs;
  Graph graph{"test", "smoke"};
  DataOptions data;
  data.set = "embedded";
  data.train_at_most = 200;
  const std::string source = add_source(graph, "source", data, {});
  const std::string tokenizer =
      add_tokenizer(graph, "words", source,
                    Choice<TokenizerFit>("words", parse_yaml_or_throw("{min_count: 20, "
                                                                      "keep_unknown: true}")),
                    {});
  const std::string pack =
      add_packs(graph, "data", source, tokenizer, {"test"}, Choice<Packer>("text"))
          .packs.at("test");
  const auto scores_of = [&](const std::string& lines, const NodePart& records) {
    const std::string name = "of-" + lines + "-" + records.node;
    FilledInputs filled = {{"lines", {lines}}};
    if (!records.node.empty()) filled["records"] = {records};
    const std::string scored =
        add_evaluation(graph, registries(), name,
                       registries().evaluators.get("unknown_lines").configure(), filled);
    const auto status = run_graph(graph, {scored}, runs.path);
    INFO(status.at(scored).reason);
    REQUIRE(status.at(scored).state == NodeState::kFinished);
    std::map<std::string, double> values;
    for (const Score& score : read_scores(status.at(scored).folder)) values[score.id] = score.value;
    return values;
  };
  const auto infer = [&](const std::string& component, const FilledInputs& filled) {
    return add_inference_node(graph, registries(), component,
                              registries().inference.get(component).configure(), filled, 1);
  };
  auto of_split = scores_of(pack, {""});
  CHECK(of_split.at("line") == 0);
  CHECK(of_split.at("decoded") == 0);
  // The records are part of the identity: scores of decoded lines are other nodes.
  CHECK(graph.at("of-" + pack + "-").inputs.at("lines.records") == source);
  const std::string decoded = add_sentences(graph, "decoded", pack, {.decoded = true});
  CHECK(rows_of(graph, decoded) == rows_of(graph, pack));
  auto of_decoded = scores_of(decoded, {""});
  CHECK(of_decoded.at("line") > 0.5);
  CHECK(of_decoded.at("decoded") == 1);
  CHECK(scores_of(add_sentences(graph, "first", pack, {.at_most = 9}), {""}).at("line") == 0);
  // So do results of inference that pass texts on.
  for (const std::string& passed : {infer("copy", {{"data", {pack}}}),
                                    infer("random_lines", {{"data", {pack}}, {"from", {pack}}})}) {
    INFO(passed);
    const auto values = scores_of(passed, {passed});
    for (const char* id : {"line", "decoded", "text", "source"}) CHECK(values.at(id) == 0);
  }
}

TEST_CASE("records: an evaluator reads all splits without a tokenizer", "[nodes]") {
  const TemporaryFolder runs;
  Graph graph{"test", "smoke"};
  DataOptions data;
  data.set = "embedded";
  data.train_at_most = 200;
  const std::string source = add_source(graph, "source", data, {});
  const std::string scored =
      add_evaluation(graph, registries(), "scored",
                     registries().evaluators.get("split_sizes").configure(), {{"task", {source}}});
  CHECK(graph.at(scored).inputs == std::map<std::string, std::string>{{"task", source}});
  const auto status = run_graph(graph, {scored}, runs.path);
  INFO(status.at(scored).reason);
  REQUIRE(status.at(scored).state == NodeState::kFinished);
  const auto scores = read_scores(status.at(scored).folder);
  for (const auto& [split, records] : read_all_records(status.at(source).folder)) {
    CHECK(find_score(scores, split)->value == static_cast<double>(records.rows.size()));
    CHECK_FALSE(records.rows.empty());
  }
  CHECK(scores.size() == 4);
}
