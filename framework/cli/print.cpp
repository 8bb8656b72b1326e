#include "framework/cli/print.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"
#include "framework/core/base/json.h"
#include "framework/core/base/printable.h"

namespace lvtext {
namespace {

void write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
}

}  // namespace

size_t printed_width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return !is_utf8_continuation(static_cast<unsigned char>(c));
  }));
}

void print_text(const std::string& text) {
  write(printable(text));
}

void print_data(const std::string& text) {
  static const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  write(terminal ? printable(text) : text);
}

void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& texts) {
  std::vector<std::vector<std::string>> rows = texts;
  for (auto& row : rows) {
    for (auto& cell : row) cell = printable_line(cell);
  }
  std::vector<size_t> widths;
  for (const auto& cell : header) widths.push_back(printed_width(cell));
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], printed_width(row[i]));
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - printed_width(row[i]) + 2, ' ');
    }
    print_text(line.substr(0, line.find_last_not_of(' ') + 1));
  };
  print_row(header);
  for (const auto& row : rows) print_row(row);
}

void print_json(const nlohmann::ordered_json& json) {
  print_text(json_text(json, 2));
}

void finish_printing() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw io_error("write", "standard output", errno);
  }
}

}  // namespace lvtext
