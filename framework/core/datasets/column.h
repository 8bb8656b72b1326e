// Declaration of a dataset column.
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

/// One column. Each row has one item or, if the column is ragged, any number of items (such as the
/// captions of an image).
struct ColumnDecl {
  std::string name = "text";
  ColumnKind kind = ColumnKind::kText;
  Vocabulary vocabulary = {};       ///< for text columns
  int32_t classes = 0;              ///< for label columns: values are in [0, classes)
  std::vector<int64_t> shape = {};  ///< [D] for vectors, [C, H, W] for images
  bool ragged = false;

  /// Number of values of one item; not for text columns.
  int64_t width() const;
  /// Safetensors dtype of the stored values: I16 or I32 for texts and labels, F32 for numbers and
  /// vectors, U8 for images.
  std::string_view dtype() const;
};

nlohmann::ordered_json to_json(const ColumnDecl& column);
/// Throws DataError, naming the column, if the declaration is invalid.
ColumnDecl column_from_json(const nlohmann::json& json);

}  // namespace lvtext
