#include "framework/pipeline/experiment/report_request.h"

#include <algorithm>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/json.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "lvtext.report/1";
constexpr const char* kFile = "report.json";

/// The selected rows in the recipe's order, then lines of tables; empty for all rows.
std::vector<std::string> chosen_rows(const Recipe& recipe, const ExperimentRequest& request) {
  const std::vector<std::string> all = recipe.rows();
  std::set<std::string> given(request.rows.begin(), request.rows.end());
  std::vector<std::string> rows;
  for (const std::string& row : all) {
    if (given.erase(row) > 0) rows.push_back(row);
  }
  if (rows.size() == all.size()) return {};
  rows.insert(rows.end(), given.begin(), given.end());
  return rows;
}

/// The requested number of trainings, if it differs from that of some row.
std::optional<int64_t> chosen_seeds(const Recipe& recipe, const ExperimentRequest& request) {
  const auto& models = recipe.options.models.entries();
  const bool differs =
      request.seeds && std::any_of(models.begin(), models.end(), [&](const Node::Entry& model) {
        return seeds_of(recipe.options, model.value) != *request.seeds;
      });
  return differs ? request.seeds : std::nullopt;
}

nlohmann::ordered_json optional_json(const std::optional<int64_t>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

fs::path report_name(const Experiment& experiment, const ExperimentRequest& request) {
  const Recipe& recipe = experiment.recipe;
  std::string name = experiment.table + "-" + (recipe.profile.empty() ? "default" : recipe.profile);
  const auto rows = chosen_rows(recipe, request);
  const auto seeds = chosen_seeds(recipe, request);
  if (recipe.is_overridden || !rows.empty() || seeds) {
    const nlohmann::ordered_json asked = {
        {"recipe", canonical_json(recipe.tree.without("profiles")).dump()},
        {"data", experiment.graph.at(experiment.data.source).identity},
        {"rows", rows},
        {"seeds", optional_json(seeds)}};
    name += "-" + sha256(asked.dump()).substr(0, 8);
  }
  return fs::path(experiment.paper) / name;
}

void write_report_request(const fs::path& folder, const Experiment& experiment,
                          const ExperimentRequest& request) {
  const Recipe& recipe = experiment.recipe;
  write_file_atomic(folder / "recipe.yaml", to_yaml(recipe.written.without("plugins")));
  const nlohmann::ordered_json json = {{"schema", kSchema},
                                       {"recipe", recipe.options.recipe},
                                       {"profile", recipe.profile},
                                       {"overrides", recipe.overrides},
                                       {"rows", chosen_rows(recipe, request)},
                                       {"seeds", optional_json(chosen_seeds(recipe, request))}};
  write_file_atomic(folder / kFile, json.dump(2) + "\n");
}

bool holds_report_request(const fs::path& folder) {
  std::error_code failed;
  return fs::is_regular_file(folder / kFile, failed);
}

ReportRequest read_report_request(const fs::path& folder) {
  const fs::path file = folder / kFile;
  const auto json = parse_json(read_file(file));
  try {
    if (json.at("schema") != kSchema) throw DataError("'" + file.string() + "' is no " + kSchema);
    ReportRequest request;
    request.profile = json.at("profile").get<std::string>();
    request.overrides = json.at("overrides").get<std::vector<std::string>>();
    request.rows = json.at("rows").get<std::vector<std::string>>();
    if (!json.at("seeds").is_null()) request.seeds = json.at("seeds").get<int64_t>();
    return request;
  } catch (const nlohmann::json::exception&) {
    throw DataError("'" + file.string() + "' is damaged; write the report again from its recipe");
  }
}

}  // namespace lvtext
