// Folders of models in the Hugging Face layout that other programs have written.
#pragma once

#include <filesystem>

#include "framework/core/checkpoint/exchange.h"
#include "framework/core/model/registries.h"

namespace lvtext {

/// Whether the configuration of a folder, or beside a safetensors file, is another program's: it
/// lacks lvtext's description of the model. Throws MissingError or DataError if there is no
/// configuration.
bool is_published_folder(const std::filesystem::path& path);

/// Reads config.json, whose `model_type` is the name of the model, model.safetensors and the files
/// of the tokenizer, as a folder of `checkpoint export --published` with step 0 and seed 0; nothing
/// but their form is checked. Throws MissingError for missing files, and DataError for a model that
/// has no published weights, a configuration that it cannot have, and a tokenizer of another size.
ExchangeFolder read_published_folder(const std::filesystem::path& path,
                                     const Registries& registries);

}  // namespace lvtext
