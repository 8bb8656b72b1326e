// What a report says of its data.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// Metadata of a finished node; null if it is not finished.
nlohmann::ordered_json metadata_of(const GraphStatus& status, const std::string& node);

/// What was read: the names of the sets, with their ids if there are several, and their tokenizers.
void add_data_metadata(const Experiment& experiment, ReportData& report);
/// Records and tokens of each split of all data, and what their preparation left out.
void add_data(const Experiment& experiment, const GraphStatus& status, ReportData& report);
/// The entropy of generated data. With a limit on words, it is not that of the grammar.
void add_entropy(const Experiment& experiment, ReportData& report);

}  // namespace lvtext
