// Evaluation of plain text files, the outputs of any system.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/core/model/inputs.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/evaluate/evaluator_scores.h"

namespace lvtext {

/// Files with a line for each output of a system.
struct TextFiles {
  std::filesystem::path outputs;
  std::filesystem::path sources;  ///< empty: none
  std::vector<std::filesystem::path> references;
  std::map<std::string, std::filesystem::path> columns;  ///< labels by column name
};

/// Output sentences of a system with sources, references and labels, aligned line by line.
struct SystemText {
  std::vector<std::string> outputs;
  std::vector<std::string> sources;                    ///< may be empty
  std::vector<std::vector<std::string>> references;    ///< one list per file
  std::map<std::string, std::vector<int64_t>> labels;  ///< indices of classes by column name
};

/// Reads the files. Without a source file, sources are taken from outputs if every line is
/// "source TAB output". Throws DataError if the numbers of lines differ (naming both), if a line
/// has any other TAB, if a label is not the index of a class, or if a file has no text; UsageError
/// for the column names "text" and "source"; MissingError if a file does not exist.
SystemText read_system_text(const TextFiles& files);

/// Scores a text with the evaluators that need only text (BLEU, ROUGE, diversity ...) and the given
/// models; `evaluators`: a selection, empty: all; `options`: by evaluator, {bleu: {max_order: 4}},
/// otherwise the defaults. The outputs fill inputs whose default is a text of a row; a dataset
/// input has the columns "text", "source" if there are sources, and the labels. References or
/// sources fill inputs whose default is the test set or the source of a text of a row. `models`
/// fill inputs by name, except for the model of a row. Evaluators that take one reference are
/// excluded if there are several, and, if `evaluators` is empty, those that lack a file such as
/// WordNet. Throws UsageError for a named evaluator that is unknown or not applicable and for a
/// model that is no input of the evaluators, ConfigError for invalid options.
EvaluatorScores evaluate_text(const SystemText& text,
                              const std::map<std::string, LoadedModel>& models,
                              const Registries& registries,
                              const std::vector<std::string>& evaluators,
                              const Node& options = Node::mapping({}));

}  // namespace lvtext
