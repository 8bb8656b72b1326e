// What people can be asked about generated text: the kinds of rating sheets, by name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/base/registry.h"

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

/// Which text of a model is rated.
enum class RatedText { kSamples, kReconstructions };

/// One kind of sheet.
struct SheetKind {
  std::string name;
  std::string description;
  std::string source;  ///< the paper whose protocol it is
  RatedText text = RatedText::kSamples;
  std::vector<std::string>
      shown;                    ///< the texts of an item as raters see them: columns of the sheet
  std::vector<Aspect> aspects;  ///< asked in this order
  std::string sorted_by;        ///< the aspect that comes first in tables and orders their rows

  /// Throws std::out_of_range if there is none.
  const Aspect& aspect(const std::string& id) const;
};

/// All kinds. A new one is an entry of sheet_kind.cpp.
const Registry<SheetKind>& sheet_kinds();

}  // namespace lvtext
