// The data sets of a recipe, with their splits and columns.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/experiment/checked_recipe.h"

namespace lvtext {

/// True if an artifact of this id is a tokenizer.
bool fits_tokenizer(const RecipeOptions& recipe, const std::string& id);

/// The data sets of a recipe.
class DataSets {
 public:
  /// Parses `data`. Adds errors of its options, unknown sets, fields and columns, and cycles of
  /// derived sets.
  DataSets(const RecipeOptions& recipe, Errors& errors);

  /// In the order of the file.
  const std::vector<CheckedData>& all() const { return all_; }
  /// Null if there is no such set.
  const CheckedData* find(const std::string& id) const;
  /// True if the options of a set have errors, so that its columns are unknown.
  bool is_invalid(const std::string& id) const { return invalid_.contains(id); }
  /// Splits the part of a reference to a set into split and column; the split may be missing.
  std::pair<std::string, std::string> split_and_column(const CheckedData& data,
                                                       const std::string& part) const;
  /// The columns of a set; empty if only its files determine them.
  std::vector<std::string> columns(const CheckedData& data) const;
  /// Message for a missing choice among several sets.
  std::string ambiguity() const;

 private:
  void read_data_set(const Node::Entry& entry, const std::string& path);
  /// Reads the derived sets, each after the set from which it is derived.
  void read_derived_sets(const Node& written);
  /// Checks the columns of another set that a derived set names.
  void check_columns(const Node::Entry& entry, const CheckedData& parent);

  const RecipeOptions& recipe_;
  Errors& errors_;
  std::vector<CheckedData> all_;
  std::set<std::string> invalid_;
};

}  // namespace lvtext
