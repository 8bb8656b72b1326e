// Data sets whose records are another set's: those with a value, the first ones, one for each of
// several texts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/core/data/records.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// What of another set's records a data set takes; the keys beside `from`. In this order.
struct DerivedDataOptions {
  std::map<std::string, std::string> where;
  std::string flatten;
  int64_t at_most = 0;
  std::vector<std::string> columns;

  template <class V>
  void visit(V& v) {
    v.field("where", where, "the records whose columns have these texts or labels");
    v.field("flatten", flatten, "a column of several texts: a record for each of them");
    v.field("at_most", at_most, "the first records of each split; 0: all", at_least(0));
    v.field("columns", columns,
            "the columns that are kept; unset: all. A text alone is called text");
  }
};

/// The records that the options take of each split of `from`, whose columns they are, with the
/// indices of those that they were taken from. Splits without records stay. Throws DataError naming
/// `parent`, the set, for a column or a label that it lacks, one that does not fit, or a text that
/// no record has.
std::map<std::string, Records> derive_records(std::map<std::string, Records> from,
                                              const DerivedDataOptions& options,
                                              const std::string& parent);

}  // namespace lvtext
