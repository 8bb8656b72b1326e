// A figure as it is drawn: what the page shows, and its files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/report/text_table.h"

namespace lvtext {

/// What a figure lacks.
struct MissingPart {
  std::string what, reason;
};

/// Equal figures have equal bytes: no times, no paths, no random numbers but those of their seeds.
struct Figure {
  std::string title, note;
  std::string file;      ///< name of its files, without extension
  std::string svg, csv;  ///< content of the files
  /// What the page shows between note and texts, and the style of its classes.
  std::string html = {}, style = {};
  std::optional<TextTable> texts = {};  ///< shown as a table, in the Markdown report too
  std::vector<MissingPart> missing = {};
};

}  // namespace lvtext
