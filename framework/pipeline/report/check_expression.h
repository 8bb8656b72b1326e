// Parses and evaluates the checks of a recipe: `ae_sph_005.bleu > ae_sph_010.bleu + 5 and ...`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// A term `row.metric` or `table:row.metric` of an expression: a row and a column of a table. Ids
/// may name members: `transfer[m2].sim`, `ngrams.rep[test].wrep`.
struct CheckTerm {
  std::string row, metric;  ///< `row` includes the table, if one is named
  /// Byte offset in the text.
  size_t column = 0;
};

enum class Comparator { kLess, kGreater, kLessEqual, kGreaterEqual };

/// One comparison of a check.
struct Comparison {
  Comparator comparator = Comparator::kLess;
  /// Source text of the comparison.
  std::string text;
  /// Indices into terms() of the terms used, without duplicates.
  std::vector<size_t> terms;
  /// Indices of the root nodes of both sides.
  size_t left = 0, right = 0;
};

/// A parsed check: comparisons joined by `and`. `a < b < c` means `a < b and b < c`.
/// Grammar: sums of products of factors; factors are numbers, terms (CheckTerm), parentheses, unary
/// minus, abs(x), min(x, ...), max(x, ...).
class CheckExpression {
 public:
  /// Throws ConfigError with the text, a caret under the error and what is allowed there.
  /// `location` starts the message ("checks.noise_down", a file and line).
  static CheckExpression parse(std::string_view text, const std::string& location);

  const std::vector<CheckTerm>& terms() const { return terms_; }
  const std::vector<Comparison>& comparisons() const { return comparisons_; }

  /// Throws ConfigError that lists every unknown row and metric with the most similar known name.
  void check_names(const std::vector<std::string>& rows,
                   const std::vector<std::string>& metrics) const;

  /// Left minus right side of a comparison; `values[i]` is the value of terms()[i].
  double difference(const Comparison& comparison, const std::vector<double>& values) const;

 private:
  friend class CheckParser;
  enum class Kind {
    kNumber,
    kTerm,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,
    kAbs,
    kMin,
    kMax
  };
  struct Node {
    Kind kind = Kind::kNumber;
    double number = 0;
    /// Index into terms_ for kTerm.
    size_t term = 0;
    std::vector<size_t> children;
  };
  double evaluate(size_t node, const std::vector<double>& values) const;

  std::string location_, text_;
  std::vector<Node> nodes_;
  std::vector<CheckTerm> terms_;
  std::vector<Comparison> comparisons_;
};

}  // namespace lvtext
