// Scores of rows, of rows at their checkpoints and of several rows; selections among them.
#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/pipeline/nodes/selection_nodes.h"
#include "framework/pipeline/plan/resolver.h"

namespace lvtext {

std::string Resolver::score_of(const CheckedMetric& metric, const ResolvedRow& row,
                               std::string& reason) {
  const bool is_asked = metric.rows.empty() || std::find(metric.rows.begin(), metric.rows.end(),
                                                         row.id) != metric.rows.end();
  if (!is_asked) {
    reason = "not computed for this row";
    return "";
  }
  if (metric.across_checkpoints && !keeps_checkpoints(*row.row)) {
    reason = "the row keeps no checkpoints";
    return "";
  }
  if (metric.evaluator.component->scores_of != ScoresOf::kRow && !metric.across_checkpoints) {
    reason = "it is computed from several rows together";
    return "";
  }
  const Resolved inputs = resolve(metric.id, metric.inputs, row);
  reason = join(inputs.reasons, "; ");
  if (reason.empty()) reason = alignment_mismatch(metric.inputs, inputs.inputs);
  if (!reason.empty()) return "";
  ResolvedRow scored = row;
  scored.at_checkpoints = row.at_checkpoints || metric.across_checkpoints;
  const FilledScoreInputs scores = scores_for(metric, {scored}, {}, reason);
  if (!reason.empty()) return "";
  const bool each = reads_checkpoints(inputs.inputs, scores, context_.graph);
  return located(metric.id, [&] {
    return add_evaluation(
        context_.graph, context_.registries,
        row.id + "-" + metric.id + "-score" + (each ? "-checkpoints" : "") + row.suffix,
        metric.evaluator, inputs.inputs, scores);
  });
}

std::string Resolver::score_at_checkpoints(const CheckedMetric& metric, const ResolvedRow& row) {
  if (!row.row || !keeps_checkpoints(*row.row) || metric.across_checkpoints) return "";
  ResolvedRow at = row;
  at.at_checkpoints = true;
  std::string reason;
  const std::string node = score_of(metric, at, reason);
  return node.empty() || context_.graph.at(node).checkpoints.empty() ? "" : node;
}

std::string Resolver::checkpoint_selection(const CheckedSelect& select, const ResolvedRow& row) {
  const CheckedMetric& metric = *find_entry(context_.recipe.metrics, select.metric);
  const std::string scores = score_at_checkpoints(metric, row);
  if (scores.empty()) return "";
  return add_checkpoint_selection(
      context_.graph, row.id + "-" + select.id + row.suffix, select.rule, scores,
      select.score.empty() ? metric.score : select.score, row.seed.value_or(0));
}

FilledScoreInputs Resolver::scores_for(const CheckedMetric& metric,
                                       const std::vector<ResolvedRow>& rows,
                                       const std::vector<ResolvedRow>& against,
                                       std::string& reason) {
  FilledScoreInputs all;
  open(metric.id);
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
      if (!named.removed.empty()) {
        reason = "not run: " + named.removed;
        continue;
      }
      const CheckedMetric& other = *find_entry(context_.recipe.metrics, named.id);
      filled.metrics.push_back(named.id + (named.part.empty() ? "" : "." + named.part));
      auto& scores = filled.scores.emplace_back();
      for (const ResolvedRow& row : is_other_side ? against : rows) {
        std::string why;
        NodePart node = scores_of_line(other, row, why);
        if (node.representative().empty()) reason = other.id + " of " + row.id + ": " + why;
        scores.push_back({std::move(node), named.part.empty() ? other.score : named.part});
      }
    }
    if (fillings.empty()) reason = "no value for its input " + input.decl.name;
    all[input.decl.name] = std::move(filled);
  }
  open_.pop_back();
  return all;
}

NodePart Resolver::scores_of_line(const CheckedMetric& metric, const ResolvedRow& line,
                                  std::string& reason) {
  if (!line.select) return score_of(metric, line, reason);
  return chosen_of(*line.select, line, reason, [&](const ResolvedRow& candidate) {
    return NodePart(score_of(metric, candidate, reason));
  });
}

FilledInputs Resolver::inputs_across(const CheckedMetric& metric,
                                     const std::vector<ResolvedRow>& lines, std::string& reason) {
  FilledInputs all;
  for (const CheckedInput& input : metric.inputs) {
    if (input.decl.type == ArtifactType::kScores) continue;
    for (const ResolvedRow& line : lines) {
      const Resolved of_line = resolve(metric.id, {input_of_line(input, line)}, line);
      if (!of_line.reasons.empty()) reason = line.id + ": " + join(of_line.reasons, "; ");
      const auto found = of_line.inputs.find(input.decl.name);
      if (found == of_line.inputs.end()) continue;
      auto& nodes = all[input.decl.name];
      nodes.insert(nodes.end(), found->second.begin(), found->second.end());
      if (!is_of_line(input, line)) break;  // the same for each row
    }
  }
  return all;
}

bool Resolver::is_of_line(const CheckedInput& input, const ResolvedRow& line) const {
  if (uses_row({input})) return true;
  const CheckedRow* row = line.row;
  if (line.select && !line.select->among.empty()) {
    row = find_entry(context_.recipe.rows, line.select->among.front().row);
  }
  return !input.is_written && row && has_value(*row, input.decl.name);
}

