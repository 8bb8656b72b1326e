// Which report of a recipe is asked for: its folder, and a note in it from which it is made again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/experiment/experiment.h"

namespace lvtext {

/// `<paper>/<table>-<profile>`. Overrides, other data, rows and seeds that show something else make
/// another report: the first digits of a hash of them follow.
std::filesystem::path report_name(const Experiment& experiment, const ExperimentRequest& request);

/// What the command line asked of a recipe.
struct ReportRequest {
  std::string profile;
  std::vector<std::string> overrides;
  std::vector<std::string> rows;  ///< empty: all
  std::optional<int64_t> seeds;   ///< unset: what the rows say
};

/// Writes report.json, and the recipe as recipe.yaml without its plug-ins, whose files are relative
/// to where it was.
void write_report_request(const std::filesystem::path& folder, const Experiment& experiment,
                          const ExperimentRequest& request);
/// True for a folder that write_report_request() wrote.
bool holds_report_request(const std::filesystem::path& folder);
/// Throws DataError if the file is damaged.
ReportRequest read_report_request(const std::filesystem::path& folder);

}  // namespace lvtext
