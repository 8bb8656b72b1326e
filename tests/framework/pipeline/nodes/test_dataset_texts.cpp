// Texts of dataset inputs: they are read with the tokenizers of their nodes.
#include <algorithm>

#include "evaluators/evaluator.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/inference/register.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/nodes/score_file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

struct NoOptions {
  template <class V>
  void visit(V&) {}
};

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

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_inference(each);
    add_evaluator<SameTexts, NoOptions>(each, "same_texts", "compares two columns", {});
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
        graph, name, source, Choice<TokenizerFit>(name, parse_yaml_or_throw(options)));
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
