// Options of rating sheets for human evaluation.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "framework/core/options/options.h"

namespace lvtext {

/// The keys that sheets of every kind have.
struct SheetOptions {
  std::string kind;
  std::string item;
  Node rows, show, sources;
  int64_t each = 200;
  std::map<std::string, std::map<std::string, double>> paper;
  Node inputs = Node::mapping({});
  Node own = Node::mapping({});  ///< options of the kind: all other keys (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("kind", kind, "kind of sheet: the questions (`lvtext list sheets`)", required(),
            not_empty());
    v.field("item", item, "table of the paper, such as Table 3");
    v.field("rows", rows,
            "rows and patterns whose text is rated; unset: those with numbers in `paper`, or all");
    v.field("show", show,
            "texts of an item that raters see: texts of the row by name ([prompt, outputs]) and "
            "references, the rated one last; unset: those of the kind");
    v.field("sources", sources,
            "sources of items: `row` is the text of each row; splits of data sets are rated in "
            "addition; unset: row");
    v.field("each", each, "maximum number of items per row and data set", at_least(1));
    v.field("paper", paper, "numbers of the paper: row id, aspect, value");
    v.field("inputs", inputs, "texts of the kind; unset: their defaults");
  }
};

}  // namespace lvtext
