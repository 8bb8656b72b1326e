#include "framework/pipeline/results/report_request.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"
#include "framework/core/options/dump.h"
#include "framework/core/options/json.h"
#include "framework/core/options/yaml.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "lvtext.report/1";
constexpr const char* kFile = "report.json";
constexpr const char* kRecipeFile = "recipe.yaml";
constexpr const char* kPrevious = "previous-";
constexpr size_t kMaxPrevious = 5;

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

std::string recipe_text(const Recipe& recipe) {
  return to_yaml(recipe.written.without("plugins"));
}

nlohmann::ordered_json request_json(const Recipe& recipe, const ExperimentRequest& request) {
  return {{"schema", kSchema},
          {"recipe", recipe.options.recipe},
          {"profile", recipe.profile},
          {"overrides", recipe.overrides},
          {"rows", chosen_rows(recipe, request)},
          {"seeds", optional_json(chosen_seeds(recipe, request))}};
}

/// All values of a tree by path.
void add_values(const Node& node, const std::string& path,
                std::map<std::string, std::string>& values) {
  for (const Node::Entry& entry : node.entries()) {
    add_values(entry.value, path.empty() ? entry.key : path + "." + entry.key, values);
  }
  for (size_t i = 0; i < node.items().size(); ++i) {
    add_values(node.items()[i], path + "[" + std::to_string(i) + "]", values);
  }
  if (!node.entries().empty() || !node.items().empty()) return;
  values[path] = node.is_scalar()     ? node.text()
                 : node.is_mapping()  ? "{}"
                 : node.is_sequence() ? "[]"
                                      : "null";
}

/// Values of a recipe and of the request of its report by path.
std::map<std::string, std::string> report_values(const std::string& recipe,
                                                 const std::string& request) {
  std::map<std::string, std::string> values;
  add_values(parse_yaml_or_throw(recipe), "", values);
  const Node asked = parse_yaml_or_throw(request);
  for (const char* key : {"profile", "overrides", "rows", "seeds"}) {
    if (const Node* value = asked.find(key)) add_values(*value, std::string("--") + key, values);
  }
  return values;
}

std::vector<std::string> changes_of(const std::map<std::string, std::string>& before,
                                    const std::map<std::string, std::string>& now) {
  std::vector<std::string> changes;
  for (const auto& [path, value] : now) {
    const auto old = before.find(path);
    if (old == before.end()) {
      changes.push_back(path + ": " + value + " (new)");
    } else if (old->second != value) {
      changes.push_back(path + ": " + old->second + " -> " + value);
    }
  }
  for (const auto& [path, value] : before) {
    if (!now.contains(path)) changes.push_back(path + ": " + value + " (removed)");
  }
  return changes;
}

void remove_older(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory() || !entry.path().filename().string().starts_with(kPrevious)) continue;
    kept.emplace_back(entry.last_write_time(), entry.path());
  }
  std::sort(kept.rbegin(), kept.rend());
  for (size_t i = kMaxPrevious; i < kept.size(); ++i) fs::remove_all(kept[i].second);
}

}  // namespace

fs::path report_name(const Experiment& experiment, const ExperimentRequest& request) {
  const Recipe& recipe = experiment.recipe;
  std::string name = experiment.table + "-" + (recipe.profile.empty() ? "default" : recipe.profile);
  const auto rows = chosen_rows(recipe, request);
  const auto seeds = chosen_seeds(recipe, request);
  if (recipe.is_overridden || !rows.empty() || seeds) {
    auto data = nlohmann::ordered_json::array();
    for (const ExperimentData& set : experiment.data) {
      data.push_back(experiment.graph.at(set.nodes.source).identity);
    }
    const nlohmann::ordered_json asked = {
        {"recipe", canonical_json(recipe.tree.without("profiles")).dump()},
        {"data", data},
        {"rows", rows},
        {"seeds", optional_json(seeds)}};
    name += "-" + sha256(asked.dump()).substr(0, 8);
  }
  return fs::path(experiment.paper) / name;
}

void write_report_request(const fs::path& folder, const Experiment& experiment,
                          const ExperimentRequest& request) {
  write_file_atomic(folder / kRecipeFile, recipe_text(experiment.recipe));
  write_file_atomic(folder / kFile, request_json(experiment.recipe, request).dump(2) + "\n");
}

std::optional<ReplacedReport> keep_previous_report(const fs::path& folder,
                                                   const Experiment& experiment,
                                                   const ExperimentRequest& request) {
  std::error_code failed;
  if (!holds_report_request(folder) || !fs::is_regular_file(folder / kRecipeFile, failed)) {
    return std::nullopt;
  }
  const std::string recipe = read_file(folder / kRecipeFile), asked = read_file(folder / kFile);
  std::vector<std::string> changes;
  try {
    changes = changes_of(report_values(recipe, asked),
                         report_values(recipe_text(experiment.recipe),
                                       request_json(experiment.recipe, request).dump()));
  } catch (const ConfigError&) {
    changes = {"the recipe of the previous report is damaged"};
  }
  if (changes.empty()) return std::nullopt;
  const fs::path kept = folder / (kPrevious + sha256(recipe + asked).substr(0, 8));
  try {
    fs::remove_all(kept);
    write_folder(kept, [&](const fs::path& to) {
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_regular_file()) fs::copy_file(entry.path(), to / entry.path().filename());
      }
    });
    remove_older(folder);
  } catch (const fs::filesystem_error& error) {
    throw io_error("keep the previous report in", kept.string(), error.code().value());
  }
  return ReplacedReport{kept, std::move(changes)};
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
