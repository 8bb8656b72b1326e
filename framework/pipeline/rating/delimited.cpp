#include "framework/pipeline/rating/delimited.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/utf8.h"
#include "framework/pipeline/report/escape.h"

namespace lvtext {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 28;

char separator_of(std::string_view header) {
  if (header.find('\t') != std::string_view::npos) return '\t';
  const auto commas = std::count(header.begin(), header.end(), ',');
  return std::count(header.begin(), header.end(), ';') > commas ? ';' : ',';
}

class Parser {
 public:
  Parser(std::string_view text, char separator, const std::string& location)
      : text_(text), separator_(separator), quotes_(separator != '\t'), location_(location) {}

  bool next(DelimitedRow& row) {
    if (at_ == text_.size()) return false;
    row = {line_, {}};
    do {
      row.fields.push_back(field());
    } while (take(separator_));
    take('\r');
    if (take('\n')) ++line_;
    return true;
  }

 private:
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool at_line_end() const { return text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n"; }
  std::string field() {
    if (quotes_ && take('"')) return quoted();
    const size_t from = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && !at_line_end()) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }
  std::string quoted() {
    const int64_t begin = line_;
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"' && !take('"')) {
        if (at_ < text_.size() && text_[at_] != separator_ && !at_line_end()) {
          throw DataError(location_ + ", line " + format_count(line_) +
                          ": text follows a closing quote; a quote within a quoted field is \"\"");
        }
        return out;
      }
      if (c == '\n') ++line_;
      out += c;
    }
    throw DataError(location_ + ", line " + format_count(begin) + ": unterminated quoted field");
  }

  std::string_view text_;
  char separator_;
  bool quotes_;
  std::string location_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

bool is_blank(const DelimitedRow& row) {
  return std::all_of(row.fields.begin(), row.fields.end(),
                     [](const std::string& field) { return trim(field).empty(); });
}

}  // namespace

std::string DelimitedRow::field(size_t column) const {
  return column < fields.size() ? unescape_formula(trim(fields[column])) : std::string();
}

std::optional<size_t> DelimitedTable::column(const std::string& name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<size_t>(found - header.begin());
}

DelimitedTable read_delimited(const std::filesystem::path& file) {
  const std::string location = "'" + file.string() + "'";
  const std::string content = read_file(file, kMaxBytes);
  std::string_view text = content;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto problem = find_invalid_utf8(text)) {
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<int64_t>(problem->at), '\n');
    throw DataError(location + ", line " + format_count(line + 1) + ": not UTF-8 text (" +
                    problem->what + "); save the file as UTF-8 CSV");
  }
  Parser parser(text, separator_of(text.substr(0, text.find('\n'))), location);
  DelimitedTable table;
  DelimitedRow row;
  while (parser.next(row)) {
    if (is_blank(row)) continue;
    if (table.header.empty()) {
      for (const auto& name : row.fields) table.header.emplace_back(trim(name));
      table.header_line = row.line;
    } else {
      table.rows.push_back(row);
    }
  }
  if (table.header.empty())
    throw DataError(location + " is empty; expected a first line with the column names");
  return table;
}

}  // namespace lvtext