CheckedInput Resolver::input_of_line(const CheckedInput& input, const ResolvedRow& line) const {
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

std::vector<ResolvedRow> Resolver::lines_of(const std::string& id, std::string& reason) {
  const CheckedSelect* select = find_entry(context_.recipe.selects, id);
  if (!select) return runs_of(*find_entry(context_.recipe.rows, id), reason);
  std::vector<ResolvedRow> lines;
  const std::vector<SeedNode> made = selections(*select);
  for (size_t k = 0; k < made.size(); ++k) {
    ResolvedRow line{.id = id, .select = select, .index = k, .of = made.size()};
    line.seed = made[k].seed;
    if (made[k].node.empty()) {
      reason = made[k].reason;
      return {};
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ResolvedRow> Resolver::rows_at(const std::vector<std::string>& ids, size_t index,
                                           bool at_checkpoints, std::string& reason) {
  std::vector<ResolvedRow> rows;
  for (const auto& id : ids) {
    const auto runs = lines_of(id, reason);
    if (runs.empty()) continue;
    rows.push_back(runs[runs.size() == 1 ? 0 : index]);
    ResolvedRow& line = rows.back();
    line.at_checkpoints = at_checkpoints && line.row && keeps_checkpoints(*line.row);
  }
  return rows;
}

std::string Resolver::missing_score_reason(const CheckedMetric& metric, const std::string& row) {
  std::string reason;
  const auto runs = lines_of(row, reason);
  if (runs.empty()) return reason;
  for (const CheckedInput& input : metric.inputs) {
    for (const Filling& filling : input.fillings) {
      const auto* named = std::get_if<KnownReference>(&filling);
      if (!named || named->of != KnownReference::Of::kMetric || !named->removed.empty()) continue;
      const CheckedMetric& other = *find_entry(context_.recipe.metrics, named->id);
      const NodePart scores = scores_of_line(other, runs.front(), reason);
      if (scores.representative().empty()) return other.id + ": " + reason;
    }
    if (input.decl.type == ArtifactType::kScores || !is_of_line(input, runs.front())) continue;
    const Resolved given = resolve(metric.id, {input_of_line(input, runs.front())}, runs.front());
    if (!given.reasons.empty()) return join(given.reasons, "; ");
  }
  return "";
}

std::vector<Resolver::SeedNode> Resolver::across(const CheckedMetric& metric,
                                                 std::map<std::string, std::string>& left_out) {
  CheckedMetric scored = metric;
  std::vector<std::string> rows, against;
  for (size_t i = 0; i < std::max(metric.across.size(), metric.against.size()); ++i) {
    bool is_scored = true;
    for (const auto* ids : {&metric.across, &metric.against}) {
      if (i >= ids->size()) continue;
      const std::string& id = (*ids)[i];
      const std::string reason =
          left_out.contains(id) ? left_out.at(id) : missing_score_reason(metric, id);
      if (reason.empty()) continue;
      left_out[id] = reason;
      is_scored = false;
    }
    if (is_scored && i < metric.across.size()) rows.push_back(metric.across[i]);
    if (is_scored && i < metric.against.size()) against.push_back(metric.against[i]);
  }
  scored.across = rows;
  scored.against = against;
  if (rows.empty()) return {{"", std::nullopt, "none of its rows has a score"}};
  Seeds seeds = {std::nullopt};
  std::string reason;
  for (const auto* ids : {&scored.across, &scored.against}) {
    for (const auto& id : *ids) {
      const auto runs = lines_of(id, reason);
      if (!runs.empty()) pair_seeds(seeds_of(runs), id, scored.id, seeds);
    }
  }
  std::vector<SeedNode> made;
  for (size_t k = 0; k < seeds.size(); ++k) {
    SeedNode one{.seed = seeds[k]};
    const auto rows = rows_at(scored.across, k, scored.pools_checkpoints, one.reason);
    const auto against = rows_at(scored.against, k, scored.pools_checkpoints, one.reason);
    const FilledScoreInputs scores = scores_for(scored, rows, against, one.reason);
    const FilledInputs inputs = inputs_across(scored, rows, one.reason);
    if (one.reason.empty()) {
      one.node = add_evaluation(context_.graph, context_.registries,
                                scored.id + "-score" + (k ? "-" + std::to_string(k) : ""),
                                scored.evaluator, inputs, scores);
    }
    made.push_back(std::move(one));
  }
  return made;
}

std::vector<Resolver::SeedNode> Resolver::selections(const CheckedSelect& select) {
  if (const auto made = selections_.find(select.id); made != selections_.end()) return made->second;
  open(select.id);
  const CheckedMetric& metric = *find_entry(context_.recipe.metrics, select.metric);
  std::vector<std::vector<ResolvedRow>> runs;
  std::string reason;
  Seeds seeds = {std::nullopt};
  for (const auto& candidate : select.among) {
    runs.push_back(runs_of(*find_entry(context_.recipe.rows, candidate.row), reason));
    if (!runs.back().empty()) pair_seeds(seeds_of(runs.back()), candidate.row, select.id, seeds);
  }
  std::vector<SeedNode> made;
  for (size_t k = 0; k < seeds.size(); ++k) {
    SeedNode selection{.seed = seeds[k]};
    std::vector<ScoredCandidate> scored;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].empty()) continue;
      const ResolvedRow& run = runs[i][runs[i].size() == 1 ? 0 : k];
      const std::string node = score_of(metric, run, reason);
      if (!node.empty()) scored.push_back({select.among[i].key, node});
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
  open_.pop_back();
  return selections_[select.id] = std::move(made);
}

}  // namespace lvtext
