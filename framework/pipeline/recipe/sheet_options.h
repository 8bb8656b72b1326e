// Options of rating sheets for human evaluation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "framework/core/options/options.h"

namespace lvtext {

/// The keys that sheets of every kind have.
struct SheetOptions {
  std::string kind;
  std::string item;
  Node rows, compare, show, sources;
  std::string choose;
  std::optional<int64_t> each;
  std::string examples;
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
    v.field("compare", compare,
            "for kinds that compare rows: the pairs of rows, [[m0, m2], [m0, m7]]; unset: every "
            "two of the rows");
    v.field("show", show,
            "texts of an item that raters see: texts of the row by name ([prompt, outputs]) and "
            "references, the rated one last; unset: those of the kind");
    v.field("sources", sources,
            "sources of items: `row` is the text of each row; splits of data sets are rated in "
            "addition; unset: row");
    v.field("choose", choose,
            "select among checkpoints: the texts of each row are those of its chosen checkpoint; "
            "unset: of the weights selected by its training");
    v.field("each", each,
            "maximum number of items per row, pair of rows and data set; unset: that of the kind",
            at_least(1));
    v.field("examples", examples,
            "CSV or TSV file with rated examples that raters see first: columns like those of the "
            "sheet");
    v.field("paper", paper,
            "numbers of the paper: row id, or m0_vs_m2 for compared rows, then column and value");
    v.field("inputs", inputs, "texts of the kind; unset: their defaults");
  }
};

}  // namespace lvtext
