// Nodes of entries and rows at each of their runs, and pairs of seeds.
#include "framework/pipeline/plan/entry_resolver.h"

#include "tests/framework/pipeline/plan/loaded_resolver.h"

using namespace lvtext;

namespace {

const char* kEntries = R"Y(lvtext: 1
recipe: p/entries
data:
  news: {set: embedded}
train: {seed: 3, seeds: 2, device: cpu, stop: 2u, optimizers: {default: {type: adam, lr: 0.01}}}
artifacts:
  judge: {model: rnn_lm, data: news, embedding: 4, decoder: {hidden: 4}}
  said: {infer: reconstructions, model: vae, data: news}
models:
  vae: {model: vae, data: news, latent: {size: 2}, embedding: 4, encoder: {hidden: 4}, decoder: {hidden: 4}}
rows:
  vae: {model: vae}
  real: {samples: news.train}
evaluate:
  variety: {evaluator: diversity, samples: 10}
)Y";

}  // namespace

TEST_CASE("entry resolver: one node for each seed of a row", "[plan]") {
  LoadedResolver of(kEntries);
  EntryResolver& entries = of.resolver.entries();
  const std::vector<ResolvedRow> runs = entries.runs_of(of.row("vae"));
  CHECK((EntryResolver::seeds_of(runs) == Seeds{3, 4}));
  CHECK(runs.at(0).trained == "vae");
  CHECK(runs.at(1).trained == "vae-4");
  CHECK(runs.at(1).suffix == "-4");
  const std::vector<ResolvedRow> real = entries.runs_of(of.row("real"));
  CHECK((EntryResolver::seeds_of(real) == Seeds{std::nullopt}));
  CHECK(real.at(0).trained.empty());
  CheckedRow gone = of.row("vae");
  gone.reason = "not run: not in this profile";
  CHECK_THROWS_WITH(entries.runs_of(gone), "not run: not in this profile");
}

TEST_CASE("entry resolver: an entry's run belongs to the seed of a row", "[plan]") {
  LoadedResolver of(kEntries);
  EntryResolver& entries = of.resolver.entries();
  const ResolvedRow second = of.run("vae", 1);
  CHECK(entries.run_of("said", "valid", second) == "said-valid-4");
  CHECK(of.loaded.experiment.graph.at("said-valid-4").inputs.at("model") == "vae-4");
  // A training of `artifacts` has one run, which belongs to all seeds.
  CHECK(entries.run_of("judge", "", second) == "judge");
  const NodePart last = entries.entry_at("vae", "last", second);
  CHECK(last.node == "vae-4");
  CHECK(last.part == "last");
}

TEST_CASE("entry resolver: seeds are paired by their order", "[plan]") {
  LoadedResolver of(kEntries);
  const EntryResolver& entries = of.resolver.entries();
  Seeds seeds = {std::nullopt};
  entries.pair_seeds({3, 4}, "said", "vae", seeds);
  CHECK((seeds == Seeds{3, 4}));
  entries.pair_seeds({7}, "judge", "vae", seeds);
  CHECK((seeds == Seeds{3, 4}));
  CHECK_THROWS_WITH(
      entries.pair_seeds({1, 2, 3}, "said", "vae", seeds),
      Contains("vae has 2 seeds and its said 3") && Contains("seeds are paired by their order"));
  CHECK(entries.paired(2, "said", of.run("vae", 1)) == 1);
  CHECK(entries.paired(1, "judge", of.run("vae", 1)) == 0);
  CHECK_THROWS_WITH(entries.paired(3, "said", of.run("vae", 1)),
                    Contains("vae has 2 seeds and said 3"));
}
