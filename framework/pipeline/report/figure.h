// A rendered figure: its HTML for the page and its files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/report/text_table.h"

namespace lvtext {

/// A part that a figure does not show, and why.
struct MissingPart {
  std::string what, reason;
};

/// Rendering is deterministic: no timestamps, no paths, and no random numbers other than those
/// drawn from fixed seeds.
struct Figure {
  std::string title, note;
  std::string file;      ///< base name of the files, without extension
  std::string svg, csv;  ///< content of the files
  /// HTML shown between note and texts, and CSS for its classes.
  std::string html = {}, style = {};
  std::optional<TextTable> texts = {};  ///< shown as a table, also in the Markdown report
  std::vector<MissingPart> missing = {};
};

}  // namespace lvtext
