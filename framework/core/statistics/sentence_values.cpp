#include "framework/core/statistics/sentence_values.h"

#include <cstddef>

namespace lvtext {

std::vector<double> sentence_values(const SentenceRows& rows) {
  std::vector<double> values;
  for (size_t at = 0; at + rows.width <= rows.values.size(); at += rows.width) {
    const auto begin = rows.values.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(rows.width);
    values.push_back(value_of({rows.functional, rows.width, {begin, end}}));
  }
  return values;
}

}  // namespace lvtext
