// Command-line arguments that select a trained model and its decoding options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/cli/model_verbs.h"
#include "framework/core/decoding/precision.h"

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// RUN, --checkpoint, --device and --precision.
struct RunArguments {
  std::vector<std::string> words;  ///< RUN: a name, or a recipe with overrides
  std::string checkpoint, device = "cpu", precision = "fp32";

  /// Applies --precision to all computations of the model during the lifetime of the result.
  PrecisionScope precision_scope() const;
};
/// Adds these arguments and --out; `required` refers to RUN.
void add_run_arguments(CLI::App& command, RunArguments& arguments, Session& session,
                       bool required = true);

/// Finds the runs, loads their plug-ins and reads their models; for unfinished runs reads the
/// newest checkpoint and logs a warning. Throws UsageError, MissingError or DataError.
std::vector<TrainedRun> open_runs(const RunArguments& arguments, Session& session);
/// Likewise for commands that take one run; throws UsageError for several.
TrainedRun open_run(const RunArguments& arguments, Session& session);

/// Logs which run answers: its name, data, model and step.
void log_run(const TrainedRun& run);

/// --seed, --policy and --max-length.
struct DecodingArguments {
  std::optional<int64_t> seed;
  std::string policy;
  int64_t max_length = VerbOptions{}.max_length;

  /// Converts the arguments to options; the default seed is the run's. Throws UsageError.
  VerbOptions options(const TrainedRun& run) const;
};
/// --max-length, for every command that decodes.
void add_max_length(CLI::App& command, int64_t& max_length);
/// --seed, for every command that samples.
void add_seed(CLI::App& command, DecodingArguments& arguments);
void add_decoding_arguments(CLI::App& command, DecodingArguments& arguments);

}  // namespace lvtext
