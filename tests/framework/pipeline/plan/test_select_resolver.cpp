// Nodes of selects and of their candidates.
#include "framework/pipeline/plan/select_resolver.h"

#include "tests/framework/pipeline/plan/loaded_resolver.h"

using namespace lvtext;

TEST_CASE("select resolver: a reference names the nodes of all candidates", "[plan]") {
  LoadedResolver of(kScored);
  SelectResolver& selects = of.resolver.selects();
  const CheckedSelect& best = of.select("best");
  const std::vector<SeedNode> made = selects.selections(best);
  REQUIRE(made.size() == 1);
  CHECK(made[0].node == "best");
  CHECK(made[0].seed == 3);
  const NodePart chosen =
      selects.chosen_of(best, of.run("vae[2]"), [](const ResolvedRow& candidate) {
        NodePart part(candidate.id + "-text");
        part.column = "words";
        return part;
      });
  CHECK(chosen.selection == "best");
  CHECK(chosen.column == "words");
  std::vector<std::string> nodes;
  for (const CandidateNode& candidate : chosen.among) {
    nodes.push_back(candidate.key + " " + candidate.node);
  }
  CHECK(nodes == std::vector<std::string>{"2 vae[2]-text", "4 vae[4]-text", "real real-text"});
}

TEST_CASE("select resolver: without a scored candidate there is no selection", "[plan]") {
  LoadedResolver of(kScored);
  SelectResolver& selects = of.resolver.selects();
  CheckedSelect unscored = of.select("best");
  unscored.id = "unscored";
  unscored.metric = "bleu";
  unscored.among = {unscored.among.back()};
  const std::vector<SeedNode> made = selects.selections(unscored);
  REQUIRE(made.size() == 1);
  CHECK(made[0].node.empty());
  CHECK(made[0].reason == "the row has no model");
  CHECK_THROWS_WITH(selects.chosen_of(unscored, of.run("vae[2]"),
                                      [](const ResolvedRow&) { return NodePart("unused"); }),
                    "the row has no model");
}

TEST_CASE("select resolver: a kept checkpoint of a row", "[plan]") {
  LoadedResolver of(kScored);
  SelectResolver& selects = of.resolver.selects();
  CHECK(selects.checkpoint_selection(of.select("at"), of.run("vae[2]")) == "vae[2]-at");
  CHECK(selects.checkpoint_selection(of.select("at"), of.run("real")).empty());
}
