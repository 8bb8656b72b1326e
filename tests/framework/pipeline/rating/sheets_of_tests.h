// Sheets, keys and answers that the tests of ratings make up.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "framework/core/base/files.h"
#include "framework/core/model/registries.h"
#include "framework/pipeline/rating/answers.h"
#include "framework/pipeline/rating/kinds/register.h"
#include "framework/pipeline/rating/rating_summary.h"
#include "framework/pipeline/rating/sheet.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

namespace lvtext {

inline SheetKind kind_named(const std::string& name) {
  static const Registries all = [] {
    Registries each;
    register_all_sheets(each);
    return each;
  }();
  return *all.sheets.get(name).configure().sheet;
}
inline SheetKind sampling() {
  return kind_named("sampling");
}
inline SheetKind reconstruction() {
  return kind_named("reconstruction");
}

inline std::vector<RatedSentence> sentences(const std::vector<std::string>& texts) {
  std::vector<RatedSentence> all;
  for (const auto& text : texts) all.push_back({static_cast<int64_t>(all.size()), {text}});
  return all;
}

inline SheetKey key_of(const std::vector<std::string>& rows, const std::string& kind = "sampling") {
  SheetKey key{.kind = kind, .recipe = "tests/rating", .profile = "smoke", .seed = 1};
  for (const auto& row : rows) {
    key.groups.push_back({row, "Label " + row, {key.rows.size()}});
    key.rows.push_back({row, "Label " + row, row == "real", "id-" + row, 7});
  }
  return key;
}

inline double value_in(const RatingSummary& summary, const std::string& group,
                       const std::string& aspect, const std::string& measure) {
  return summary.scores.at(group).at(aspect).measures.at(measure).value;
}

inline std::string id_of(const Sheet& sheet, const std::string& text) {
  for (const auto& item : sheet.items) {
    if (item.texts.back() == text) return item.id;
  }
  throw std::runtime_error("no item " + text);
}

inline std::filesystem::path written(const TemporaryFolder& folder, const std::string& name,
                                     const std::string& text) {
  write_file_atomic(folder / name, text);
  return folder / name;
}

inline Ratings read(const std::filesystem::path& file, const Sheet& sheet) {
  return read_answers(std::vector{file}, sheet.kind, sheet.key);
}

inline std::string mistakes_of(const std::vector<std::filesystem::path>& files,
                               const Sheet& sheet) {
  return message_of([&] { read_answers(files, sheet.kind, sheet.key); });
}

}  // namespace lvtext
