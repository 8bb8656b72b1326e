#include "framework/core/datasets/column.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "framework/core/base/error.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, std::optional<int32_t> Vocabulary::*> kSpecialIds[] = {
    {"bos", &Vocabulary::bos},
    {"eos", &Vocabulary::eos},
    {"pad", &Vocabulary::pad},
    {"unk", &Vocabulary::unk}};

Json to_json(const Vocabulary& vocabulary) {
  Json json = {{"size", vocabulary.size}};
  for (const auto& [name, id] : kSpecialIds) {
    if (vocabulary.*id) json[name] = *(vocabulary.*id);
  }
  return json;
}

Vocabulary vocabulary_from_json(const nlohmann::json& json) {
  Vocabulary vocabulary{.size = json.at("size").get<int32_t>()};
  for (const auto& [name, id] : kSpecialIds) {
    if (json.contains(name)) vocabulary.*id = json.at(name).get<int32_t>();
  }
  return vocabulary;
}

/// Why the declaration is invalid; empty if it is valid.
std::string problem_of(const ColumnDecl& column) {
  if (column.name.empty() || column.name.find('.') != std::string::npos) {
    return "the name is empty or contains a dot";
  }
  if (column.kind == ColumnKind::kText) {
    if (column.vocabulary.size <= 0) return "the vocabulary is empty";
    for (const auto& [name, id] : kSpecialIds) {
      const auto value = column.vocabulary.*id;
      if (value && (*value < 0 || *value >= column.vocabulary.size)) {
        return std::string(name) + " is not an id of the vocabulary";
      }
    }
  }
  if (column.kind == ColumnKind::kLabel && column.classes <= 0) return "there are no classes";
  const size_t rank = column.kind == ColumnKind::kVector  ? 1
                      : column.kind == ColumnKind::kImage ? 3
                                                          : 0;
  if (column.shape.size() != rank) return "the shape must have rank " + std::to_string(rank);
  constexpr int64_t kMax = int64_t{1} << 31;
  int64_t width = 1;
  for (const int64_t size : column.shape) {
    if (size <= 0 || size > kMax / width) return "the shape is empty or too large";
    width *= size;
  }
  return "";
}

}  // namespace

const std::vector<EnumName<ColumnKind>>& enum_names(ColumnKind) {
  static const std::vector<EnumName<ColumnKind>> names = {
      {"text", ColumnKind::kText, "sequence of token ids of any length"},
      {"label", ColumnKind::kLabel, "one of a set of classes"},
      {"number", ColumnKind::kNumber, "a single number"},
      {"vector", ColumnKind::kVector, "fixed number of numbers per item"},
      {"image", ColumnKind::kImage, "bytes of shape [channels, rows, columns]"},
  };
  return names;
}

int64_t ColumnDecl::width() const {
  int64_t width = 1;
  for (const int64_t size : shape) width *= size;
  return width;
}

std::string_view ColumnDecl::dtype() const {
  constexpr int32_t kNarrow = std::numeric_limits<int16_t>::max() + 1;
  switch (kind) {
    case ColumnKind::kText: return vocabulary.size <= kNarrow ? "I16" : "I32";
    case ColumnKind::kLabel: return classes <= kNarrow ? "I16" : "I32";
    case ColumnKind::kNumber:
    case ColumnKind::kVector: return "F32";
    case ColumnKind::kImage: break;
  }
  return "U8";
}

Json to_json(const ColumnDecl& column) {
  Json json = {{"name", column.name}, {"kind", enum_name(column.kind)}};
  if (column.kind == ColumnKind::kText) json["vocabulary"] = to_json(column.vocabulary);
  if (column.kind == ColumnKind::kLabel) json["classes"] = column.classes;
  if (!column.shape.empty()) json["shape"] = column.shape;
  if (column.ragged) json["ragged"] = true;
  return json;
}

ColumnDecl column_from_json(const nlohmann::json& json) {
  ColumnDecl column;
  std::string problem;
  try {
    column.name = json.at("name").get<std::string>();
    const auto kind = json.at("kind").get<std::string>();
    const auto& kinds = enum_names(ColumnKind{});
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const auto& each) { return each.name == kind; });
    if (known == kinds.end())
      throw DataError("column '" + column.name + "': unknown kind '" + kind + "'");
    column.kind = known->value;
    if (json.contains("vocabulary")) {
      column.vocabulary = vocabulary_from_json(json.at("vocabulary"));
    }
    column.classes = json.value("classes", 0);
    column.shape = json.value("shape", std::vector<int64_t>{});
    column.ragged = json.value("ragged", false);
    problem = problem_of(column);
  } catch (const nlohmann::json::exception& error) {
    problem = error.what();
  }
  if (!problem.empty()) throw DataError("column '" + column.name + "': " + problem);
  return column;
}

}  // namespace lvtext
