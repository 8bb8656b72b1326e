// Data sets derived from another data set: filtered or shuffled records, the first ones, selected
// columns, or one record for each of several texts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/datasets/records.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// The options of a derived data set besides `from`, applied in this order.
struct DerivedDataOptions {
  std::map<std::string, std::string> where;
  std::optional<int64_t> shuffle;
  std::string flatten;
  int64_t at_most = 0;
  std::vector<std::string> columns;

  template <class V>
  void visit(V& v) {
    v.field("where", where, "keeps only records whose columns have these texts or labels");
    v.field("shuffle", shuffle,
            "seed of a random order of the records; unset: the order of the other data set",
            at_least(0));
    v.field("flatten", flatten, "column of several texts, each of which becomes a record");
    v.field("at_most", at_most, "maximum number of records per split (the first ones); 0: no limit",
            at_least(0));
    v.field("columns", columns,
            "columns to keep; unset: all. If exactly one of them is a text, it is renamed to "
            "'text'");
  }
};

/// The records of the parts, one part after the other, without parents. All parts must have the
/// same fields, labels and types.
Records join_records(std::vector<Records> parts);

/// Applies the options to each split of `from`; sets the parents of the returned records to their
/// indices in `from`, whose splits must have the same fields. Empty splits are kept. Throws
/// DataError naming the data set `parent` for an unknown column or label, a column of an
/// unsuitable type, or a text that no record has.
std::map<std::string, Records> derive_records(std::map<std::string, Records> from,
                                              const DerivedDataOptions& options,
                                              const std::string& parent);

/// The fields, labels and types of the records that are derived from `from`, without rows. Throws
/// DataError like derive_records(), except for texts that no record has.
Records describe_derived(Records from, const DerivedDataOptions& options,
                         const std::string& parent);

}  // namespace lvtext
