#include "framework/pipeline/report/check_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

constexpr int kDeepest = 100;

[[noreturn]] void fail_at(const std::string& location, const std::string& text, size_t at,
                          const std::string& message) {
  throw ConfigError(location + ": column " + std::to_string(at + 1) + ": " + message + "\n  " +
                    text + "\n  " + std::string(at, ' ') + "^");
}

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

/// Recursive descent parser for the grammar in check_expression.h.
class CheckParser {
 public:
  CheckParser(std::string_view text, const std::string& location) {
    out_.text_ = std::string(text);
    // Keep the text on one line with one column per byte, so that the caret is aligned.
    std::replace_if(
        out_.text_.begin(), out_.text_.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    out_.location_ = location;
  }

  CheckExpression parse() {
    chain();
    while (word("and")) chain();
    if (peek() != '\0') fail("expected a comparison, 'and' or the end");
    return std::move(out_);
  }

 private:
  using Kind = CheckExpression::Kind;

  [[noreturn]] void fail(const std::string& message) {
    peek();
    fail_at(out_.location_, out_.text_, at_, message);
  }

  char peek() {
    while (at_ < out_.text_.size() && out_.text_[at_] == ' ') ++at_;
    return at_ < out_.text_.size() ? out_.text_[at_] : '\0';
  }

  bool take(char requested) {
    if (peek() != requested) return false;
    ++at_;
    return true;
  }

  void expect(char requested) {
    if (!take(requested)) fail(std::string("expected '") + requested + "'");
  }

  std::string name() {
    const size_t start = at_;
    while (at_ < out_.text_.size() && (starts_name(out_.text_[at_]) || is_digit(out_.text_[at_]))) {
      ++at_;
    }
    return out_.text_.substr(start, at_ - start);
  }

  /// An immediately following "[v,w]", else "".
  std::string values() {
    const size_t start = at_;
    if (at_ >= out_.text_.size() || out_.text_[at_] != '[') return "";
    const size_t end = out_.text_.find(']', at_);
    if (end == std::string::npos) fail("expected ']'");
    at_ = end + 1;
    return out_.text_.substr(start, at_ - start);
  }

  bool word(std::string_view requested) {
    if (!starts_name(peek())) return false;
    const size_t start = at_;
    if (name() == requested) return true;
    at_ = start;
    return false;
  }

  bool comparator(Comparator& found) {
    const char c = peek();
    if (c != '<' && c != '>') return false;
    ++at_;
    const bool equal = at_ < out_.text_.size() && out_.text_[at_] == '=';
    if (equal) ++at_;
    if (c == '<') found = equal ? Comparator::kLessEqual : Comparator::kLess;
    if (c == '>') found = equal ? Comparator::kGreaterEqual : Comparator::kGreater;
    return true;
  }

  void chain() {
    peek();
    size_t start = at_;
    size_t left = sum();
    Comparator found = Comparator::kLess;
    if (!comparator(found)) fail("expected one of + - * / < > <= >=");
    do {
      peek();
      const size_t right_start = at_;
      const size_t right = sum();
      Comparison comparison{found, {}, {}, left, right};
      comparison.text = std::string(trim(out_.text_.substr(start, at_ - start)));
      collect(left, comparison.terms);
      collect(right, comparison.terms);
      out_.comparisons_.push_back(std::move(comparison));
      left = right;
      start = right_start;
    } while (comparator(found));
  }

  size_t add(Kind kind, std::vector<size_t> children) {
    CheckExpression::Node node;
    node.kind = kind;
    node.children = std::move(children);
    out_.nodes_.push_back(std::move(node));
    return out_.nodes_.size() - 1;
  }

  size_t sum() {
    if (++depth_ > kDeepest) fail("too many nested parentheses; at most 100 are allowed");
    size_t left = product();
    while (true) {
      if (take('+')) {
        left = add(Kind::kAdd, {left, product()});
      } else if (take('-')) {
        left = add(Kind::kSubtract, {left, product()});
      } else {
        --depth_;
        return left;
      }
    }
  }

  size_t product() {
    size_t left = factor();
    while (true) {
      if (take('*')) {
        left = add(Kind::kMultiply, {left, factor()});
      } else if (take('/')) {
        left = add(Kind::kDivide, {left, factor()});
      } else {
        return left;
      }
    }
  }

  size_t factor() {
    // Iterative: many minus signs must not exhaust the stack.
    bool negative = false;
    while (take('-')) negative = !negative;
    const size_t value = positive();
    return negative ? add(Kind::kNegate, {value}) : value;
  }

  size_t positive() {
    const char c = peek();
    if (take('(')) {
      const size_t inner = sum();
      expect(')');
      return inner;
    }
    if (is_digit(c) || c == '.') return number();
    if (!starts_name(c)) fail("expected a number, row.metric, '(', abs, min or max");
    const size_t start = at_;
    std::string first = name();
    if (peek() == '(') return call(first, start);
    if (at_ < out_.text_.size() && out_.text_[at_] == ':') {
      ++at_;
      first += ":" + name();
    }
    first += values();
    if (!take('.')) {
      at_ = start;
      fail("\"" + first + "\" is not of the form row.metric");
    }
    if (at_ >= out_.text_.size() || !starts_name(out_.text_[at_])) fail("expected a metric");
    std::string metric = name();
    metric += values();
    const size_t point = at_;
    if (point + 1 < out_.text_.size() && out_.text_[point] == '.' &&
        starts_name(out_.text_[point + 1])) {
      ++at_;
      metric += "." + name();
    }
    return term(first, metric, start);
  }

  size_t number() {
    double value = 0;
    const char* begin = out_.text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, out_.text_.data() + out_.text_.size(), value);
    if (error != std::errc()) fail("expected a number");
    at_ += static_cast<size_t>(end - begin);
    const size_t node = add(Kind::kNumber, {});
    out_.nodes_[node].number = value;
    return node;
  }

