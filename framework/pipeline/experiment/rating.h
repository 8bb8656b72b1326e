// Human evaluation of a recipe's rows: which text is rated, and what the report shows of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/experiment/experiment.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/rating/sheet.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// What an export takes.
struct SheetRequest {
  std::optional<int64_t> each;  ///< sentences of each row; unset: as the sheet says
  int64_t seed = 1;             ///< which ones, and the items' ids
  /// The rows were named (--rows); else those that the paper's table has, or all if it has none.
  bool rows_named = false;
};

/// The text of a recipe's rows, from finished nodes. A row's first seed stands for it.
struct SheetTexts {
  SheetKey key;                                       ///< without items
  std::vector<std::vector<RatedSentence>> sentences;  ///< for each row of the key
  struct Row {
    std::string id, reason;
  };
  std::vector<Row> left_out;    ///< rows that have no such text
  std::vector<Row> unfinished;  ///< rows whose text is still to be made, with its node
};
SheetTexts sheet_texts(const ExperimentSheet& sheet, const Experiment& experiment,
                       const GraphStatus& status, const Registries& registries,
                       const SheetRequest& request);

/// The ratings of a sheet in a report's folder: sheets, key and results.
std::filesystem::path rating_folder(const std::filesystem::path& report, const std::string& sheet);

/// The table of a sheet: the ratings that `report` has, beside the paper's; none if there are
/// neither. Ratings of a text that the experiment would not rate today are not shown, and their row
/// says so. Throws DataError if imported ratings are damaged.
std::optional<SideTable> rating_side_table(const ExperimentSheet& sheet,
                                           const Experiment& experiment,
                                           const std::filesystem::path& report);
/// Those of all sheets.
std::vector<SideTable> rating_tables(const Experiment& experiment,
                                     const std::filesystem::path& report);

}  // namespace lvtext
