// Options of a report's figures and latent space samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// Samples of the latent space for every row whose model encodes and decodes.
struct LatentSpaceOptions {
  int64_t interpolations = 2;
  int64_t steps = 7;
  int64_t neighbors_of = 3;
  int64_t neighbors = 5;

  template <class V>
  void visit(V& v) {
    v.field("interpolations", interpolations,
            "number of pairs of test sentences to interpolate between; 0: none", in_range(0, 100));
    v.field("steps", steps, "latent vectors per interpolation, both ends included",
            in_range(2, 100));
    v.field("neighbors_of", neighbors_of,
            "number of test sentences, from the first, whose nearest neighbors are shown; 0: none",
            in_range(0, 100));
    v.field("neighbors", neighbors, "number of nearest test sentences in latent space",
            in_range(1, 100));
  }
};

}  // namespace lvtext
