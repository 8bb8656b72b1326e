// Renders the tables of the report page.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/report/report.h"

namespace lvtext {

/// A description list of names and values.
std::string html_metadata(const std::vector<MetadataEntry>& metadata);

/// Renders the tables of one page. A repeated table is replaced by a link to the first one;
/// likewise for column definitions.
class HtmlTables {
 public:
  /// A table of scores with intervals in its cells, followed by the notes, the definitions of the
  /// columns and the reasons of empty cells. `is_transposed`: columns are shown as rows.
  std::string scores(const std::string& title, const Table& table,
                     const std::vector<std::string>& notes = {}, bool is_transposed = false);
  /// A table of texts, side by side if `table.side_by_side` is set. On narrow pages each row is
  /// shown as a block.
  std::string texts(const TextTable& table);
  /// A table of claims and verdicts.
  std::string checks(const std::string& title, const std::vector<CheckResult>& results);

 private:
  std::string add_table(const std::string& title, const std::string& style,
                        const std::string& body);
  /// The content in an element with a unique id; for repeated content, a note with a link to the
  /// first occurrence.
  std::string once(const std::string& title, const std::string& what, const std::string& open,
                   const std::string& content);

  /// Content -> id and title of its element.
  std::map<std::string, std::pair<std::string, std::string>> shown_;
};

}  // namespace lvtext
