// Human evaluation of a recipe's rows: selection of the rated texts, and the tables of the report.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/plan/experiment.h"
#include "framework/pipeline/rating/sheet.h"
#include "framework/pipeline/report/report.h"

namespace lvtext {

/// Parameters of an export.
struct SheetRequest {
  /// Sentences per row, or per pair of compared rows; unset: the value of the sheet.
  std::optional<int64_t> each;
  int64_t seed = 1;  ///< determines the sentences and the items' ids
  /// Rows were selected by --rows; otherwise those with numbers in the paper's table are used, or
  /// all rows if it has none.
  bool rows_named = false;
};

/// Texts of a recipe's rows, from finished nodes. The first seed of each row is used.
struct SheetTexts {
  SheetKey key;                                       ///< without items
  std::vector<std::vector<RatedSentence>> sentences;  ///< for each group of the key
  std::map<std::string, Picture> pictures;            ///< by file name, of all rows
  struct Row {
    std::string id, reason;
  };
  std::vector<Row> left_out;    ///< groups without such a text
  std::vector<Row> unfinished;  ///< rows whose text is not finished; the reason names its node
};
/// Throws DataError if the texts of an item are not aligned.
SheetTexts sheet_texts(const ExperimentSheet& sheet, const Experiment& experiment,
                       const GraphStatus& status, const Registries& registries,
                       const SheetRequest& request);

/// Number of sentences per row, or per pair of compared rows.
int64_t sentences_each(const ExperimentSheet& sheet, const SheetRequest& request);

/// Folder of a sheet's ratings in a report's folder: sheets, key and results.
std::filesystem::path rating_folder(const std::filesystem::path& report, const std::string& sheet);

/// The tables of a sheet: the ratings in `report` next to the paper's, and the differences between
/// the rows if there are ratings of several; none if ratings and paper's numbers are missing.
/// Ratings of a text that differs from the experiment's current text are replaced by the reason.
/// Throws DataError if imported ratings are damaged.
std::vector<SideTable> sheet_tables(const ExperimentSheet& sheet, const Experiment& experiment,
                                    const std::filesystem::path& report);
/// The tables of all sheets.
std::vector<SideTable> rating_tables(const Experiment& experiment,
                                     const std::filesystem::path& report);

}  // namespace lvtext
