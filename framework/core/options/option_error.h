// Errors of options that are valid individually but not in combination.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/core/base/error.h"

namespace lvtext {

/// An option with an error: its key path, and a message with the allowed values.
struct OptionMistake {
  std::string option;  ///< "decoder.tied", "train.optimizers.critic"
  std::string message;
};

/// Thrown when a model is built and when its training starts; the check of a recipe reports each
/// mistake at its line.
struct OptionError : ConfigError {
  explicit OptionError(std::vector<OptionMistake> all)
      : ConfigError(text_of(all)), mistakes(std::move(all)) {}

  std::vector<OptionMistake> mistakes;

 private:
  static std::string text_of(const std::vector<OptionMistake>& all) {
    std::string text;
    for (const auto& each : all) {
      text += (text.empty() ? "" : "\n") + each.option + ": " + each.message;
    }
    return text;
  }
};

}  // namespace lvtext
