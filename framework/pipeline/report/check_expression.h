// The language of a recipe's checks: `ae_sph_005.bleu > ae_sph_010.bleu + 5 and ...`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// `row.metric` in an expression: a line and a column of the table, or `table:row.metric`. Ids may
/// be those of members: `transfer[m2].sim`, `ngrams.rep[test].wrep`.
struct CheckTerm {
  std::string row, metric;  ///< the row with its table, if one is named
  /// Byte offset in the text.
  size_t column = 0;
};

enum class Comparator { kLess, kGreater, kLessEqual, kGreaterEqual };
/// "<", ">", "<=" or ">=".
std::string comparator_sign(Comparator comparator);

/// One comparison of a check.
struct Comparison {
  Comparator comparator = Comparator::kLess;
  /// The comparison as it stands in the text.
  std::string text;
  /// Indices of terms() that it uses, each once.
  std::vector<size_t> terms;
  /// Roots in the expression's nodes.
  size_t left = 0, right = 0;
};

/// A parsed check: comparisons joined by `and`. `a < b < c` means `a < b and b < c`.
/// Grammar: sums of products of factors; factors are numbers, terms (CheckTerm), parentheses, unary
/// minus, abs(x), min(x, ...), max(x, ...).
class CheckExpression {
 public:
  /// Throws ConfigError with the text, a caret under the mistake and what is allowed there.
  /// `place` starts the message ("checks.noise_down", a file and line).
  static CheckExpression parse(std::string_view text, const std::string& location = "check");

  const std::string& text() const { return text_; }
  const std::vector<CheckTerm>& terms() const { return terms_; }
  const std::vector<Comparison>& comparisons() const { return comparisons_; }

  /// Throws ConfigError naming every unknown row and metric with the nearest known one.
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
