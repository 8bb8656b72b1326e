// Grid of raster images as SVG.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/report/png.h"
#include "framework/pipeline/report/svg_file.h"

namespace lvtext {

/// Images side by side, or the reason why there are none.
struct ImageLine {
  std::string row, column;  ///< model of the images, and label of the line
  std::vector<Picture> pictures;
  std::string reason;
  std::vector<std::string> captions = {};  ///< below the pictures; empty: none
};

/// Draws the lines below each other, with a heading for each new `row`. All images are shown at the
/// height 64 `scale` pixels, whatever their own. Images are embedded as PNG and have a title.
SvgPart image_grid_part(const std::string& title, const std::string& description,
                        const std::vector<ImageLine>& lines, double scale = 1);
/// CSV with the columns row,column,item,height,width,sha256,reason and, if a line has captions,
/// caption. The SHA-256 is that of the RGB bytes, row by row.
std::string image_grid_csv(const std::vector<ImageLine>& lines);

}  // namespace lvtext
