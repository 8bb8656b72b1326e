// The page's files as text (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace lvtext {

/// The skeleton of the report page, a template for fill_template().
extern const std::string_view kReportHtml;
extern const std::string_view kReportCss;
/// Colors as custom properties, light and dark; for pages and SVG files.
extern const std::string_view kColorsCss;
/// What all pages share.
extern const std::string_view kBaseCss;
/// Classes of charts (svg_plot.h), on pages and in SVG files.
extern const std::string_view kChartsCss;
/// Classes of heat maps, likewise.
extern const std::string_view kHeatMapCss;
/// Classes of point panels, likewise, and what of them only the page has.
extern const std::string_view kPanelsCss, kPanelsPageCss;
/// The ground of an SVG file.
extern const std::string_view kSvgFileCss;

}  // namespace lvtext
