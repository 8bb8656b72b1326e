// Options that are right one by one, and do not fit each other or what they are used for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/core/base/error.h"

namespace lvtext {

/// One such option: its key path, and what is wrong and allowed.
struct OptionMistake {
  std::string option;  ///< "decoder.tied", "train.optimizers.critic"
  std::string message;
};

/// Thrown where a model is built and where its training begins; a recipe's check shows each
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
