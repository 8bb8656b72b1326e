// Means over a logging period, accumulated without waiting for the device.
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
  /// A 0-dim tensor; read only when the means are.
  void add(const std::string& name, const at::Tensor& value);
  /// The means since the last call, which starts a new period.
  std::map<std::string, double> take();
  /// The sums so far, for a checkpoint inside a period: exact.
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

/// A number in JSON; the ones that JSON lacks as "nan", "inf", "-inf".
nlohmann::json number_to_json(double value);
double number_from_json(const nlohmann::json& value);

}  // namespace lvtext
