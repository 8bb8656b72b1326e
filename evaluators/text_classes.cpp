#include "evaluators/text_classes.h"

#include <algorithm>

#include "evaluators/metrics/ngram_stats.h"
#include "framework/core/base/error.h"

namespace lvtext {

InputDecl records_input(const std::string& outputs) {
  return {.name = "records",
          .help = "dataset of the " + outputs +
                  " with the style of each source: also one score per style",
          .type = ArtifactType::kDataset,
          .arity = InputDecl::Arity::kOptional,
          .aligned_with = outputs};
}

std::vector<int32_t> classes_of(const Dataset& dataset, const std::string& label) {
  const auto names = dataset.names();
  if (std::find(names.begin(), names.end(), label) == names.end()) return {};
  const DatasetColumn& column = dataset.column(label);
  if (column.decl().classes != 2 || column.decl().ragged) return {};
  std::vector<int32_t> classes;
  for (int64_t row = 0; row < column.size(); ++row) classes.push_back(column.tokens(row).front());
  return classes;
}

std::vector<int32_t> classes_of_records(const Inputs& inputs, const std::string& label,
                                        size_t texts) {
  if (!inputs.has("records")) return {};
  std::vector<int32_t> classes = classes_of(inputs.dataset("records"), label);
  if (!classes.empty()) check_aligned(texts, classes.size());
  return classes;
}

SentenceRows rows_of_class(const SentenceRows& rows, std::span<const int32_t> classes,
                           int32_t which) {
  SentenceRows of_class{rows.functional, rows.width};
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] != which) continue;
    const auto first = rows.values.begin() + static_cast<std::ptrdiff_t>(i * rows.width);
    of_class.values.insert(of_class.values.end(), first,
                           first + static_cast<std::ptrdiff_t>(rows.width));
  }
  return of_class;
}

}  // namespace lvtext
