// Options of tables: lines, columns, aggregation over seeds, checks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options/node.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// Sizes at which a check is meaningful.
enum class CheckScale { kAny, kAbsolute };
const std::vector<EnumName<CheckScale>>& enum_names(CheckScale);

/// A statement of the paper that the report verifies.
struct CheckOptions {
  std::string id, claim, expr;
  CheckScale scale = CheckScale::kAny;
  bool guard = false;
  template <class V>
  void visit(V& v) {
    v.field("id", id, "name of the check, lower_snake", required(), not_empty());
    v.field("claim", claim, "the statement in words", required(), not_empty());
    v.field("expr", expr, "comparison of row.metric terms", required(), not_empty());
    v.field("scale", scale, "absolute: meaningful only at the paper's sizes");
    v.field(
        "guard", guard,
        "condition on an evaluation model, such as a classifier's accuracy; shown above the table");
  }
};

/// Exclusion of runs from a line by their scores.
struct DropOptions {
  double mad = 5;
  int64_t most = 2;
  std::string flag;
  template <class V>
  void visit(V& v) {
    v.field("mad", mad, "maximum distance from the median; runs beyond it are dropped", above(0),
            unit("1.4826 median absolute deviations"));
    v.field("most", most, "maximum number of dropped runs per line", at_least(1));
    v.field("flag", flag,
            "metric that flags runs by a value above 0.5; a flagged run with the largest value of "
            "`by` is dropped too");
  }
};

/// Aggregation of runs with several seeds.
struct AggregateOptions {
  std::string by;
  DropOptions drop;
  template <class V>
  void visit(V& v) {
    v.field("by", by, "metric that determines the dropped runs, for all columns of a line",
            required(), not_empty());
    v.field("drop", drop, "criterion for dropped runs; a line `<id>_all` keeps all");
  }
};

/// A table of the report.
struct TableOptions {
  std::string item;
  Node rows, columns;
  std::optional<std::string> choose;
  std::optional<AggregateOptions> aggregate;
  std::map<std::string, std::map<std::string, double>> paper;
  std::map<std::string, std::map<std::string, std::string>> notes;
  std::vector<CheckOptions> checks;
  bool transpose = false;
  template <class V>
  void visit(V& v) {
    v.field("item", item, "table of the paper, such as Table 7; unset: that of the recipe");
    v.field(
        "rows", rows,
        "row ids and patterns, or line id: row; unset: all rows, or one line if no column uses a "
        "row");
    v.field("columns", columns,
            "metric ids, metric.score and patterns, in order, or column id: metric; blocks are "
            "{each: axis, of: ...} and {choose: select, of: ...}; unset: all metrics");
    v.field("choose", choose,
            "select among checkpoints: each row is shown at its chosen checkpoint; unset: at the "
            "weights selected by its training");
    v.field("aggregate", aggregate, "aggregation over seeds");
    v.field("paper", paper, "numbers of the paper: line id, column id, value");
    v.field("notes", notes,
            "misprints and inconsistencies of these numbers: line id, column id, text");
    v.field("checks", checks, "statements of the paper to verify on this table");
    v.field("transpose", transpose, "swaps lines and columns in displayed tables");
  }
};

}  // namespace lvtext
