// Finished nodes as what components are given: texts and models.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/checkpoint/safetensors.h"
#include "framework/core/model/inputs.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/graph/graph.h"
#include "framework/pipeline/nodes/node_tokenizer.h"

namespace lvtext {

/// The name under which a node has a model that fills an input of the model it trains; the model's
/// tokenizer stands beside it, kTokenizerOf added.
std::string given_input(const std::string& input);

/// The models that fill the inputs of a model that is trained, by the inputs' names: what the slots
/// given_slot(name) of a node hold, of which `parts` says which part is read. Throws what
/// read_model and place_input throw.
std::map<std::string, LoadedModel> read_given_models(
    const NodeInputs& inputs, const std::map<std::string, std::string>& parts,
    const std::vector<std::string>& names, const Registries& registries);

/// The ids of a finished text, or of a column of texts that stands beside it; of a ragged one all
/// items, row by row.
Text read_ids(const std::filesystem::path& folder, std::shared_ptr<const Tokenizer> tokenizer,
              const std::string& column = "text");
/// Where the items of each row begin in a ragged column, and their number; empty for others.
std::vector<int64_t> ragged_rows(const std::filesystem::path& folder, const std::string& column);

/// The file of a node that leaves tensors.
inline constexpr const char* kTensorsFile = "tensors.safetensors";
/// The tensors of a finished node.
std::map<std::string, at::Tensor> read_tensors(const std::filesystem::path& folder);

/// The weights that a finished model kept of a step. Throws DamagedRun if they are damaged,
/// MissingError if it kept none.
TensorMap read_weights(const FinishedRun& run, int64_t step);

/// The lines of a finished text as they were before any tokenizer.
std::vector<std::string> written_lines(const std::filesystem::path& folder);

/// Builds the model that `facts` of its folder describe (model, options, streams, seed), with the
/// models that it was given and these weights; `place` is where the weights stand, for messages.
LoadedModel build_model(const nlohmann::ordered_json& metadata, const std::filesystem::path& folder,
                        const Registries& registries, const TensorMap& weights,
                        const std::filesystem::path& location, const std::string& device);

/// A finished training with its selected weights, published weights or a fitted model, and with the
/// models that it was given, as its folder records them; its tokenizer is the caller's to set.
/// `step` picks other kept weights, `device` where the model computes. Throws MissingError if it is
/// not finished or the weights are not kept, DataError if they are damaged, DeviceError if the
/// device is not there.
LoadedModel read_model(const std::filesystem::path& folder, const Registries& registries,
                       std::optional<int64_t> step = std::nullopt,
                       const std::string& device = "cpu");

}  // namespace lvtext
