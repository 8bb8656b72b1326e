#include <malloc.h>

#include "framework/core/base/error.h"
#include "framework/core/base/log.h"
#include "framework/core/tensor/device.h"
#include "framework/core/tensor/torch.h"
#include "trainers/trainer_impl.h"

namespace lvtext {
namespace {

/// Keeps freed memory in the process: every step allocates and frees the same hundreds of
/// megabytes, and each page returned to the system costs a page fault on reuse.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the maximum
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

}  // namespace

at::Device prepare_device(const TrainOptions& options) {
  keep_freed_memory();
  return resolve_device(options.device);
}

void Trainer::Impl::start_feeders(const std::map<std::string, Cursor>& cursors) {
  feeders.clear();
  for (const auto& [name, stream] : streams) {
    const auto at = cursors.find(name);
    feeders.emplace(name, BatchPrefetcher(stream, at == cursors.end() ? Cursor{} : at->second));
  }
}

RunState Trainer::Impl::run_state() const {
  RunState state;
  state.progress = progress;
  for (const auto& [name, feeder] : feeders) state.cursors[name] = feeder.cursor();
  state.means = means.save();
  state.skipped = skips.recent();
  state.skipped_total = skips.total();
  state.validation_due = validation_due;
  state.seconds = seconds();
  state.kept = kept;
  if (all_kept) state.kept_every = kept_every();
  state.averaged = averaged;
  state.threads = at::get_num_threads();
  state.device = device.is_cuda() ? "cuda" : "cpu";
  return state;
}

void Trainer::Impl::save() {
  CheckpointContents contents;
  contents.model = model_tensors(*model);
  for (const auto& [name, tensor] : contents.model) {
    if (tensor.is_floating_point() && !at::isfinite(tensor.detach()).all().item<bool>()) {
      throw Error(Exit::kSomeFailed,
                  "step " + std::to_string(progress.step) + ": '" + name +
                      "' is not finite, so no checkpoint was written; the previous "
                      "one is intact. Lower the learning rate (train.optimizers.default.lr)");
    }
  }
  if (!ema.empty()) contents.ema = ema;
  for (const auto& [name, optimizer] : optimizers) contents.optimizers[name] = optimizer.state();
  contents.state = to_json(run_state());
  host.save(progress.step, contents);
  saved = Clock::now();
  saved_step = progress.step;
  // Also keep the weights that the previous checkpoint needs, in case this one is damaged.
  auto wanted = wanted_weights();
  const auto needed = wanted;
  wanted.insert(wanted.end(), wanted_before.begin(), wanted_before.end());
  host.keep_weights("snapshots", wanted);
  wanted_before = needed;
  if (options.average > 0) host.keep_weights("average", averaged);
}

void Trainer::Impl::save_if_new() {
  if (saved_step != progress.step) save();
}

void Trainer::Impl::resume() {
  started = saved = Clock::now();
  const auto found = host.resume();
  if (!found) {
    resumed = true;
    return;
  }
  const RunState state = run_state_from_json(found->contents.state);
  const std::string place = found->folder.empty() ? "the checkpoint" : found->folder.string();
  load_into(model_tensors(*model), found->contents.model, place + "/model.safetensors");
  if (options.ema) {
    if (!found->contents.ema)
      throw DataError(place + ": missing ema.safetensors, which train.ema requires");
    load_into(ema, *found->contents.ema, place + "/ema.safetensors");
  }
  for (auto& [name, optimizer] : optimizers) {
    const auto moments = found->contents.optimizers.find(name);
    if (moments == found->contents.optimizers.end()) {
      throw DataError(place + ": missing the moments of optimizer '" + name + "'");
    }
    optimizer.load(moments->second, layout.parameters());
  }
  const double rate = progress.schedule_rate;
  progress = state.progress;
  progress.schedule_rate = rate;
  start_feeders(state.cursors);
  means.load(state.means);
  skips.restore(state.skipped, state.skipped_total);
  validation_due = state.validation_due;
  seconds_before = state.seconds;
  all_kept = state.kept_every == kept_every();
  if (all_kept) kept = state.kept;
  averaged = state.averaged;
  wanted_before = wanted_weights();
  saved_step = progress.step;
  begun = logged = {progress.step, progress.tokens, seconds_before};
  const std::string here = device.is_cuda() ? "cuda" : "cpu";
  if (state.threads != at::get_num_threads() || state.device != here) {
    log_warning("the checkpoint was written on " + state.device + " with " +
                std::to_string(state.threads) + " threads; resuming on " + here + " with " +
                std::to_string(at::get_num_threads()) +
                ": results may differ in the last digits from an uninterrupted run");
  }
  resumed = true;
}

}  // namespace lvtext
