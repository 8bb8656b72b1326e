#include "framework/pipeline/store/selection_file.h"

#include <nlohmann/json.hpp>

#include "framework/core/checkpoint/finished_run.h"

namespace lvtext {

int64_t Selection::step() const {
  return std::stoll(key.value());
}

Selection read_selection(const std::filesystem::path& folder) {
  const auto json = nlohmann::json::parse(FinishedRun(folder).read(kSelectionFile));
  Selection made;
  if (!json.at("chosen").is_null()) made.key = json.at("chosen").get<std::string>();
  if (!json.at("score").is_null()) made.score = json.at("score").get<double>();
  made.reason = json.at("reason").get<std::string>();
  return made;
}

}  // namespace lvtext
