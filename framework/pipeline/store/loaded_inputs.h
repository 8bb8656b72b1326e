// Loads texts, tensors and models of finished nodes as inputs of components.
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
#include "framework/pipeline/store/node_parts.h"
#include "framework/pipeline/store/node_tokenizer.h"

namespace lvtext {

/// Key of a node's input with a model that fills an input of the trained model; the key of the
/// model's tokenizer has the suffix kTokenizerOf.
std::string given_input(const std::string& input);

/// The models that fill the inputs of a trained model, by input: the node's inputs
/// given_input(name) with the parts in `parts`. Throws the exceptions of read_model() and
/// locate_input().
std::map<std::string, LoadedModel> read_given_models(
    const NodeInputs& inputs, const std::map<std::string, std::string>& parts,
    const std::vector<std::string>& names, const Registries& registries);

/// Metadata key of a node: the columns of texts whose lines are in the files `<column>.txt`, as
/// opposed to being decoded from the token ids.
inline constexpr const char* kLinesOf = "lines_of";
/// File with the lines of a column of texts.
std::string lines_file(const std::string& column);

/// A column of texts of a finished node, all items of a ragged column row by row. Its lines are
/// those that the node wrote or, for a split, the texts of its records in `records` (the node with
/// the suffix kRecordsOf; empty: none); all others are decoded.
Text read_column(const std::filesystem::path& folder, std::shared_ptr<const Tokenizer> tokenizer,
                 const std::string& column = "text", const std::filesystem::path& records = {});
/// The node with the records of a finished split; empty for other nodes.
std::filesystem::path records_of(const std::filesystem::path& folder);
/// Index of each row's first item in a ragged column, and the number of items; empty for other
/// columns.
std::vector<int64_t> ragged_rows(const std::filesystem::path& folder, const std::string& column);

/// File of a node's tensors.
inline constexpr const char* kTensorsFile = "tensors.safetensors";
/// Reads the tensors of a finished node.
std::map<std::string, at::Tensor> read_tensors(const std::filesystem::path& folder);

/// The kept weights of a finished model at a step. Throws DamagedRun if they are damaged,
/// MissingError if they were not kept.
TensorMap read_weights(const FinishedRun& run, int64_t step);

/// The models that a model of a folder of runs reads, by input, from the nodes recorded there.
std::map<std::string, LocatedInput> recorded_models(const std::filesystem::path& folder);

/// Builds the model described by `metadata` (model, options, streams, seed), with the models that
/// it reads and `weights`. `location`: source of the weights, for messages.
LoadedModel build_model(const nlohmann::ordered_json& metadata,
                        std::map<std::string, LoadedModel> models, const Registries& registries,
                        const TensorMap& weights, const std::filesystem::path& location,
                        const std::string& device);
/// As above, with the recorded models of the model's folder.
LoadedModel build_model(const nlohmann::ordered_json& metadata, const std::filesystem::path& folder,
                        const Registries& registries, const TensorMap& weights,
                        const std::filesystem::path& location, const std::string& device);

/// Key of a description of a model whose tensors have the names of the authors' program.
inline constexpr const char* kPublishedNames = "published_names";

/// Loads a finished training with its selected weights, published weights or a fitted model, with
/// the models of its inputs, but without its tokenizer, which the caller sets. `step` selects other
/// kept weights. Throws MissingError if it is not finished or the weights were not kept, DataError
/// if they are damaged, DeviceError if the device does not exist.
LoadedModel read_model(const std::filesystem::path& folder, const Registries& registries,
                       std::optional<int64_t> step = std::nullopt,
                       const std::string& device = "cpu");

}  // namespace lvtext
