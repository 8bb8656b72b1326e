// Means over a logging period, accumulated without device synchronization.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace lvtext {

class LogMeans {
 public:
  void add(const std::string& name, double value);
  /// `value`: a 0-dim tensor; copied to the host only when the means are read.
  void add(const std::string& name, const at::Tensor& value);
  /// Returns the means since the last call and starts a new period.
  std::map<std::string, double> take();
  /// The exact sums so far, for a checkpoint within a period.
  nlohmann::json save() const;
  void load(const nlohmann::json& saved);

 private:
  struct Sum {
    double host = 0;
    at::Tensor device;  ///< double, 0-dim; undefined: nothing added
    int64_t count = 0;
    double total() const;
  };
  std::map<std::string, Sum> sums_;
};

/// A number as JSON; values that JSON cannot represent become "nan", "inf" and "-inf".
nlohmann::json number_to_json(double value);
double number_from_json(const nlohmann::json& value);

}  // namespace lvtext
