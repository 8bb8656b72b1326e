#include "framework/pipeline/plan/score_resolver.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/plan/resolver.h"

namespace lvtext {
namespace {

/// The result of `compute`; the reason of an absence begins with `what`.
template <class Compute>
auto prefixed(const std::string& what, const Compute& compute) {
  try {
    return compute();
  } catch (const Absent& absent) {
    throw Absent(what + ": " + absent.what());
  }
}

/// Throws Absent if inputs cannot be compared row by row (InputDecl::aligned_with).
void check_alignment(const ResolverContext& context, const std::vector<CheckedInput>& inputs,
                     const FilledInputs& filled) {
  for (const CheckedInput& input : inputs) {
    const auto other = filled.find(input.decl.aligned_with);
    const auto own = filled.find(input.decl.name);
    if (other == filled.end() || own == filled.end()) continue;
    const auto rows = rows_of_all(context.graph, other->second);
    for (const NodePart& part : own->second) {
      if (rows_of_all(context.graph, {part}) == rows) continue;
      throw Absent(other->first + " and " + input.decl.name + " are of different records: " +
                   context.shown_rows(other->second.front()) + " and " + context.shown_rows(part));
    }
  }
}

}  // namespace

std::string ScoreResolver::score_of(const CheckedMetric& metric, const ResolvedRow& row) {
  const bool is_asked = metric.rows.empty() || contains(metric.rows, row.id);
  if (!is_asked) throw Absent("not computed for this row");
  if (metric.across_checkpoints && !keeps_checkpoints(*row.row)) {
    throw Absent("the row keeps no checkpoints");
  }
  if (metric.evaluator.component->scores_of != ScoresOf::kRow && !metric.across_checkpoints) {
    throw Absent("it is computed from several rows together");
  }
  const FilledInputs inputs = resolver_.all_inputs(metric.id, metric.inputs, row);
  check_alignment(context_, metric.inputs, inputs);
  ResolvedRow scored = row;
  scored.at_checkpoints = row.at_checkpoints || metric.across_checkpoints;
  const FilledScoreInputs scores = scores_for(metric, {scored}, {});
  const bool each = reads_checkpoints(inputs, scores, context_.graph);
  return context_.located(metric.id, [&] {
    return add_evaluation(
        context_.graph, context_.registries,
        row.id + "-" + metric.id + "-score" + (each ? "-checkpoints" : "") + row.suffix,
        metric.evaluator, inputs, scores);
  });
}

std::string ScoreResolver::score_at_checkpoints(const CheckedMetric& metric,
                                                const ResolvedRow& row) {
  if (!row.row || !keeps_checkpoints(*row.row) || metric.across_checkpoints) return "";
  ResolvedRow at = row;
  at.at_checkpoints = true;
  std::string unused;
  const auto node = unless_absent(unused, [&] { return score_of(metric, at); });
  return !node || context_.graph.at(*node).checkpoints.empty() ? "" : *node;
}

std::vector<SeedNode> ScoreResolver::across(const CheckedMetric& metric,
                                            std::map<std::string, std::string>& left_out) {
  CheckedMetric scored = metric;
  std::vector<std::string> rows, against;
  for (size_t i = 0; i < std::max(metric.across.size(), metric.against.size()); ++i) {
    bool is_scored = true;
    for (const auto* ids : {&metric.across, &metric.against}) {
      if (i >= ids->size()) continue;
      const std::string& id = (*ids)[i];
      try {
        if (!left_out.contains(id)) check_scores(metric, id);
      } catch (const Absent& absent) {
        left_out[id] = absent.what();
      }
      is_scored = is_scored && !left_out.contains(id);
    }
    if (is_scored && i < metric.across.size()) rows.push_back(metric.across[i]);
    if (is_scored && i < metric.against.size()) against.push_back(metric.against[i]);
  }
  scored.across = rows;
  scored.against = against;
  if (rows.empty()) return {{"", std::nullopt, "none of its rows has a score"}};
  EntryResolver& entries = resolver_.entries();
  Seeds seeds = {std::nullopt};
  for (const auto* ids : {&scored.across, &scored.against}) {
    for (const auto& id : *ids) {
      entries.pair_seeds(entries.seeds_of(lines_of(id)), id, scored.id, seeds);
    }
  }
  std::vector<SeedNode> made;
  for (size_t k = 0; k < seeds.size(); ++k) {
    SeedNode one{.seed = seeds[k]};
    const auto node = unless_absent(one.reason, [&] {
      const auto rows = rows_at(scored.across, k, scored.pools_checkpoints);
      const auto against = rows_at(scored.against, k, scored.pools_checkpoints);
      const FilledScoreInputs scores = scores_for(scored, rows, against);
      return add_evaluation(context_.graph, context_.registries,
                            scored.id + "-score" + (k ? "-" + std::to_string(k) : ""),
                            scored.evaluator, inputs_across(scored, rows), scores);
    });
    one.node = node.value_or("");
    made.push_back(std::move(one));
  }
  return made;
}

FilledScoreInputs ScoreResolver::scores_for(const CheckedMetric& metric,
                                            const std::vector<ResolvedRow>& rows,
                                            const std::vector<ResolvedRow>& against) {
  FilledScoreInputs all;
  const Resolver::Opening opening(resolver_, metric.id);
  const std::vector<Filling>* first = nullptr;
  for (const CheckedInput& input : metric.inputs) {
    if (input.decl.type != ArtifactType::kScores) continue;
    // Without scores of its own, the second side of a comparison uses the metric of the first side
    // on other rows.
    const bool is_other_side = input.fillings.empty() && first && !against.empty();
    const auto& fillings = is_other_side ? *first : input.fillings;
    if (!first) first = &fillings;
    FilledScores filled;
    filled.pools_checkpoints = metric.across_checkpoints || metric.pools_checkpoints;
    for (const ResolvedRow& row : is_other_side ? against : rows) filled.lines.push_back(row.id);
    for (const Filling& filling : fillings) {
      const auto& named = std::get<KnownReference>(filling);
      if (!named.removed.empty()) throw Absent("not run: " + named.removed);
      const CheckedMetric& other = *find_entry(context_.recipe.metrics, named.id);
      filled.metrics.push_back(named.id + (named.part.empty() ? "" : "." + named.part));
      auto& scores = filled.scores.emplace_back();
      for (const ResolvedRow& row : is_other_side ? against : rows) {
        scores.push_back(
            {prefixed(other.id + " of " + row.id, [&] { return scores_of_line(other, row); }),
             named.part.empty() ? other.score : named.part});
      }
    }
    if (fillings.empty()) throw Absent("no value for its input " + input.decl.name);
    all[input.decl.name] = std::move(filled);
  }
  return all;
}

NodePart ScoreResolver::scores_of_line(const CheckedMetric& metric, const ResolvedRow& line) {
  if (!line.select) return score_of(metric, line);
  return resolver_.selects().chosen_of(*line.select, line, [&](const ResolvedRow& candidate) {
    return NodePart(score_of(metric, candidate));
  });
}

FilledInputs ScoreResolver::inputs_across(const CheckedMetric& metric,
                                          const std::vector<ResolvedRow>& lines) {
  FilledInputs all;
  for (const CheckedInput& input : metric.inputs) {
    if (input.decl.type == ArtifactType::kScores) continue;
    for (const ResolvedRow& line : lines) {
      const FilledInputs of_line = prefixed(line.id, [&] {
        return resolver_.all_inputs(metric.id, {input_of_line(input, line)}, line);
      });
      const auto found = of_line.find(input.decl.name);
      if (found == of_line.end()) continue;
      auto& nodes = all[input.decl.name];
      nodes.insert(nodes.end(), found->second.begin(), found->second.end());
      if (!is_of_line(input, line)) break;  // the same for each row
    }
  }
  return all;
}

bool ScoreResolver::is_of_line(const CheckedInput& input, const ResolvedRow& line) const {
  if (uses_row({input})) return true;
  const CheckedRow* row = line.row;
  if (line.select && !line.select->among.empty()) {
    row = find_entry(context_.recipe.rows, line.select->among.front().row);
  }
  return !input.is_written && row && has_value(*row, input.decl.name);
}

CheckedInput ScoreResolver::input_of_line(const CheckedInput& input,
                                          const ResolvedRow& line) const {
  if (!line.select) return input;
  CheckedInput of_line = input;
  if (!uses_row({input}) && is_of_line(input, line)) {
    of_line.fillings = {KnownReference{KnownReference::Of::kRow, "", input.decl.name, ""}};
  }
  for (Filling& filling : of_line.fillings) {
    auto* named = std::get_if<KnownReference>(&filling);
    if (!named || named->of != KnownReference::Of::kRow) continue;
    named->of = KnownReference::Of::kSelect;
    named->id = line.select->id;
  }
  return of_line;
}

std::vector<ResolvedRow> ScoreResolver::lines_of(const std::string& id) {
  const CheckedSelect* select = find_entry(context_.recipe.selects, id);
  if (!select) return resolver_.entries().runs_of(*find_entry(context_.recipe.rows, id));
  std::vector<ResolvedRow> lines;
  const std::vector<SeedNode> made = resolver_.selects().selections(*select);
  for (size_t k = 0; k < made.size(); ++k) {
    ResolvedRow line{.id = id, .select = select, .seed_index = k, .seed_count = made.size()};
    line.seed = made[k].seed;
    if (made[k].node.empty()) throw Absent(made[k].reason);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ResolvedRow> ScoreResolver::rows_at(const std::vector<std::string>& ids, size_t index,
                                                bool at_checkpoints) {
  std::vector<ResolvedRow> rows;
  for (const auto& id : ids) {
    const auto runs = lines_of(id);
    rows.push_back(runs[runs.size() == 1 ? 0 : index]);
    ResolvedRow& line = rows.back();
    line.at_checkpoints = at_checkpoints && line.row && keeps_checkpoints(*line.row);
  }
  return rows;
}

void ScoreResolver::check_scores(const CheckedMetric& metric, const std::string& row) {
  const ResolvedRow line = lines_of(row).front();
  for (const CheckedInput& input : metric.inputs) {
    for (const Filling& filling : input.fillings) {
      const auto* named = std::get_if<KnownReference>(&filling);
      if (!named || named->of != KnownReference::Of::kMetric || !named->removed.empty()) continue;
      const CheckedMetric& other = *find_entry(context_.recipe.metrics, named->id);
      prefixed(other.id, [&] { return scores_of_line(other, line); });
    }
    if (input.decl.type == ArtifactType::kScores || !is_of_line(input, line)) continue;
    resolver_.all_inputs(metric.id, {input_of_line(input, line)}, line);
  }
}

}  // namespace lvtext
