// Sheets on which people rate text.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "framework/core/options/options.h"

namespace lvtext {

/// The keys of a sheet that are not its kind's own.
struct SheetOptions {
  std::string kind;
  std::string item;
  Node rows, show, sources;
  int64_t each = 200;
  std::map<std::string, std::map<std::string, double>> paper;
  Node inputs = Node::mapping({});
  Node own = Node::mapping({});  ///< the kind's own options: every other key (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("kind", kind, "what raters are asked (`lvtext list sheets`)", required(), not_empty());
    v.field("item", item, "the paper's table, such as Table 3");
    v.field("rows", rows,
            "rows and patterns whose text is rated; unset: those with numbers below `paper`, else "
            "all");
    v.field("show", show,
            "texts of each row by name ([prompt, outputs]), and references, that raters see of an "
            "item, the rated one last; unset: the kind's");
    v.field("sources", sources,
            "where items come from: `row` is each row's text, a split of a data set is rated "
            "beside them; unset: row");
    v.field("each", each, "items of each row and of each data set; fewer where there are fewer",
            at_least(1));
    v.field("paper", paper, "the paper's numbers: row id, aspect, value");
    v.field("inputs", inputs, "what fills the texts of the kind; unset: their defaults");
  }
};

}  // namespace lvtext
