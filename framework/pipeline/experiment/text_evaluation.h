// Evaluation of plain text files, the outputs of any system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "evaluators/evaluator.h"
#include "framework/core/model/registries.h"

namespace lvtext {

/// Output sentences of a system with sources and references, aligned line by line.
struct SystemText {
  std::vector<std::string> outputs;
  std::vector<std::string> sources;                  ///< may be empty
  std::vector<std::vector<std::string>> references;  ///< one list per file
};

/// Reads the files. Without a source file, sources are taken from outputs if every line is
/// "source TAB output". Throws DataError if the numbers of lines differ (naming both), if only some
/// lines have a TAB, or if a file has no text; MissingError if a file does not exist.
SystemText read_system_text(const std::filesystem::path& outputs,
                            const std::filesystem::path& sources,
                            const std::vector<std::filesystem::path>& references);

struct TextScores {
  struct Scored {
    std::string evaluator;
    std::string against;  ///< "references", "source", or empty without a comparison
    std::vector<Score> scores;
  };
  struct LeftOut {
    std::string evaluator;
    std::string reason;
  };
  std::vector<Scored> scored;
  std::vector<LeftOut> left_out;  ///< evaluators whose reference texts or files are missing
};

/// Scores a text with the evaluators that need only text (BLEU, ROUGE, diversity ...) and their
/// default options; `evaluators`: a selection, empty: all. The outputs fill inputs whose default is
/// a text of a row; references or sources fill those whose default is the test set or the source of
/// a text of a row. Evaluators that take one reference are excluded if there are several, and, if
/// `evaluators` is empty, those that lack a file such as WordNet. Throws UsageError for a named
/// evaluator that is not applicable, ConfigError for an unknown name.
TextScores evaluate_text(const SystemText& text, const Registries& registries,
                         const std::vector<std::string>& evaluators);

}  // namespace lvtext
