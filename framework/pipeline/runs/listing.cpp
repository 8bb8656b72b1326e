#include "framework/pipeline/runs/listing.h"

#include <algorithm>
#include <map>

#include "framework/core/base/clock.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/options/numbers.h"
#include "framework/pipeline/recipe/entry_id.h"
#include "framework/pipeline/runs/run_name.h"

namespace lvtext {
namespace {

std::optional<MainScore> score_named(const FoundRun& run, const std::string& score,
                                     const std::string& metric) {
  for (const RunScore& each : run.scores) {
    if (!score.empty() && each.id != score) continue;
    if (!each.value) return std::nullopt;
    return MainScore{metric, *each.value};
  }
  return std::nullopt;
}

std::optional<MainScore> main_score(const FoundRun& run,
                                    const std::map<std::string, const FoundRun*>& by_name) {
  if (!run.scores.empty()) return score_named(run, "", run.component);
  if (run.headline) {
    const auto node = by_name.find(run.headline->node);
    if (node != by_name.end()) {
      const auto score = score_named(*node->second, run.headline->score, run.headline->metric);
      if (score) return score;
    }
  }
  if (run.objective) return MainScore{"validation", *run.objective};
  return std::nullopt;
}

/// True for the nodes of an entry and of its members, `ROW`, `ROW-...` or `ROW=...` (Builder in
/// experiment.cpp).
bool is_node_of(const std::string& folder, const std::string& row) {
  const std::string node = file_name_of(node_name(folder)), name = file_name_of(row);
  if (!node.starts_with(name) || node.size() == name.size()) return node == name;
  return node[name.size()] == '-' || node[name.size()] == '=';
}

}  // namespace

bool RunFilter::matches(const FoundRun& run) const {
  const auto& names = run.data;
  return (kind.empty() || run.kind == kind) && (state.empty() || enum_name(run.state) == state) &&
         (row.empty() || run.row == row || run.row.starts_with(row + "[") ||
          is_node_of(run.name(), row)) &&
         (recipe.empty() || run.recipe == recipe || run.recipe.starts_with(recipe + "/")) &&
         (data.empty() || std::find(names.begin(), names.end(), data) != names.end()) &&
         run.changed >= changed_after;
}

std::optional<int64_t> parse_since(const std::string& text, int64_t now) {
  if (const auto day = parse_local_date(text)) return day;
  static const std::map<std::string, int64_t> seconds = {
      {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86'400}, {"w", 7 * 86'400}};
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = parse_int(text.substr(0, digits));
  const auto unit = seconds.find(text.substr(digits));
  constexpr int64_t kMaxCount = 1'000'000'000;
  if (!count || *count > kMaxCount || unit == seconds.end()) return std::nullopt;
  return now - *count * unit->second * 1000;
}

std::vector<ListedRun> list_runs(const std::vector<FoundRun>& all) {
  std::map<std::string, const FoundRun*> by_name;
  for (const FoundRun& run : all) by_name.emplace(run.name(), &run);
  auto differs = differences_among(all);
  std::vector<ListedRun> listed;
  for (size_t i = 0; i < all.size(); ++i) {
    listed.push_back({&all[i], std::move(differs[i]), main_score(all[i], by_name)});
  }
  std::stable_sort(listed.begin(), listed.end(), [](const ListedRun& a, const ListedRun& b) {
    return a.run->changed < b.run->changed;
  });
  return listed;
}

const FoundRun* latest_training(const std::vector<FoundRun>& all, bool usable) {
  const FoundRun* latest = nullptr;
  for (const FoundRun& run : all) {
    const bool running = run.state == RunState::kRunning &&
                         (!usable || !list_checkpoints(run.folder / "checkpoints").empty());
    const bool counts = run.kind == "train" && !run.row.empty() && (run.finished() || running);
    if (counts && (latest == nullptr || run.changed >= latest->changed)) latest = &run;
  }
  return latest;
}

}  // namespace lvtext
