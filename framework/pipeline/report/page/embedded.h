// Files of the page, embedded as text (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace lvtext {

/// Template of the report page, for fill_template().
extern const std::string_view kReportHtml;
extern const std::string_view kReportCss;
/// Colors as custom properties, light and dark; for pages and SVG files.
extern const std::string_view kColorsCss;
/// Rules common to all pages.
extern const std::string_view kBaseCss;
/// Classes of charts (svg_plot.h), for pages and SVG files.
extern const std::string_view kChartsCss;
/// Classes of heat maps, for pages and SVG files.
extern const std::string_view kHeatMapCss;
/// Classes of point panels: for pages and SVG files, and for pages only.
extern const std::string_view kPanelsCss, kPanelsPageCss;
/// Background of an SVG file.
extern const std::string_view kSvgFileCss;

}  // namespace lvtext
