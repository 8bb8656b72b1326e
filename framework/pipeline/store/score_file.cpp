#include "framework/pipeline/store/score_file.h"

#include <cmath>

#include "framework/core/base/files.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/pipeline/store/finished_data.h"
#include "framework/pipeline/store/node_parts.h"

namespace lvtext {
namespace {

nlohmann::ordered_json line_of(const Score& score) {
  nlohmann::ordered_json line = to_json(score);
  line["rows"] = {{"functional", score.rows.functional},
                  {"width", score.rows.width},
                  {"values", score.rows.values}};
  if (!score.resamples.empty()) line["resamples"] = score.resamples;
  return line;
}

}  // namespace

std::string scores_text(const std::vector<Score>& scores) {
  std::string text;
  for (const Score& score : scores) {
    auto line = nlohmann::ordered_json::object();
    if (text.empty()) line["schema"] = "lvtext.scores/1";
    line.update(line_of(score));
    text += line.dump() + "\n";
  }
  return text;
}

Score read_score(const nlohmann::json& line) {
  Score score;
  score.id = line.at("id").get<std::string>();
  // JSON cannot represent infinity or NaN: null encodes a non-finite value.
  score.value = line.at("value").is_null() ? std::nan("") : line.at("value").get<double>();
  score.unit = line.value("unit", "");
  score.direction = direction_of(line.value("better", "none"));
  score.n = line.value("n", int64_t{0});
  score.signature = line.value("signature", "");
  score.title = line.value("title", "");
  score.reason = line.value("reason", "");
  score.comparable = line.value("comparable", true);
  score.real_is_best = line.value("real_is_best", false);
  score.notes = line.value("notes", std::vector<std::string>());
  if (line.contains("lo") && line.at("lo").is_number()) {
    score.interval = Interval{line.at("lo").get<double>(), line.at("hi").get<double>()};
  }
  if (line.contains("line")) score.line = line.at("line").get<int64_t>();
  if (line.contains("resamples")) line.at("resamples").get_to(score.resamples);
  const auto& rows = line.at("rows");
  score.rows.functional = rows.at("functional").get<std::string>();
  score.rows.width = rows.at("width").get<size_t>();
  for (const auto& value : rows.at("values")) {
    score.rows.values.push_back(value.is_null() ? std::nan("") : value.get<double>());
  }
  return score;
}

std::vector<Score> read_scores(const std::filesystem::path& folder, std::optional<int64_t> step) {
  std::vector<Score> scores;
  const FinishedRun run(step ? part_folder(folder, *step) : folder);
  for (const auto& line : read_written_lines(run, kScoresFile)) {
    scores.push_back(read_score(nlohmann::json::parse(line)));
  }
  return scores;
}

}  // namespace lvtext
