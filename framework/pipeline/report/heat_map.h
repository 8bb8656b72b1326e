// Numbers over two axes as colored cells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/report/svg_file.h"

namespace lvtext {

/// One cell: a number, or why there is none.
struct HeatCell {
  std::optional<double> value;
  std::string reason;
};

/// What a margin shows of the cells of a row or a column that have a number.
enum class Margin { kMean, kMin, kMax };

struct HeatMap {
  std::string title, description;
  std::vector<std::string> rows, columns;
  std::vector<std::vector<HeatCell>> cells;  ///< [row][column]
  std::vector<Margin> margins;               ///< beside the columns and below the rows
};

/// The number of a margin; none where no cell has one.
std::optional<double> margin_of(Margin margin, const std::vector<HeatCell>& cells);

/// The map as a drawing. Colors run from red over white to blue around 0 where there are negative
/// numbers, else from white to blue, between the smallest and the largest; each cell's number
/// stands in it, so that no color is needed to read it. Margins have no color.
SvgPart heat_map_part(const HeatMap& map);
/// The style of its classes.
std::string heat_map_style();

}  // namespace lvtext
