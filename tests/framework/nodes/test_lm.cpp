// The language model of a metric: which text it is trained and selected on.
#include "framework/base/files.h"
#include "framework/graph/executor.h"
#include "framework/model/registries.h"
#include "framework/nodes/lm_nodes.h"
#include "framework/options/mapping.h"
#include "framework/options/yaml.h"
#include "models/register.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

/// A finished language model of the first 40 of the embedded training sentences.
struct Made {
  TemporaryFolder runs;
  Registries registries;
  Graph graph{"test", "smoke"};
  DataNodes data;
  std::string name;
  GraphStatus status;

  explicit Made(const std::string& yaml) {
    register_all_models(registries);
    DataBlock block;
    block.source.set = "embedded";
    block.source.field = "sentence";
    block.source.train_at_most = 100;
    block.tokenizer.vocab = 200;
    data = add_data(graph, block, {});
    Errors errors;
    const auto lm = parse_block<LmBlock>(parse_yaml_or_throw(yaml, "test"), errors, "lm");
    REQUIRE(errors.empty());
    const Node train =
        parse_yaml_or_throw("{device: cpu, stop: 9e, batch: {sentences: 8, longest: 3}}", "recipe");
    name =
        add_lm(graph, registries, "lm", lm, train, 3, {data.packs.at("train"), 100, 40}, data, "");
    status = run_graph(graph, {name}, runs.path);
    REQUIRE(status.at(name).state == NodeState::kFinished);
  }
  std::vector<std::string> input(const std::string& slot) const {
    const auto& node = graph.at(name).inputs.at(slot);
    const auto folder = status.at(node).folder;
    if (!std::filesystem::exists(folder / "text.txt")) return {node};
    return read_text(folder);
  }
  int64_t trained_on() const {
    return read_run_manifest(status.at(name).folder)->at("facts").at("sentences").get<int64_t>();
  }
};

const std::string kSmall = "embedding: 4, decoder: {hidden: 4}, train: {stop: 1u}";

}  // namespace

TEST_CASE("language model: selected on real text, trained on all lengths", "[nodes]") {
  const Made lm("{" + kSmall + "}");
  CHECK(lm.input("valid") == std::vector<std::string>{"data-pack-valid"});
  CHECK(lm.input("train").size() == 40);
  CHECK(lm.trained_on() == 40);  // the limit of the recipe's models is not its own
}

TEST_CASE("language model: selected on what it holds out of its own text", "[nodes]") {
  const Made real("{" + kSmall + "}");
  const Made own("{validate_on: own, " + kSmall + "}");
  std::vector<std::string> both = own.input("train");
  CHECK(both.size() == 38);
  CHECK(own.trained_on() == 38);
  const auto held_out = own.input("valid");
  CHECK(held_out.size() == 2);
  both.insert(both.end(), held_out.begin(), held_out.end());
  CHECK(both == real.input("train"));
}

TEST_CASE("language model: a limit of its own counts", "[nodes]") {
  const Made lm("{embedding: 4, decoder: {hidden: 4}, train: {stop: 1u, batch: {longest: 20}}}");
  CHECK(lm.trained_on() < 40);
  CHECK(lm.trained_on() > 0);
}
