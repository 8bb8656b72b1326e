// Heat map as SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/pipeline/report/svg_file.h"

namespace lvtext {

/// One cell: a number, or the reason why it is missing.
struct HeatCell {
  std::optional<double> value;
  std::string reason;
};

/// Statistic that a margin shows for a row or a column; cells without a number are ignored.
enum class Margin { kMean, kMin, kMax };

struct HeatMap {
  std::string title, description;
  std::vector<std::string> rows, columns;
  std::vector<std::vector<HeatCell>> cells;  ///< [row][column]
  std::vector<Margin> margins = {};          ///< shown right of the columns and below the rows
  int decimals = 2;                          ///< decimals of the numbers in cells and margins
};

/// The statistic over `cells`; nullopt if no cell has a number.
std::optional<double> margin_of(Margin margin, const std::vector<HeatCell>& cells);

/// Draws the map. With negative numbers, the colors range from red through white (0) to blue,
/// otherwise from white (smallest) to blue (largest). Each cell contains its number, so that the
/// map can be read without colors. Margins have no color.
SvgPart heat_map_part(const HeatMap& map);
/// CSS for its classes.
std::string heat_map_style();

}  // namespace lvtext
