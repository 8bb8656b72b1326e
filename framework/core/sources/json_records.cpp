#include "framework/core/sources/json_records.h"

#include "framework/core/base/error.h"
#include "framework/core/base/json.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;

}  // namespace

JsonRecords::JsonRecords(const std::filesystem::path& path)
    : path_(path), lines_(path, {.max_bytes = kMaxBytes}) {}

std::string JsonRecords::location(int64_t record, int64_t line) const {
  return "'" + path_.string() + "', record " + format_count(record) + ", line " +
         format_count(line) + ": ";
}

bool JsonRecords::next(JsonRecord& record) {
  do {
    if (take(record)) return true;
    at_ = 0;
  } while (lines_.next(line_));
  if (depth_ > 0) {
    throw DataError(location(records_ + 1, begin_) +
                    "the record that begins here is not closed at the end of the file, line " +
                    format_count(lines_.number()) + "; the file is truncated: fetch it again");
  }
  line_.clear();
  return false;
}

bool JsonRecords::take(JsonRecord& record) {
  if (depth_ == 0) {
    at_ = line_.find_first_not_of(" \t\r", at_);
    if (at_ == std::string::npos) return false;
    if (line_[at_] != '{') {
      throw DataError(location(records_ + 1, lines_.number()) +
                      "a record must begin with {, found " + line_.substr(at_, 20));
    }
    begin_ = lines_.number();
    text_.clear();
  }
  const size_t from = at_;
  while (at_ < line_.size()) {
    const char c = line_[at_++];
    if (in_string_) {
      in_string_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      text_.append(line_, from, at_ - from);
      parse(record);
      return true;
    }
  }
  text_.append(line_, from, at_ - from);
  text_ += '\n';
  if (in_string_) {
    throw DataError(location(records_ + 1, lines_.number()) + "a string is not closed in its line");
  }
  if (text_.size() > kMaxBytes) {
    throw DataError(location(records_ + 1, begin_) + "the record is larger than " +
                    format_bytes(kMaxBytes) + "; a closing brace or quote may be missing");
  }
  return false;
}

void JsonRecords::parse(JsonRecord& record) {
  ++records_;
  try {
    record = {nlohmann::json::parse(text_), records_, begin_};
  } catch (const nlohmann::json::exception& error) {
    throw DataError(location(records_, begin_) + "not JSON: " + json_reason(error));
  }
}

}  // namespace lvtext
