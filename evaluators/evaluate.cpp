#include "evaluators/evaluate.h"

#include <string>

#include "evaluators/evaluator.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"

namespace lvtext {
namespace {

/// Column of a dataset with the texts that its rows are about.
constexpr const char* kText = "text";

void note_empty(const std::string& input, int64_t empty, int64_t size,
                std::vector<std::string>& notes) {
  if (empty == 0) return;
  const double share = 100 * static_cast<double>(empty) / static_cast<double>(size);
  add_notes({format_count(empty) + " of " + format_count(size) + " `" + input + "` are empty (" +
             significant(share, 3) + " %)"},
            notes);
}

/// Sentences without text or, if the text has token ids, without tokens.
int64_t empty_sentences(const Text& text) {
  const auto lines = text.lines();
  const auto ids = text.ids();
  int64_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    count += is_blank(lines[i]) || (text.has_ids() && ids[i].empty()) ? 1 : 0;
  }
  return count;
}

int64_t empty_sentences(const DatasetColumn& column) {
  int64_t count = 0;
  for (int64_t row = 0; row < column.size(); ++row) count += column.length(row) == 0 ? 1 : 0;
  return count;
}

std::vector<std::string> notes_on(const InputDecl& input, const Inputs& inputs) {
  std::vector<std::string> notes;
  if (!inputs.has(input.name)) return notes;
  if (input.type == ArtifactType::kText) {
    for (const Text& text : inputs.texts(input.name)) {
      note_empty(input.name, empty_sentences(text), static_cast<int64_t>(text.size()), notes);
    }
  } else if (input.type == ArtifactType::kDataset) {
    for (const Dataset& dataset : inputs.datasets(input.name)) {
      for (const DatasetColumn& column : dataset.columns()) {
        const ColumnDecl& decl = column.decl();
        if (decl.name != kText || decl.kind != ColumnKind::kText || decl.ragged) continue;
        note_empty(input.name, empty_sentences(column), column.size(), notes);
      }
    }
  } else if (input.type == ArtifactType::kScores) {
    for (const std::vector<Score>& of_metric : inputs.scores(input.name).scores) {
      if (of_metric.size() == 1) add_notes(of_metric.front().notes, notes);
    }
  }
  return notes;
}

}  // namespace

std::vector<Score> evaluate(const Configured& evaluator, const Inputs& inputs) {
  std::vector<Score> scores = evaluator.evaluator->evaluate(inputs);
  std::vector<std::string> notes;
  for (const InputDecl& input : evaluator.inputs) add_notes(notes_on(input, inputs), notes);
  for (Score& score : scores) add_notes(notes, score.notes);
  return scores;
}

}  // namespace lvtext
