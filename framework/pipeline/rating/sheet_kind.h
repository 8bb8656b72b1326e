// Kinds of rating sheets: questions, scales and shown texts.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lvtext {

/// A question with an integer scale.
struct Aspect {
  std::string id;        ///< column name in sheets and answers, lower_snake_case
  std::string question;  ///< shown to raters
  int lowest = 1, highest = 5;
  std::vector<std::pair<int, std::string>> anchors;  ///< meanings of some of the numbers

  /// "1 gibberish, 5 natural".
  std::string scale() const;
};

/// The questions of a sheet and the texts that raters see for an item.
struct SheetKind {
  std::string name;                ///< name of the sheet, of its folder and in the key
  std::vector<std::string> shown;  ///< columns of the sheet: the names of its inputs, in order
  std::vector<Aspect> aspects;     ///< asked in this order
  std::string sorted_by;           ///< aspect of the first table column; rows are sorted by it

  /// Throws std::out_of_range for an unknown id.
  const Aspect& aspect(const std::string& id) const;
};

}  // namespace lvtext