  size_t call(const std::string& function, size_t start) {
    static const std::array<std::pair<const char*, Kind>, 3> kFunctions{
        {{"abs", Kind::kAbs}, {"min", Kind::kMin}, {"max", Kind::kMax}}};
    const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                    [&](const auto& entry) { return function == entry.first; });
    if (found == kFunctions.end()) {
      at_ = start;
      fail("unknown function \"" + function + "\"; allowed are abs, min, max");
    }
    expect('(');
    std::vector<size_t> arguments{sum()};
    while (found->second != Kind::kAbs && take(',')) arguments.push_back(sum());
    expect(')');
    return add(found->second, std::move(arguments));
  }

  size_t term(const std::string& row, const std::string& metric, size_t start) {
    size_t index = 0;
    while (index < out_.terms_.size() &&
           (out_.terms_[index].row != row || out_.terms_[index].metric != metric)) {
      ++index;
    }
    if (index == out_.terms_.size()) out_.terms_.push_back({row, metric, start});
    const size_t node = add(Kind::kTerm, {});
    out_.nodes_[node].term = index;
    return node;
  }

  void collect(size_t node, std::vector<size_t>& terms) const {
    const CheckExpression::Node& here = out_.nodes_[node];
    if (here.kind == Kind::kTerm &&
        std::find(terms.begin(), terms.end(), here.term) == terms.end()) {
      terms.push_back(here.term);
    }
    for (const size_t child : here.children) collect(child, terms);
  }

  CheckExpression out_;
  size_t at_ = 0;
  int depth_ = 0;
};

CheckExpression CheckExpression::parse(std::string_view text, const std::string& location) {
  return CheckParser(text, location).parse();
}

void CheckExpression::check_names(const std::vector<std::string>& rows,
                                  const std::vector<std::string>& metrics) const {
  std::vector<std::string> mistakes;
  for (const CheckTerm& term : terms_) {
    const auto look = [&](const std::string& name, const std::vector<std::string>& known,
                          const char* what, size_t column) {
      if (std::find(known.begin(), known.end(), name) != known.end()) return;
      mistakes.push_back(location_ + ": column " + std::to_string(column + 1) + ": unknown " +
                         what + " '" + name + "'; " + suggestion(name, known) + "\n  " + text_ +
                         "\n  " + std::string(column, ' ') + "^");
    };
    look(term.row, rows, "row", term.column);
    look(term.metric, metrics, "metric", term.column + term.row.size() + 1);
  }
  if (!mistakes.empty()) throw ConfigError(join(mistakes, "\n"));
}

double CheckExpression::difference(const Comparison& comparison,
                                   const std::vector<double>& values) const {
  return evaluate(comparison.left, values) - evaluate(comparison.right, values);
}

double CheckExpression::evaluate(size_t node, const std::vector<double>& values) const {
  const Node& here = nodes_[node];
  if (here.kind == Kind::kNumber) return here.number;
  if (here.kind == Kind::kTerm) return values[here.term];
  double result = evaluate(here.children[0], values);
  if (here.kind == Kind::kNegate) return -result;
  if (here.kind == Kind::kAbs) return std::abs(result);
  for (size_t i = 1; i < here.children.size(); ++i) {
    const double next = evaluate(here.children[i], values);
    switch (here.kind) {
      case Kind::kAdd: result += next; break;
      case Kind::kSubtract: result -= next; break;
      case Kind::kMultiply: result *= next; break;
      case Kind::kDivide: result /= next; break;
      case Kind::kMin: result = std::min(result, next); break;
      default: result = std::max(result, next);
    }
  }
  return result;
}

}  // namespace lvtext
