#include "framework/pipeline/report/svg_file.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/page/embedded.h"
#include "framework/pipeline/report/table.h"

namespace lvtext {
namespace {

constexpr double kPartGap = 16;       // around and between parts
constexpr double kTitleHeight = 26;   // height of the title
constexpr double kLineHeight = 18;    // line height
constexpr double kLetterWidth = 6.6;  // mean width of a character
constexpr size_t kReason = 90;        // maximum characters in a line of reasons
constexpr size_t kMaxWidth = 60;      // maximum characters in a column of texts

std::string style_of_file(const std::string& more) {
  std::string style(kColorsCss);
  return style.append(kChartsCss).append(kSvgFileCss) + more;
}

/// The part at position (x, y) of the file.
std::string located(const SvgPart& part, double x, double y) {
  const std::string open = "<svg ";
  LVT_ASSERT(part.svg.starts_with(open), "a part of a drawing must be an <svg> element");
  return open + "x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
         svg_number(part.width) + "\" height=\"" + svg_number(part.height) + "\" " +
         part.svg.substr(open.size());
}

}  // namespace

std::string svg_number(double value) {
  return fixed(value, 1);
}

std::string svg_text(double x, double y, const std::string& text, const std::string& style,
                     const std::string& more) {
  return "<text" + (style.empty() ? "" : " class=\"" + style + "\"") + " x=\"" + svg_number(x) +
         "\" y=\"" + svg_number(y) + "\"" + more + ">" + escape_html(text) + "</text>\n";
}

std::string svg_anchored(double x, double y, const std::string& text, const std::string& anchor,
                         const std::string& more) {
  return svg_text(x, y, text, "", " text-anchor=\"" + anchor + "\"" + more);
}

std::string svg_line(const std::string& style, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + style + "\" x1=\"" + svg_number(x1) + "\" y1=\"" + svg_number(y1) +
         "\" x2=\"" + svg_number(x2) + "\" y2=\"" + svg_number(y2) + "\"/>\n";
}

std::string svg_open(double width, double height, const std::string& title,
                     const std::string& description) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" +
         escape_html(title) + "\" viewBox=\"0 0 " + svg_number(width) + " " + svg_number(height) +
         "\">\n<title>" + escape_html(title) + "</title>\n<desc>" + escape_html(description) +
         "</desc>\n";
}

std::string svg_in_page(const SvgPart& part) {
  return "<div style=\"max-width:" + svg_number(part.width) + "px\">\n" + part.svg + "</div>\n";
}

std::string svg_file(const std::string& title, const std::string& description,
                     const std::vector<SvgPart>& parts, size_t columns,
                     const std::vector<MissingPart>& missing, const std::string& style) {
  columns = std::max<size_t>(1, std::min(columns, parts.size()));
  double width = 0, y = kPartGap + kTitleHeight;
  std::string body = svg_text(kPartGap, kPartGap + 12, title, "title");
  for (size_t first = 0; first < parts.size(); first += columns) {
    double x = kPartGap, height = 0;
    for (size_t i = first; i < std::min(parts.size(), first + columns); ++i) {
      body += located(parts[i], x, y);
      x += parts[i].width + kPartGap;
      height = std::max(height, parts[i].height);
    }
    width = std::max(width, x);
    y += height + kPartGap;
  }
  for (const MissingPart& part : missing) {
    for (const auto& line : wrapped(part.what + ": " + part.reason, kReason)) {
      y += kLineHeight;
      body += svg_text(kPartGap, y - 4, line);
      width = std::max(width, 2 * kPartGap + kLetterWidth * static_cast<double>(line.size()));
    }
  }
  const double height = y + (missing.empty() ? 0 : kPartGap);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + svg_number(width) +
         "\" height=\"" + svg_number(height) + "\" viewBox=\"0 0 " + svg_number(width) + " " +
         svg_number(height) + "\">\n<title>" + escape_html(title) + "</title>\n<desc>" +
         escape_html(description) + "</desc>\n<style>\n" + style_of_file(style) + "</style>\n" +
         body + "</svg>\n";
}

std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    lines.emplace_back();
    for (const std::string& word : split(line, ' ')) {
      if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
        lines.emplace_back();
      lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
  }
  return lines;
}

SvgPart text_part(const TextTable& table) {
  std::vector<std::vector<std::string>> rows = {table.columns};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  std::vector<double> left = {0};
  for (size_t c = 0; c < table.columns.size(); ++c) {
    size_t widest = 0;
    for (const auto& row : rows) {
      for (const auto& line : wrapped(row[c], kMaxWidth)) widest = std::max(widest, line.size());
    }
    left.push_back(left.back() + kLetterWidth * static_cast<double>(widest) + kPartGap);
  }
  std::string body;
  double y = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    size_t lines = 1;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const auto texts = wrapped(rows[r][c], kMaxWidth);
      lines = std::max(lines, texts.size());
      for (size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].empty()) continue;
        body += svg_text(left[c], y + kLineHeight * static_cast<double>(i) + 13, texts[i],
                         r == 0 ? "title" : "");
      }
    }
    y += kLineHeight * static_cast<double>(lines);
    body += "<line class=\"grid\" x1=\"0\" y1=\"" + svg_number(y) + "\" x2=\"" +
            svg_number(left.back()) + "\" y2=\"" + svg_number(y) + "\"/>\n";
  }
  return {svg_open(left.back(), y + 1, table.title, table.note) + body + "</svg>\n", left.back(),
          y + 1};
}

}  // namespace lvtext
