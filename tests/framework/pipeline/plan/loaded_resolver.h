// A resolver of a recipe, for tests of its classes.
#pragma once

#include <map>
#include <string>

#include "framework/pipeline/plan/resolver.h"
#include "tests/framework/pipeline/check/loaded_recipe.h"

namespace lvtext {

/// A loaded recipe with another resolver, which adds its nodes to the graph of the experiment.
struct LoadedResolver {
  explicit LoadedResolver(const std::string& text)
      : loaded(load(text)),
        data(sets_of(loaded.experiment)),
        context{loaded.experiment.graph,
                registries(),
                loaded.checked,
                data,
                data.begin()->first,
                std::nullopt,
                {},
                ""},
        resolver(context) {}

  const CheckedRow& row(const std::string& id) const {
    return *find_entry(loaded.checked.rows, id);
  }
  const CheckedMetric& metric(const std::string& id) const {
    return *find_entry(loaded.checked.metrics, id);
  }
  const CheckedSelect& select(const std::string& id) const {
    return *find_entry(loaded.checked.selects, id);
  }
  /// A row at one of its seeds.
  ResolvedRow run(const std::string& id, size_t seed = 0) {
    return resolver.entries().runs_of(row(id)).at(seed);
  }

  Loaded loaded;
  std::map<std::string, DataNodes> data;
  ResolverContext context;
  Resolver resolver;

 private:
  static std::map<std::string, DataNodes> sets_of(const Experiment& experiment) {
    std::map<std::string, DataNodes> sets;
    for (const ExperimentData& set : experiment.data) sets[set.id] = set.nodes;
    return sets;
  }
};

/// Rows with kept checkpoints and real data; metrics of one and of several rows, and selects.
inline const std::string kScored = kTwoSizes + R"Y(evaluate:
  variety: {evaluator: diversity, samples: 10}
  some: {evaluator: diversity, rows: "vae[*]", samples: 20}
  bleu: {evaluator: bleu}
  rho: {evaluator: spearman, across: ["vae[*]", real], inputs: {x: variety, y: variety.unique}}
  both: {evaluator: spearman, across: ["vae[*]", real], inputs: {x: variety, y: bleu}}
select:
  best: {among: ["vae[*]", real], max: variety.unique}
  at: {among: checkpoints, nearest: 0.8, of: variety, within: 0.1, ties: later}
tables:
  all: {choose: at, columns: [variety]}
)Y";

}  // namespace lvtext
