// Pictures in lines.
#pragma once

#include <string>
#include <vector>

#include "framework/pipeline/report/png.h"
#include "framework/pipeline/report/svg_file.h"

namespace lvtext {

/// Some pictures side by side, or why there are none.
struct ImageLine {
  std::string row, column;  ///< whose pictures, and which of them
  std::vector<Picture> pictures;
  std::string reason;
};

/// The lines one below the other, with a heading where the row changes. Each picture is embedded as
/// PNG and has a description.
SvgPart image_grid_part(const std::string& title, const std::string& description,
                        const std::vector<ImageLine>& lines);
/// Columns row,column,item,height,width,sha256,reason: SHA-256 of the pixels, red, green and blue
/// row by row.
std::string image_grid_csv(const std::vector<ImageLine>& lines);

}  // namespace lvtext
