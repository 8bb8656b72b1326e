// Names of the styles of a style transfer model, from the nodes of its training data.
#include <nlohmann/json.hpp>

#include "framework/core/base/files.h"
#include "framework/pipeline/store/trained_run.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Json = nlohmann::json;
using Where = std::map<std::string, std::string>;

namespace {

/// Folders of nodes with descriptions only.
class Nodes {
 public:
  void add(const std::string& name, const std::map<std::string, std::string>& inputs,
           const Where& where = {}) {
    Json options = Json::object();
    if (!where.empty()) options["where"] = where;
    std::filesystem::create_directories(folder_ / name);
    write_file_atomic(folder_ / name / "node.json",
                      Json{{"options", options}, {"inputs", inputs}}.dump());
  }
  /// Adds a training on two packs; each source is selected by `where` from the source "all".
  void add_training(const Where& first, const Where& second) {
    add("all", {});
    add("source_0", {{"source", "all"}}, first);
    add("source_1", {{"source", "all"}}, second);
    add("pack_0", {{"source", "source_0"}});
    add("pack_1", {{"source", "source_1"}});
    add("training", {{"train", "pack_0"}, {"train[1]", "pack_1"}});
  }
  std::vector<std::string> names() const { return style_names(folder_ / "training"); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("style names: the values by which the sides were selected, in order", "[store]") {
  Nodes nodes;
  nodes.add_training({{"style", "negative"}}, {{"style", "positive"}});
  CHECK(nodes.names() == std::vector<std::string>{"negative", "positive"});
  // The column whose values differ.
  nodes.add_training({{"number", "one"}, {"style", "b"}}, {{"number", "one"}, {"style", "a"}});
  CHECK(nodes.names() == std::vector<std::string>{"b", "a"});
  // Selected before other steps.
  nodes.add("first", {{"source", "source_0"}}, {{"number", "one"}});
  nodes.add("pack_0", {{"source", "first"}});
  CHECK(nodes.names() == std::vector<std::string>{"b", "a"});
}

TEST_CASE("style names: none without different values of one column", "[store]") {
  Nodes nodes;
  nodes.add_training({{"style", "a"}}, {{"style", "a"}});
  CHECK(nodes.names().empty());
  nodes.add_training({{"style", "a"}}, {{"tone", "b"}});
  CHECK(nodes.names().empty());
  nodes.add_training({}, {});
  CHECK(nodes.names().empty());
  nodes.add_training({{"style", "a"}}, {{"style", "b"}});
  nodes.add("training", {{"train", "pack_0"}});
  CHECK(nodes.names().empty());
  nodes.add("training", {{"train", "pack_0"}, {"train[1]", "removed"}});
  CHECK(nodes.names().empty());
}
