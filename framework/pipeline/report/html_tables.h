// Tables of the report page.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/report/report.h"

namespace lvtext {

/// "<name>text</name>" with the text escaped.
std::string html_element(const std::string& name, const std::string& text);
/// A list of names and values.
std::string html_metadata(const std::vector<Fact>& metadata);

/// Makes the tables of one page. A table that equals one that was made before becomes a link to it,
/// and so do equal definitions of columns.
class HtmlTables {
 public:
  /// A table of scores with intervals in its cells; below it the notes, what each column means and
  /// why cells are empty. `is_transposed`: the columns of the table are the lines of the page.
  std::string scores(const std::string& title, const Table& table,
                     const std::vector<std::string>& notes = {}, bool is_transposed = false);
  /// A table of texts; side by side where it says so. Narrow pages show lines as blocks.
  std::string texts(const TextTable& table);
  /// Claims and their verdicts.
  std::string checks(const std::string& title, const std::vector<CheckResult>& results);

 private:
  std::string add_table(const std::string& title, const std::string& style,
                        const std::string& body);
  /// The content with an id of its own, or a note with a link to what has the same content.
  /// `{{id}}` in `open` is replaced.
  std::string once(const std::string& title, const std::string& what, const std::string& open,
                   const std::string& content);

  /// Content -> id and title of what has it.
  std::map<std::string, std::pair<std::string, std::string>> shown_;
};

}  // namespace lvtext
