#include "trainers/nonfinite.h"

namespace lvtext {

bool SkipBudget::spend(int64_t step) {
  if (options_.policy == NonFinite::kHalt) return false;
  ++total_;
  recent_.push_back(step);
  while (recent_.front() <= step - options_.window) recent_.pop_front();
  return static_cast<int64_t>(recent_.size()) <= options_.budget;
}

void SkipBudget::restore(const std::vector<int64_t>& recent, int64_t total) {
  recent_.assign(recent.begin(), recent.end());
  total_ = total;
}

}  // namespace lvtext
