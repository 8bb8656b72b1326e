// The arguments that say which trained model a command uses and how it decodes.
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

/// RUN, --out, --checkpoint, --device and --precision.
struct RunArguments {
  std::vector<std::string> words;  ///< RUN: a name, or a recipe with overrides
  std::string out, checkpoint, device = "cpu", precision = "fp32";

  /// In which everything that the model computes is computed while the result lives.
  PrecisionScope precision_scope() const;
};
/// Adds them; RUN is not required where the command has another use.
void add_run_arguments(CLI::App& command, RunArguments& arguments, bool required = true);

/// Finds the run, loads the plug-ins that made it, and reads its model; of one that is not finished
/// the newest checkpoint, with a warning. Throws UsageError, MissingError or DataError.
TrainedRun open_run(const RunArguments& arguments, Session& session);

/// --seed, --policy and --max-length.
struct DecodingArguments {
  std::optional<int64_t> seed;
  std::string policy;
  int64_t max_length = VerbOptions{}.max_length;

  /// With the run's own seed where none was given. Throws UsageError.
  VerbOptions options(const TrainedRun& run) const;
};
/// --max-length, for every command that decodes.
void add_max_length(CLI::App& command, int64_t& max_length);
/// --seed, for every command that draws.
void add_seed(CLI::App& command, DecodingArguments& arguments);
void add_decoding_arguments(CLI::App& command, DecodingArguments& arguments);

}  // namespace lvtext
