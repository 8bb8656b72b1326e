// Loads an unfinished training from its checkpoints, while another process may continue it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "framework/pipeline/store/loaded_inputs.h"

namespace lvtext {

/// File of a training that describes its model; written at the start.
inline constexpr const char* kModelDescription = "model.json";

/// Writes the file; `description` has model, options, streams and seed.
void write_model_file(const std::filesystem::path& training,
                      const nlohmann::ordered_json& description);

/// Reads the file. Throws MissingError if the training has not written a checkpoint yet.
nlohmann::ordered_json read_model_file(const std::filesystem::path& training);

struct UnfinishedRun {
  std::string identity;
  int64_t seed = 0;
  LoadedModel model;  ///< without its tokenizer, which the caller sets
};

/// Loads the verified weights of a checkpoint ("" and "last": the newest one; "step:N") onto
/// `device`; the EMA of the parameters if the training has one (train.ema). The training may
/// replace checkpoints concurrently: if one disappears, the newest complete one is searched again.
/// Throws UsageError for other values of `checkpoint`, MissingError if there is none, DataError if
/// none is complete.
UnfinishedRun read_unfinished_run(const std::filesystem::path& training,
                                  const Registries& registries, const std::string& checkpoint,
                                  const std::string& device);

}  // namespace lvtext
