// Nodes that score one row, a row at its checkpoints, and several rows.
#include "framework/pipeline/plan/score_resolver.h"

#include "tests/framework/pipeline/plan/loaded_resolver.h"

using namespace lvtext;

TEST_CASE("score resolver: of a row, or why it has none", "[plan]") {
  LoadedResolver of(kScored);
  ScoreResolver& scores = of.resolver.scores();
  const ResolvedRow vae = of.run("vae[2]");
  CHECK(scores.score_of(of.metric("variety"), vae) == "vae[2]-variety-score");
  CHECK_THROWS_WITH(scores.score_of(of.metric("some"), of.run("real")),
                    "not computed for this row");
  CHECK_THROWS_WITH(scores.score_of(of.metric("rho"), vae),
                    "it is computed from several rows together");
  CHECK_THROWS_WITH(scores.score_of(of.metric("bleu"), of.run("real")), "the row has no model");
}

TEST_CASE("score resolver: at kept checkpoints, of texts generated from these", "[plan]") {
  LoadedResolver of(kScored);
  ScoreResolver& scores = of.resolver.scores();
  CHECK(scores.score_at_checkpoints(of.metric("variety"), of.run("vae[2]")) ==
        "vae[2]-variety-score-checkpoints");
  CHECK(scores.score_at_checkpoints(of.metric("bleu"), of.run("vae[2]")).empty());
  CHECK(scores.score_at_checkpoints(of.metric("variety"), of.run("real")).empty());
}

TEST_CASE("score resolver: of several rows, without those that have no score", "[plan]") {
  LoadedResolver of(kScored);
  ScoreResolver& scores = of.resolver.scores();
  std::map<std::string, std::string> left_out;
  const std::vector<SeedNode> all = scores.across(of.metric("rho"), left_out);
  REQUIRE(all.size() == 1);
  CHECK(all[0].node == "rho-score");
  CHECK(left_out.empty());
  REQUIRE(scores.across(of.metric("both"), left_out).size() == 1);
  CHECK((left_out == std::map<std::string, std::string>{{"real", "bleu: the row has no model"}}));
  left_out = {{"vae[2]", "gone"}, {"vae[4]", "gone"}, {"real", "gone"}};
  const std::vector<SeedNode> none = scores.across(of.metric("rho"), left_out);
  REQUIRE(none.size() == 1);
  CHECK(none[0].node.empty());
  CHECK(none[0].reason == "none of its rows has a score");
}
