// Options of figures.
#pragma once

#include <string>

#include "framework/core/options/options.h"

namespace lvtext {

/// The keys that figures of every kind have.
struct FigureOptions {
  std::string figure;
  std::string title;
  Node rows;
  std::string choose;
  Node inputs = Node::mapping({});
  Node own = Node::mapping({});  ///< options of the kind: all other keys (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("figure", figure, "kind of figure (`lvtext list figures`)", required(), not_empty());
    v.field("title", title, "title in the report; unset: the figure's id");
    v.field("rows", rows, "row ids and patterns, in order; some kinds take none");
    v.field("choose", choose,
            "select among checkpoints: each row is shown at its chosen checkpoint; unset: at the "
            "weights selected by its training");
    v.field("inputs", inputs, "inputs of the kind of figure for each row; unset: their defaults");
  }
};

}  // namespace lvtext
