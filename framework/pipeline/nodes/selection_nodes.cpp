#include "framework/pipeline/nodes/selection_nodes.h"

#include <cmath>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/store/score_file.h"
#include "framework/pipeline/store/selection_file.h"

namespace lvtext {
namespace {

constexpr const char* kScoresInput = "scores";
constexpr int kRevision = 1;

/// Creates a node without inputs. Its options contain only the members that the rule uses.
GraphNode node_of(const std::string& name, const SelectionRule& rule, const std::string& score,
                  int64_t seed) {
  GraphNode node{.name = name, .kind = NodeKind::kSelection, .component = "choice"};
  node.revision = kRevision;
  node.seed = seed;
  node.options = {{"by", enum_name(rule.by)}, {"ties", enum_name(rule.ties)}, {"score", score}};
  if (rule.by == SelectionRule::By::kNearest) node.options["target"] = rule.target;
  if (rule.within) node.options["within"] = *rule.within;
  return node;
}

/// Returns the score with this id, or the first one if `id` is empty. NaN if it is missing or could
/// not be computed, so that the candidate is not selected.
double score_in(const std::vector<Score>& scores, const std::string& id) {
  for (const Score& score : scores) {
    if (id.empty() || score.id == id) return score.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nullptr;
}

void write_selection(NodeRun& run, const Selection& made,
                     const std::vector<Candidate>& candidates) {
  nlohmann::ordered_json json = {{"schema", "lvtext.choice/1"},
                                 {"chosen", nullptr},
                                 {"score", number_or_null(made.score)},
                                 {"reason", made.reason},
                                 {"candidates", nlohmann::ordered_json::array()}};
  if (made.key) json["chosen"] = *made.key;
  for (const Candidate& each : candidates) {
    json["candidates"].push_back({{"key", each.key}, {"score", number_or_null(each.score)}});
  }
  write_file_atomic(run.folder.path() / kSelectionFile, json.dump(2) + "\n");
  run.outputs = {kSelectionFile};
  run.metadata = {{"chosen", json.at("chosen")}};
  if (!made.reason.empty()) run.metadata["reason"] = made.reason;
}

}  // namespace

std::string add_checkpoint_selection(Graph& graph, const std::string& name,
                                     const SelectionRule& rule, const std::string& scores,
                                     const std::string& score, int64_t seed) {
  GraphNode node = node_of(name, rule, score, seed);
  const std::string period = graph.at(scores).checkpoints;
  LVT_ASSERT(!period.empty(), "'" + scores + "' has no scores of kept checkpoints");
  node.options["checkpoints"] = period;
  node.inputs[kScoresInput] = scores;
  node.run = [rule, period, score](NodeRun& run) {
    const auto& folder = run.input(kScoresInput);
    std::vector<Candidate> candidates;
    for (const int64_t step : kept_steps(folder, period)) {
      candidates.push_back({std::to_string(step), score_in(read_scores(folder, step), score)});
    }
    write_selection(run, choose(rule, candidates, "checkpoint"), candidates);
  };
  return graph.add(std::move(node));
}

std::string add_selection(Graph& graph, const std::string& name, const SelectionRule& rule,
                          const std::vector<ScoredCandidate>& candidates, const std::string& score,
                          int64_t seed) {
  GraphNode node = node_of(name, rule, score, seed);
  std::vector<std::string> keys;
  for (const ScoredCandidate& each : candidates) {
    LVT_ASSERT(each.scores.part != kAllCheckpoints, "a candidate row must have a single score");
    keys.push_back(each.key);
    add_input(graph, node, each.key, each.scores);
  }
  node.options["candidates"] = keys;
  node.run = [rule, score, keys](NodeRun& run) {
    std::vector<Candidate> scored;
    for (const std::string& key : keys) {
      scored.push_back({key, std::numeric_limits<double>::quiet_NaN()});
      try {
        const LocatedInput at = locate_input(run.inputs, run.parts, key);
        scored.back().score = score_in(read_scores(at.folder, at.step), score);
      } catch (const NodeSkipped&) {  // no checkpoint of this candidate was selected
      }
    }
    write_selection(run, choose(rule, scored, "row"), scored);
  };
  return graph.add(std::move(node));
}

}  // namespace lvtext
