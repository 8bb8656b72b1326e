#include "framework/pipeline/plan/select_resolver.h"

#include "framework/pipeline/nodes/selection_nodes.h"
#include "framework/pipeline/plan/resolver.h"

namespace lvtext {

std::vector<SeedNode> SelectResolver::selections(const CheckedSelect& select) {
  if (const auto made = selections_.find(select.id); made != selections_.end()) return made->second;
  const Resolver::Opening opening(resolver_, select.id);
  const CheckedMetric& metric = *find_entry(context_.recipe.metrics, select.metric);
  EntryResolver& entries = resolver_.entries();
  std::vector<std::vector<ResolvedRow>> runs;
  std::string reason;
  Seeds seeds = {std::nullopt};
  for (const auto& candidate : select.among) {
    const CheckedRow& row = *find_entry(context_.recipe.rows, candidate.row);
    const auto of_row = unless_absent(reason, [&] { return entries.runs_of(row); });
    runs.push_back(of_row.value_or(std::vector<ResolvedRow>()));
    if (runs.back().empty()) continue;
    entries.pair_seeds(entries.seeds_of(runs.back()), candidate.row, select.id, seeds);
  }
  std::vector<SeedNode> made;
  for (size_t k = 0; k < seeds.size(); ++k) {
    SeedNode selection{.seed = seeds[k]};
    std::vector<ScoredCandidate> scored;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].empty()) continue;
      const ResolvedRow& run = runs[i][runs[i].size() == 1 ? 0 : k];
      const auto node =
          unless_absent(reason, [&] { return resolver_.scores().score_of(metric, run); });
      if (node) scored.push_back({select.among[i].key, *node});
    }
    if (scored.empty()) {
      selection.reason = reason.empty() ? "there are no candidates" : reason;
    } else {
      const std::string score = select.score.empty() ? metric.score : select.score;
      const std::string suffix = k ? "-" + std::to_string(selection.seed.value_or(0)) : "";
      selection.node = add_selection(context_.graph, select.id + suffix, select.rule, scored, score,
                                     selection.seed.value_or(0));
    }
    made.push_back(std::move(selection));
  }
  return selections_[select.id] = std::move(made);
}

std::string SelectResolver::checkpoint_selection(const CheckedSelect& select,
                                                 const ResolvedRow& row) {
  const CheckedMetric& metric = *find_entry(context_.recipe.metrics, select.metric);
  const std::string scores = resolver_.scores().score_at_checkpoints(metric, row);
  if (scores.empty()) return "";
  return add_checkpoint_selection(
      context_.graph, row.id + "-" + select.id + row.suffix, select.rule, scores,
      select.score.empty() ? metric.score : select.score, row.seed.value_or(0));
}

NodePart SelectResolver::chosen_of(
    const CheckedSelect& select, const ResolvedRow& row,
    const std::function<NodePart(const ResolvedRow&)>& of_candidate) {
  const std::vector<SeedNode> made = selections(select);
  const size_t index = resolver_.entries().paired(made.size(), select.id, row);
  if (made[index].node.empty()) throw Absent(made[index].reason);
  std::vector<CandidateNode> among;
  std::string column;
  for (const auto& candidate : select.among) {
    const CheckedRow& checked = *find_entry(context_.recipe.rows, candidate.row);
    const auto runs = resolver_.entries().runs_of(checked);
    const NodePart node = of_candidate(runs[runs.size() == 1 ? 0 : index]);
    among.push_back({candidate.key, node.node, node.part});
    column = node.column;
  }
  NodePart one = NodePart::chosen_of(std::move(among), made[index].node);
  one.column = column;
  return one;
}

}  // namespace lvtext
