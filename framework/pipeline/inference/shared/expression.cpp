#include "framework/pipeline/inference/shared/expression.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "framework/core/base/error.h"

namespace lvtext {

struct Expression::Term {
  char operation = 0;  // + - * /, or 0: a name or a number
  std::unique_ptr<Term> left, right;
  std::string name;  // empty: a number
  double number = 0;

  at::Tensor value(const std::map<std::string, at::Tensor>& of) const {
    if (operation == 0) {
      if (name.empty()) return at::scalar_tensor(number, at::kDouble);
      const auto found = of.find(name);
      LVT_ASSERT(found != of.end(), "the name '" + name + "' has no value");
      return found->second;
    }
    const at::Tensor a = left->value(of), b = right->value(of);
    switch (operation) {
      case '+': return a + b;
      case '-': return a - b;
      case '*': return a * b;
      default: return a / b;
    }
  }
};

/// sum: product (+|- product)*; product: factor (*|/ factor)*; factor: -factor | name | number |
/// ( sum ).
class Expression::Reader {
 public:
  Reader(const std::string& text, std::vector<std::string>& names) : text_(text), names_(names) {}

  std::unique_ptr<Term> all() {
    auto term = sum();
    if (peek() != 0) fail("an operator or the end");
    return term;
  }

 private:
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  [[noreturn]] void fail(const std::string& requested) {
    throw ConfigError("the expression '" + text_ + "' needs " + requested + " at position " +
                      std::to_string(at_ + 1) +
                      "; it may contain names, numbers, + - * / and parentheses");
  }
  std::unique_ptr<Term> joined(char operation, std::unique_ptr<Term> a, std::unique_ptr<Term> b) {
    auto term = std::make_unique<Term>();
    term->operation = operation;
    term->left = std::move(a);
    term->right = std::move(b);
    return term;
  }
  std::unique_ptr<Term> sum() {
    auto term = product();
    for (char next = peek(); next == '+' || next == '-'; next = peek()) {
      ++at_;
      term = joined(next, std::move(term), product());
    }
    return term;
  }
  std::unique_ptr<Term> product() {
    auto term = factor();
    for (char next = peek(); next == '*' || next == '/'; next = peek()) {
      ++at_;
      term = joined(next, std::move(term), factor());
    }
    return term;
  }
  std::unique_ptr<Term> factor() {
    const char next = peek();
    if (next == '-') {
      ++at_;
      return joined('-', std::make_unique<Term>(), factor());
    }
    if (next == '(') {
      ++at_;
      auto term = sum();
      if (peek() != ')') fail("')'");
      ++at_;
      return term;
    }
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    auto term = std::make_unique<Term>();
    const size_t from = at_;
    if (is_letter(next)) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      term->name = text_.substr(from, at_ - from);
      if (std::find(names_.begin(), names_.end(), term->name) == names_.end()) {
        names_.push_back(term->name);
      }
    } else if (is_digit(next) || next == '.') {
      char* end = nullptr;
      term->number = std::strtod(text_.c_str() + from, &end);
      at_ = static_cast<size_t>(end - text_.c_str());
      if (at_ == from) fail("a number");
    } else {
      fail("a name, a number or '('");
    }
    return term;
  }

  const std::string& text_;
  std::vector<std::string>& names_;
  size_t at_ = 0;
};

Expression::Expression(const std::string& text) : root_(Reader(text, names_).all()) {}
Expression::~Expression() = default;

at::Tensor Expression::value(const std::map<std::string, at::Tensor>& of) const {
  return root_->value(of);
}

}  // namespace lvtext
