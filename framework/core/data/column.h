// What a column of a dataset holds.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/options/options.h"
#include "framework/core/text/vocabulary.h"

namespace lvtext {

enum class ColumnKind { kText, kLabel, kNumber, kVector, kImage };

const std::vector<EnumName<ColumnKind>>& enum_names(ColumnKind);

/// One column. Its rows have one item each or, where it is ragged, any number of them (the captions
/// of an image).
struct ColumnDecl {
  std::string name = "text";
  ColumnKind kind = ColumnKind::kText;
  Vocabulary vocabulary = {};       ///< of a text
  int32_t classes = 0;              ///< of a label: values are in [0, classes)
  std::vector<int64_t> shape = {};  ///< of a vector [D], of an image [C, H, W]
  bool ragged = false;

  /// Numbers of one item that is not a text.
  int64_t width() const;
  /// How values are stored: texts and labels as I16 or I32, numbers and vectors as F32, images as
  /// U8.
  std::string_view dtype() const;
};

nlohmann::ordered_json to_json(const ColumnDecl& column);
/// Throws DataError, naming the column, for what no column can be.
ColumnDecl column_from_json(const nlohmann::json& json);

}  // namespace lvtext
