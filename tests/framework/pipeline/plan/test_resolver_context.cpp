// Errors at the line of an entry, joined columns, and values that are absent.
#include "framework/pipeline/plan/resolver_context.h"

#include "framework/core/base/error.h"
#include "tests/framework/pipeline/plan/loaded_resolver.h"

using namespace lvtext;

TEST_CASE("resolver context: an absent value has a reason and is no error", "[plan]") {
  std::string reason;
  CHECK(unless_absent(reason, [] { return 4; }) == 4);
  CHECK(reason.empty());
  CHECK_FALSE(unless_absent(reason, []() -> int { throw Absent("the row has no model"); }));
  CHECK(reason == "the row has no model");
  CHECK_THROWS_AS(unless_absent(reason, []() -> int { throw ConfigError("a mistake"); }),
                  ConfigError);
}

TEST_CASE("resolver context: errors have the line of the entry", "[plan]") {
  const LoadedResolver of(kScored);
  CHECK_THROWS_WITH(of.context.refuse("best", "a mistake", "its correction"),
                    Contains("r.yaml:18:3: error: a mistake") && Contains("its correction"));
  CHECK(of.context.located("best", [] { return std::string("node"); }) == "node");
  CHECK_THROWS_WITH(
      of.context.located("rho", []() -> std::string { throw ConfigError("a mistake"); }),
      Contains("r.yaml:15:3: error: a mistake"));
}

TEST_CASE("resolver context: columns of different records cannot be joined", "[plan]") {
  const LoadedResolver of(kScored);
  const auto& packs = of.data.at("data").packs;
  of.context.check_joined("best", {packs.at("train"), packs.at("train")});
  CHECK(of.context.shown_rows(packs.at("test")) == "data.test");
  CHECK_THROWS_WITH(of.context.check_joined("best", {packs.at("train"), packs.at("test")}),
                    Contains("best joins columns of different records: data.train and data.test"));
}

TEST_CASE("resolver context: rows and inputs with kept checkpoints", "[plan]") {
  const LoadedResolver of(kScored);
  CHECK(keeps_checkpoints(of.row("vae[2]")));
  CHECK_FALSE(keeps_checkpoints(of.row("real")));
  const FilledInputs whole = {{"text", {NodePart("vae[2]-samples")}}};
  const FilledInputs each = {{"text", {NodePart("vae[2]-samples", kAllCheckpoints)}}};
  CHECK_FALSE(reads_checkpoints(whole, {}, of.loaded.experiment.graph));
  CHECK(reads_checkpoints(each, {}, of.loaded.experiment.graph));
}
