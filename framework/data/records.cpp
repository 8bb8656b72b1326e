#include "framework/data/records.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "framework/base/error.h"
#include "framework/base/strings.h"

namespace lvtext {

std::vector<std::string> Records::texts() const {
  std::vector<std::string> all;
  all.reserve(rows.size());
  for (const Record& row : rows) all.push_back(row.front());
  return all;
}

std::string to_json_lines(const Records& records) {
  std::string text;
  for (const Record& row : records.rows) {
    nlohmann::ordered_json object;
    for (size_t i = 0; i < row.size(); ++i) object[records.fields[i]] = row[i];
    text += object.dump() + "\n";
  }
  return text;
}

std::vector<Record> parse_json_lines(const std::string& text,
                                     const std::vector<std::string>& fields) {
  std::vector<Record> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Record row;
    try {
      const auto object = nlohmann::json::parse(line);
      for (const auto& field : fields) row.push_back(object.at(field).get<std::string>());
    } catch (const nlohmann::json::exception&) {
      throw DataError("line " + format_count(rows.size() + 1) + " is no record of " + join(fields));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace lvtext
