#include "framework/core/text/text_rows.h"

#include "framework/core/base/strings.h"

namespace lvtext {

std::vector<std::span<const std::string>> row_items(const Text& text,
                                                    std::span<const int64_t> rows) {
  const std::span<const std::string> lines = text.lines();
  std::vector<std::span<const std::string>> items;
  if (rows.empty()) {
    for (size_t i = 0; i < lines.size(); ++i) items.push_back(lines.subspan(i, 1));
    return items;
  }
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    items.push_back(
        lines.subspan(static_cast<size_t>(rows[i]), static_cast<size_t>(rows[i + 1] - rows[i])));
  }
  return items;
}

std::vector<std::string> row_texts(const Text& text, std::span<const int64_t> rows) {
  std::vector<std::string> texts;
  for (const auto& items : row_items(text, rows)) {
    texts.push_back(join(std::vector<std::string>(items.begin(), items.end()), "\n"));
  }
  return texts;
}

}  // namespace lvtext
