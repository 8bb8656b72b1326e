#include "framework/pipeline/runs/listing.h"

#include <algorithm>
#include <ctime>
#include <map>

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

std::string time_text(const char* format, const std::tm& time) {
  char text[32];
  return {text, std::strftime(text, sizeof text, format, &time)};
}

}  // namespace

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

const FoundRun* latest_training(const std::vector<FoundRun>& all) {
  const FoundRun* latest = nullptr;
  for (const FoundRun& run : all) {
    const bool counts = run.kind == "train" && (run.finished() || run.state == RunState::kRunning);
    if (counts && (latest == nullptr || run.changed >= latest->changed)) latest = &run;
  }
  return latest;
}

std::string local_time(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  return time_text("%Y-%m-%d %H:%M", *::localtime_r(&time, &parts));
}

std::string utc_time(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  return time_text("%Y-%m-%dT%H:%M:%SZ", *::gmtime_r(&time, &parts));
}

}  // namespace lvtext
