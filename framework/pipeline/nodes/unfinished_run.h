// A training that is not finished, read from its checkpoints while another process may go on with
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/pipeline/nodes/loaded_inputs.h"

namespace lvtext {

/// The file of a training that describes its model, there from the beginning.
inline constexpr const char* kModelDescription = "model.json";

/// Writes it: `description` holds model, options, streams and seed.
void write_model_file(const std::filesystem::path& training,
                      const nlohmann::ordered_json& description);

struct UnfinishedRun {
  std::string identity;
  int64_t seed = 0;
  LoadedModel model;  ///< its tokenizer is the caller's to set
};

/// Reads the weights of a checkpoint ("" and "last": the newest one; "step:N") onto `device`, the
/// mean of the parameters (train.ema) where the training keeps one. Every byte is verified. The
/// training may replace checkpoints meanwhile: what has gone is looked for once more, and then the
/// newest whole one counts. Throws UsageError for another checkpoint, MissingError if there is
/// none, DataError if none is whole.
UnfinishedRun read_unfinished_run(const std::filesystem::path& training,
                                  const Registries& registries, const std::string& checkpoint,
                                  const std::string& device);

}  // namespace lvtext
