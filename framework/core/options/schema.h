// Schemas of options, for help, reference tables and editors.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "framework/core/options/node.h"
#include "framework/core/options/rules.h"

namespace lvtext {

struct FieldSchema;

/// The type of a value.
struct TypeSchema {
  enum class Kind {
    kBool,
    kInt,
    kNumber,
    kString,
    kPeriod,
    kStop,
    kEnum,
    kOptional,
    kList,
    kMap,
    kStruct,
    kChoice,
    kAny,
    kNumberOr
  };
  struct Name {
    std::string name, help;
  };
  Kind kind = Kind::kAny;
  std::vector<Name> names;          // kEnum: values; kChoice: components
  std::vector<FieldSchema> fields;  // kStruct: fields
  // kOptional, kList, kMap: exactly one; kNumberOr: the alternative; kChoice: the options of each
  // component, as structs
  std::vector<TypeSchema> element;

  /// "int", "list of number", "map of string", "a|b|c".
  std::string text() const;
};

/// A field: the arguments of field(), and the default.
struct FieldSchema {
  std::string key, help;
  TypeSchema type;
  Rules rules;
  Node default_value;  // the default; null if required or unset

  /// "int, 1..65536, default 32", shown after "did you mean".
  std::string summary() const;
};

/// The options of one component.
struct Schema {
  std::vector<FieldSchema> fields;
};

/// The paths of the fields below those of `schema` whose key is `key`, or whose path is `key` with
/// '_' for '.': "optimizers.default.lr" for lr, "batch.size" for batch_size. The names of a map are
/// those of `mapping`, the options as written.
std::vector<std::string> nested_paths(const Schema& schema, const Node& mapping,
                                      const std::string& key);
/// An aligned table for a terminal: name, type, range, default, help; nested fields as "a.b".
std::string help_text(const Schema& schema);
/// A Markdown table with the same columns.
std::string markdown_table(const Schema& schema);
/// A JSON Schema (draft 2020-12) for editors.
nlohmann::ordered_json json_schema(const Schema& schema, const std::string& title);

}  // namespace lvtext
