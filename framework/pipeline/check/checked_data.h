// The data sets of a recipe, with their splits and columns.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/datasets/packer.h"
#include "framework/core/datasets/records.h"
#include "framework/core/options/errors.h"
#include "framework/core/sources/derived_data.h"
#include "framework/pipeline/check/find_entry.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/recipe/recipe.h"

namespace lvtext {

/// A data set derived from the records of others.
struct DerivedBlock {
  std::vector<std::string> from;
  DerivedDataOptions records;
  Choice<Packer> pack{"text"};

  template <class V>
  void visit(V& v) {
    v.field("from", from,
            "data set whose records are used; or splits of data sets, whose records, one split "
            "after the other, are the split `train`: [news.train, books.train]",
            required(), not_empty());
    records.visit(v);
    v.field("pack", pack, "conversion of records to the rows of a dataset");
  }
};

/// A split of a data set of the recipe; with an empty `split` all of its splits.
struct SplitOfSet {
  std::string set, split;
};

/// A data set of the recipe.
struct CheckedData {
  std::string id;
  DataBlock block;                      ///< options of a set that is not derived
  std::optional<DerivedBlock> derived;  ///< options of a set derived from others
  /// For a derived set: a set with all of its splits, or splits whose records are joined.
  std::vector<SplitOfSet> from;
  std::string tokenizer;  ///< id of a fitted tokenizer; empty: that of the block
  std::vector<std::string> splits;

  bool has_split(const std::string& split) const;
};

/// The location of a key below `data`, such as "labels.style"; of the deepest written part of it.
SourceLocation location_of(const Node& data, const std::string& key);

/// Adds mistakes in the options of a set that is read from files or generated, `data` as written:
/// unknown fields, and options that do not apply to the set. The set must exist.
void check_source(const Node& data, const DataOptions& options, const std::string& path,
                  Errors& errors);

/// True if an artifact of this id is a tokenizer.
bool fits_tokenizer(const RecipeOptions& recipe, const std::string& id);

/// The data sets of a recipe.
class DataSets {
 public:
  /// Parses `data`. Adds errors of its options, unknown sets, fields and columns, cycles of derived
  /// sets, and files of the user that do not exist.
  DataSets(const RecipeOptions& recipe, Errors& errors);

  /// In the order of the file.
  const std::vector<CheckedData>& all() const { return all_; }
  /// Null if there is no such set.
  const CheckedData* find(const std::string& id) const { return find_entry(all_, id); }
  /// True if the options of a set have errors, so that its columns are unknown.
  bool is_invalid(const std::string& id) const { return invalid_.contains(id); }
  /// Splits the part of a reference to a set into split and column; the split may be missing.
  std::pair<std::string, std::string> split_and_column(const CheckedData& data,
                                                       const std::string& part) const;
  /// The fields of the rows of a set's datasets, without rows; null if its options have errors or a
  /// plug-in packs it.
  const Records* packed(const std::string& id) const;
  /// "the data set 'nli'": the name of the set that is read, or the id of a set of own files or a
  /// derived one.
  std::string name(const CheckedData& data) const;
  /// The columns of a set; empty if only its files determine them.
  std::vector<std::string> columns(const CheckedData& data) const;
  /// Message for a missing choice among several sets.
  std::string ambiguity() const;

 private:
  void read_data_set(const Node::Entry& entry, const std::string& path);
  /// Reads the derived sets, each after the set from which it is derived.
  void read_derived_sets(const Node& written);
  /// Checks the options of a set, and describes its records if they have no errors. `is_parsed`:
  /// all of them could be parsed.
  void check_data(const Node::Entry& entry, const std::string& path, const CheckedData& data,
                  bool is_parsed);
  /// The sources of a derived set, which must exist; adds errors about their splits.
  std::vector<SplitOfSet> sources(const Node::Entry& entry);
  /// Describes the records of a derived set.
  void describe(const Node::Entry& entry, const CheckedData& data);
  /// Checks that a derived set of running text has the lines of its source, complete and in order.
  void check_pack(const Node::Entry& entry, const CheckedData& data);
  /// The sets from which a set is derived and that are not derived themselves, or the set itself.
  std::vector<const CheckedData*> roots(const CheckedData& data) const;
  /// Checks the columns of another set that a derived set names.
  void check_columns(const Node::Entry& entry, const CheckedData& parent);

  const RecipeOptions& recipe_;
  Errors& errors_;
  std::vector<CheckedData> all_;
  std::set<std::string> invalid_;
  std::map<std::string, Records> records_;  // records without rows, of the sets without errors
};

}  // namespace lvtext
