// Request for a report of a recipe: the name of its folder, and the file from which it can be
// regenerated.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/plan/experiment.h"

namespace lvtext {

/// `<paper>/<table>-<profile>`, followed by the first digits of a hash of overrides, data, rows and
/// seeds if they change the content of the report.
std::filesystem::path report_name(const Experiment& experiment, const ExperimentRequest& request);

/// Command-line arguments of a report.
struct ReportRequest {
  std::string profile;
  std::vector<std::string> overrides;
  std::vector<std::string> rows;  ///< empty: all
  std::optional<int64_t> seeds;   ///< unset: the values of the rows
};

/// Writes report.json and recipe.yaml, the recipe without its plug-ins (their paths are relative to
/// the recipe's folder).
void write_report_request(const std::filesystem::path& folder, const Experiment& experiment,
                          const ExperimentRequest& request);
/// A report of another recipe that a new one replaces.
struct ReplacedReport {
  std::filesystem::path kept;        ///< folder `previous-<hash8>` with its files
  std::vector<std::string> changes;  ///< "train.stop: 5e -> 10e"
};

/// Copies the report in `folder`, if its recipe or request differs from those of the new report, to
/// `previous-<hash8>` in the folder, and removes all but the five newest of these. None if there is
/// no other report. Throws io_error.
std::optional<ReplacedReport> keep_previous_report(const std::filesystem::path& folder,
                                                   const Experiment& experiment,
                                                   const ExperimentRequest& request);

/// True for a folder written by write_report_request().
bool holds_report_request(const std::filesystem::path& folder);
/// Throws DataError if the file is damaged.
ReportRequest read_report_request(const std::filesystem::path& folder);

}  // namespace lvtext
