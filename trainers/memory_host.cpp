#include <map>

#include "framework/core/base/error.h"
#include "framework/core/tensor/torch.h"
#include "trainers/host.h"
#include "trainers/weights.h"

namespace lvtext {

MemoryHost::MemoryHost(ProgressCallback callback) : callback_(std::move(callback)) {}

std::optional<Checkpoint> MemoryHost::resume() {
  log_ = saved_log_;
  return newest_;
}

void MemoryHost::save(int64_t step, const CheckpointContents& contents) {
  Checkpoint copy{{}, step, contents};
  copy.contents.model = copy_of(contents.model);
  if (contents.ema) copy.contents.ema = copy_of(*contents.ema);
  for (auto& [name, tensors] : copy.contents.optimizers) tensors = copy_of(tensors);
  newest_ = std::move(copy);
  saved_log_ = log_;
}

void MemoryHost::save_weights(const std::string& set, int64_t step, const TensorMap& weights) {
  weights_[set][step] = copy_of(weights);
}

TensorMap MemoryHost::load_weights(const std::string& set, int64_t step) {
  const auto found = weights_[set].find(step);
  if (found == weights_[set].end()) {
    throw MissingError(set + ": the weights of step " + std::to_string(step) + " are missing");
  }
  return found->second;
}

void MemoryHost::keep_weights(const std::string& set, const std::vector<int64_t>& keep) {
  std::erase_if(weights_[set], [&](const auto& entry) {
    return std::find(keep.begin(), keep.end(), entry.first) == keep.end();
  });
}

void MemoryHost::log(const nlohmann::ordered_json& line) {
  log_ += line.dump() + "\n";
}

std::string MemoryHost::save_diagnostics(const nlohmann::ordered_json& diagnostics) {
  diagnostics_ = diagnostics;
  return diagnostics.dump();
}

void MemoryHost::progress(const TrainerState& state, const TrainerMetrics& metrics) {
  if (callback_) callback_(state, metrics);
}

}  // namespace lvtext
