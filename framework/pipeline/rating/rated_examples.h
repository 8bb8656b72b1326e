// Calibration examples: rated texts that raters see before the items of a sheet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/pipeline/rating/sheet_kind.h"

namespace lvtext {

/// Texts like those of an item, and an answer for each aspect.
struct RatedExample {
  std::vector<std::string> texts;  ///< in the order of SheetKind::columns()
  std::vector<int> answers;        ///< in the order of the aspects
};

/// Reads a CSV or TSV file with a column for each text and each aspect of the kind; other columns
/// are ignored. Throws MissingError, and DataError with file and line for a missing column or an
/// answer that an aspect does not allow.
std::vector<RatedExample> read_examples(const std::filesystem::path& file, const SheetKind& kind);

}  // namespace lvtext
