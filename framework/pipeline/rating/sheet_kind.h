// What people can be asked about text: the kinds of rating sheets, by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lvtext {

/// A question that is answered with a whole number.
struct Aspect {
  std::string id;        ///< its column in sheets and answers, lower_snake
  std::string question;  ///< as raters read it
  int lowest = 1, highest = 5;
  std::vector<std::pair<int, std::string>> anchors;  ///< what some of the numbers mean

  /// "1 gibberish, 5 natural".
  std::string scale() const;
};

/// What a sheet asks, and what raters see of an item.
struct SheetKind {
  std::string name;                ///< of the sheet: its folder, and what the key calls it
  std::vector<std::string> shown;  ///< columns of the sheet: the names of its inputs, in order
  std::vector<Aspect> aspects;     ///< asked in this order
  std::string sorted_by;           ///< the aspect that comes first in tables and orders their rows

  /// Throws std::out_of_range if there is none.
  const Aspect& aspect(const std::string& id) const;
};

}  // namespace lvtext
