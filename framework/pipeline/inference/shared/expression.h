// Arithmetic of vectors and numbers by an expression.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lvtext {

/// An expression of names, numbers, + - * / and parentheses, such as "t*x + (1-t)*y". Names stand
/// for vectors or numbers, tensors of the same or no dimensions.
class Expression {
 public:
  /// Throws ConfigError with the position of a mistake.
  explicit Expression(const std::string& text);
  ~Expression();

  /// The names, in the order of their first use.
  const std::vector<std::string>& names() const { return names_; }
  /// The value for these values of all names.
  at::Tensor value(const std::map<std::string, at::Tensor>& of) const;

 private:
  struct Term;
  class Reader;
  std::vector<std::string> names_;  // before root_, whose construction fills it
  std::unique_ptr<Term> root_;
};

}  // namespace lvtext
