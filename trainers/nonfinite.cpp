#include "trainers/nonfinite.h"

#include <cmath>

#include "framework/core/tensor/torch.h"
#include "trainers/log_means.h"

namespace lvtext {

bool SkipBudget::try_spend(int64_t step) {
  if (options_.policy == NonFinite::kHalt) return false;
  ++total_;
  recent_.push_back(step);
  while (recent_.front() <= step - options_.window) recent_.pop_front();
  return static_cast<int64_t>(recent_.size()) <= options_.budget;
}

nlohmann::json SkipBudget::save() const {
  return {{"skipped", recent_}, {"skipped_total", total_}};
}

void SkipBudget::load(const nlohmann::json& saved) {
  recent_ = saved.at("skipped").get<std::deque<int64_t>>();
  total_ = saved.at("skipped_total");
}

nlohmann::ordered_json nonfinite_diagnostics(int64_t step, const Phase& phase,
                                             const NamedNumbers& terms, const NamedNumbers& norms,
                                             const Batches& batches) {
  nlohmann::ordered_json diagnostics = {{"step", step}, {"phase", phase.name}};
  std::vector<std::string> bad;
  for (const auto& [name, value] : terms) {
    diagnostics["terms"][name] = number_to_json(value);
    if (!std::isfinite(value)) bad.push_back("the loss term '" + name + "'");
  }
  for (const auto& [name, norm] : norms) {
    diagnostics["gradient_norms"][name] = number_to_json(norm);
    if (!std::isfinite(norm)) bad.push_back("the gradient of '" + name + "'");
  }
  diagnostics["first_bad"] = bad.empty() ? "the norm of the whole gradient" : bad.front();
  for (size_t i = 0; i < batches.size(); ++i) {
    const at::Tensor ids = batches[i].example_ids.contiguous();
    const auto* first = ids.const_data_ptr<int64_t>();
    diagnostics["examples"][phase.draws[i].stream] =
        std::vector<int64_t>(first, first + ids.numel());
  }
  return diagnostics;
}

}  // namespace lvtext
