#include "trainers/log_means.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "framework/core/base/strings.h"

namespace lvtext {

double LogMeans::Sum::total() const {
  return device.defined() ? host + device.item<double>() : host;
}

void LogMeans::add(const std::string& name, double value) {
  Sum& sum = sums_[name];
  sum.host += value;
  ++sum.count;
}

void LogMeans::add(const std::string& name, const at::Tensor& value) {
  Sum& sum = sums_[name];
  const auto number = value.detach().to(at::kDouble);
  // Merge the host sum into the device sum, so that the order of additions does not depend on when
  // a checkpoint was written.
  sum.device = sum.device.defined() ? sum.device + number : number + sum.host;
  sum.host = 0;
  ++sum.count;
}

std::map<std::string, double> LogMeans::take() {
  std::map<std::string, double> means;
  for (const auto& [name, sum] : sums_) means[name] = sum.total() / static_cast<double>(sum.count);
  sums_.clear();
  return means;
}

nlohmann::json LogMeans::save() const {
  auto saved = nlohmann::json::object();
  for (const auto& [name, sum] : sums_) saved[name] = {number_to_json(sum.total()), sum.count};
  return saved;
}

void LogMeans::load(const nlohmann::json& saved) {
  sums_.clear();
  for (const auto& [name, sum] : saved.items()) {
    sums_[name] = {number_from_json(sum.at(0)), {}, sum.at(1).get<int64_t>()};
  }
}

nlohmann::json number_to_json(double value) {
  if (std::isfinite(value)) return value;
  return format_number(value);
}

double number_from_json(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace lvtext
