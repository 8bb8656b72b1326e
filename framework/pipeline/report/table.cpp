#include "framework/pipeline/report/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "framework/core/base/strings.h"
#include "framework/core/statistics/correlation.h"
#include "framework/pipeline/report/escape.h"

namespace lvtext {

void Table::resize() {
  cells.resize(rows.size());
  for (std::vector<Cell>& row : cells) row.resize(columns.size());
}

const Cell& Table::cell(const std::string& row, const std::string& column) const {
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < columns.size(); ++c) {
      if (rows[r].id == row && columns[c].id == column) return cells.at(r).at(c);
    }
  }
  throw std::out_of_range("the table has no cell " + row + "." + column);
}

Cell& Table::cell(const std::string& row, const std::string& column) {
  return const_cast<Cell&>(static_cast<const Table&>(*this).cell(row, column));
}

std::optional<RankCorrelation> rank_correlation(const Table& table, size_t column) {
  if (!table.columns[column].comparable) return std::nullopt;
  std::vector<double> ours;
  std::vector<double> papers;
  for (const std::vector<Cell>& row : table.cells) {
    const Cell& cell = row[column];
    if (!cell.value || !cell.paper || !std::isfinite(*cell.value)) continue;
    ours.push_back(*cell.value);
    papers.push_back(*cell.paper);
  }
  if (ours.size() < 3) return std::nullopt;
  const std::optional<double> rho = spearman(ours, papers);
  if (!rho) return std::nullopt;
  return RankCorrelation{*rho, static_cast<int64_t>(ours.size())};
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return format_number(value);
  const int length = std::snprintf(nullptr, 0, "%.*f", decimals, value);
  std::string text(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  text.pop_back();
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

std::string column_unit(const Table& table, size_t column) {
  std::optional<std::string> unit;
  for (const std::vector<Cell>& row : table.cells) {
    if (!row[column].value) continue;
    if (unit && *unit != row[column].unit) return "";
    unit = row[column].unit;
  }
  return unit.value_or("");
}

std::string cell_text(const Table& table, size_t row, size_t column) {
  const Cell& cell = table.cells[row][column];
  if (!cell.value) return cell.text;
  const int decimals = table.columns[column].decimals;
  std::string text = fixed(*cell.value, decimals);
  if (cell.sd) text += " ± " + fixed(*cell.sd, decimals);
  if (cell.n_seeds > 1) text += " (" + std::to_string(cell.n_seeds) + ")";
  if (!cell.unit.empty() && column_unit(table, column).empty()) text += " " + cell.unit;
  return text;
}

std::string paper_text(const Cell& cell) {
  if (!cell.paper) return "";
  return cell.paper_text.empty() ? format_number(*cell.paper) : cell.paper_text;
}

std::string marked_paper_text(const Cell& cell) {
  return paper_text(cell) + (cell.paper && !cell.paper_note.empty() ? "†" : "");
}

std::vector<std::string> paper_notes(const Table& table) {
  std::vector<std::string> notes;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& note = table.cells[r][c].paper_note;
      if (note.empty()) continue;
      notes.push_back("† " + table.rows[r].label + ", " + table.columns[c].title + ": " + note);
    }
  }
  return notes;
}

std::optional<double> real_value(const Table& table, size_t column) {
  if (!table.columns[column].real_is_best) return std::nullopt;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (table.rows[r].is_real && table.cells[r][column].value) return table.cells[r][column].value;
  }
  return std::nullopt;
}

std::string distance_text(const Table& table, size_t row, size_t column) {
  const auto real = real_value(table, column);
  const Cell& cell = table.cells[row][column];
  if (!real || !cell.value || table.rows[row].is_real) return "";
  const std::string text = fixed(*cell.value - *real, table.columns[column].decimals);
  return text.front() == '-' ? text : "+" + text;
}

std::string compared_text(const Table& table, size_t row, size_t column) {
  const std::string distance = distance_text(table, row, column);
  return cell_text(table, row, column) + (distance.empty() ? "" : " (" + distance + " to real)");
}

std::string column_text(const Table& table, size_t column) {
  const Column& each = table.columns[column];
  const std::string unit = column_unit(table, column);
  std::string text = each.title + (unit.empty() ? "" : ", " + unit);
  if (each.direction == Direction::kNone || real_value(table, column)) return text;
  return text + (each.direction == Direction::kHigher ? " ↑" : " ↓");
}

std::vector<SignatureRows> column_signatures(const Table& table, size_t column) {
  std::vector<SignatureRows> found;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    for (const std::string& signature : table.cells[r][column].signatures) {
      auto same = std::find_if(found.begin(), found.end(), [&signature](const auto& entry) {
        return entry.signature == signature;
      });
      if (same == found.end()) same = found.insert(same, {signature, {}});
      same->rows.push_back(r);
    }
  }
  return found;
}

std::string row_reason(const Table& table, size_t row, bool with_note) {
  std::vector<std::string> reasons;
  if (with_note && !table.rows[row].note.empty()) reasons.push_back(table.rows[row].note);
  if (!table.rows[row].reason.empty()) reasons.push_back(table.rows[row].reason);
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;  // in column order
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& reason = table.cells[row][c].reason;
    if (reason.empty() || reason == table.rows[row].reason) continue;
    auto same = std::find_if(by_reason.begin(), by_reason.end(),
                             [&reason](const auto& entry) { return entry.first == reason; });
    if (same == by_reason.end()) same = by_reason.insert(same, {reason, {}});
    same->second.push_back(table.columns[c].id);
  }
  for (const auto& [reason, ids] : by_reason) reasons.push_back(join(ids) + ": " + reason);
  return join(reasons, "; ");
}

bool has_paper(const Table& table, size_t column) {
  for (const std::vector<Cell>& row : table.cells) {
    if (row[column].paper) return true;
  }
  return false;
}

std::string table_csv(const Table& table) {
  std::string out = "row,label";
  for (const Column& column : table.columns) {
    for (const char* suffix : {"", "_sd", "_n", "_lo", "_hi", "_paper"}) {
      out += "," + escape_csv(column.id + suffix);
    }
  }
  out += ",reason\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    out += escape_csv(table.rows[r].id) + "," + escape_csv(table.rows[r].label);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = table.cells[r][c];
      const auto field = [&](const std::optional<double>& value) {
        out += ",";
        if (value) out += fixed(*value, table.columns[c].decimals + 2);
      };
      if (cell.text.empty()) {
        field(cell.value);
      } else {
        out += "," + escape_csv(cell.text);
      }
      field(cell.sd);
      out += "," + (cell.value ? std::to_string(cell.n_seeds) : std::string());
      field(cell.lo);
      field(cell.hi);
      out += "," + paper_text(cell);
    }
    out += "," + escape_csv(row_reason(table, r)) + "\n";
  }
  return out;
}

}  // namespace lvtext
