// Scores of plain text files: outputs of any system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/model/registries.h"

namespace lvtext {

/// Sentences of a system with what they are compared with, aligned line by line.
struct SystemText {
  std::vector<std::string> outputs;
  std::vector<std::string> sources;                  ///< empty: none were given
  std::vector<std::vector<std::string>> references;  ///< one list for each file
};

/// Reads them. Without a source file, outputs of which every line is "source TAB output" bring
/// their own. Throws DataError if the numbers of lines differ (naming both), if only some lines
/// have a TAB, or if a file has no text; MissingError if a file is not there.
SystemText read_system_text(const std::filesystem::path& outputs,
                            const std::filesystem::path& sources,
                            const std::vector<std::filesystem::path>& references);

struct TextScores {
  struct Scored {
    std::string evaluator;
    std::string against;  ///< "references", "source", or empty where nothing is compared
    std::vector<Score> scores;
  };
  struct LeftOut {
    std::string evaluator;
    std::string reason;
  };
  std::vector<Scored> scored;
  std::vector<LeftOut> left_out;  ///< of those that compare text, what could not be compared
};

/// Scores with each evaluator that needs text alone (BLEU, ROUGE, diversity ...), with its default
/// options; `evaluators` names some, empty: all. The outputs fill the inputs that are a row's texts
/// by default, references or sources those that are the test set. Evaluators that take one
/// reference are left out where several are given. Throws UsageError if one was asked for that
/// cannot be served, ConfigError for an unknown name.
TextScores evaluate_text(const SystemText& text, const Registries& registries,
                         const std::vector<std::string>& evaluators);

}  // namespace lvtext
