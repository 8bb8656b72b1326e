// Models outside of folders of runs, in the Hugging Face layout: `lvtext checkpoint export` and
// `import`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/core/checkpoint/exchange.h"
#include "framework/core/model/model.h"
#include "framework/core/model/registries.h"

namespace lvtext {

/// Key of config.json with all that is needed to build the model: model, revision, options,
/// streams, seed, step; `tokenizer` is its type, `files` are the tokenizer's files, `inputs` the
/// models that it reads, `styles` the names of styles.
inline constexpr const char* kOwnConfig = "lvtext";

/// The weights of a trained, fitted or imported model in a folder of runs with its configuration,
/// its tokenizer and the models that it reads. `weights`: the folder of the checkpoint. Logs a
/// warning if the tokenizer no longer exists. Throws MissingError or DataError.
ExchangeFolder exported_model(const std::filesystem::path& run,
                              const std::filesystem::path& weights);

/// The same model in the form of its authors' program (Published): its names of tensors, and its
/// configuration beside lvtext's own. Throws UsageError for models without such a form.
ExchangeFolder in_published_form(ExchangeFolder contents, const Registries& registries);
/// The reverse, for the same model as load_exported() loads it; other contents are unchanged.
ExchangeFolder in_own_form(ExchangeFolder contents, const LoadedModel& model);

/// True if `path` is an exported or imported model: a folder with its configuration, or the
/// safetensors file in one.
bool is_exported_model(const std::filesystem::path& path);

/// The value of kOwnConfig in the configuration of an exported or imported model, without reading
/// its weights. Throws MissingError or DataError.
nlohmann::ordered_json exported_config(const std::filesystem::path& path);

/// The folder of an exported or imported model, for the folder or its safetensors file.
std::filesystem::path exported_model_folder(const std::filesystem::path& path);

/// The safetensors file of an exported or imported model.
std::filesystem::path exported_weights(const std::filesystem::path& path);

/// Reads the folder of an exported or imported model. Throws MissingError or DataError, also if its
/// configuration does not describe a model or its weights are not finite.
ExchangeFolder read_exported(const std::filesystem::path& path);

/// Names of the styles of an exported style transfer model (style_names()); empty if unknown.
std::vector<std::string> exported_styles(const std::filesystem::path& path);

/// Builds an exported or imported model and loads its weights and its tokenizer. `registries` must
/// contain the model. Throws the exceptions of read_exported(), and DataError for weights of
/// another model.
LoadedModel load_exported(const std::filesystem::path& path, const Registries& registries,
                          const std::string& device = "cpu");

}  // namespace lvtext
