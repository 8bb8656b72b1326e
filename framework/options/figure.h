// What a report shows besides its table: figures, and what lies in the latent space.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/options/options.h"

namespace lvtext {

/// What a figure draws.
enum class FigureKind { kPosteriorTsne };
const std::vector<EnumName<FigureKind>>& enum_names(FigureKind);

/// A figure of the report: a panel for each row.
struct FigureOptions {
  FigureKind figure = FigureKind::kPosteriorTsne;
  std::string title;
  std::vector<std::string> rows;
  int64_t sentences = 10;
  int64_t draws = 100;
  int64_t seed = 1;
  double perplexity = 30;
  int64_t iterations = 1000;
  double learning_rate = 200;
  double noise = 0.01;

  template <class V>
  void visit(V& v) {
    v.field("figure", figure, "what is drawn", required());
    v.field("title", title, "title in the report; unset: the figure's id");
    v.field("rows", rows, "row ids, one panel each, in order", required(), not_empty());
    v.field("sentences", sentences, "test sentences drawn by the seed, each in its own colour",
            in_range(1, 10));
    v.field("draws", draws, "draws of each sentence's posterior", in_range(1, 500));
    v.field("seed", seed, "of the sentences, the draws, the layout and the noise of the plot",
            at_least(0));
    v.field("perplexity", perplexity,
            "effective number of neighbours in t-SNE, below the number of points", at_least(1));
    v.field("iterations", iterations, "of t-SNE; the first 250 exaggerate", in_range(1, 100000));
    v.field("learning_rate", learning_rate, "of t-SNE", Bounds{0, 1e6, true, false});
    v.field("noise", noise,
            "deviation of what is added to points in the plot, so that equal ones are seen",
            in_range(0, 1), unit("of an axis' range"));
    v.check(perplexity < static_cast<double>(sentences * draws),
            "perplexity must be below the number of points, sentences times draws");
  }
};

/// Samples of the latent space, of every row whose model encodes and decodes.
struct LatentSpaceOptions {
  int64_t interpolations = 2;
  int64_t steps = 7;
  int64_t neighbours_of = 3;
  int64_t neighbours = 5;

  template <class V>
  void visit(V& v) {
    v.field("interpolations", interpolations,
            "pairs of test sentences, the first ones, between whose codes text is decoded; 0: none",
            in_range(0, 100));
    v.field("steps", steps, "codes from one sentence of a pair to the other, both included",
            in_range(2, 100));
    v.field("neighbours_of", neighbours_of,
            "test sentences, the first ones, whose nearest ones are shown; 0: none",
            in_range(0, 100));
    v.field("neighbours", neighbours, "nearest test sentences by their codes", in_range(1, 100));
  }
};

}  // namespace lvtext
