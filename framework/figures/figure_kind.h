// What all kinds of figures have in common: a panel for each row, drawn from what fills their
// inputs.
#pragma once

#include <string>
#include <vector>

#include "framework/model/component.h"
#include "framework/model/inputs.h"
#include "framework/report/figure.h"

namespace lvtext {

/// What a figure shows of one row: points, each of one of the sentences of the legend.
struct Drawing {
  std::vector<FigureSentence> legend;  ///< an id stands for the same sentence in every panel
  std::vector<FigurePoint> points;     ///< `sentence` is a place in this legend
};

/// A class that derives from it has, besides what is below, `static constexpr int kRevision`. Its
/// inputs are filled for each row that the figure names, so that what takes time is inference, and
/// runs in the graph; drawing is done with the report, each time.
class FigureKind {
 public:
  virtual ~FigureKind() = default;
  virtual std::vector<InputDecl> inputs() const = 0;
  /// Throws Error with a reason that stands in the panel's place.
  virtual Drawing draw(const Inputs& inputs) const = 0;
  /// What the figure shows, in the words of its caption.
  virtual std::string note() const = 0;
};

}  // namespace lvtext
