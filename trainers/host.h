// Storage for the output of a training run (checkpoints, weights, logs): a folder or memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/base/tensorboard.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/run_folder.h"
#include "trainers/metrics.h"

namespace lvtext {

/// Storage that the trainer writes to and resumes from.
class Host {
 public:
  virtual ~Host() = default;

  /// Restores the newest valid checkpoint and returns it; none at the start of a run. The log is
  /// truncated to its contents at the time of that checkpoint.
  virtual std::optional<Checkpoint> resume() = 0;
  /// Saves a full checkpoint, including the log; may remove older ones.
  virtual void save(int64_t step, const CheckpointContents& contents) = 0;
  /// Saves the weights of a step in a set ("snapshots", "average").
  virtual void save_weights(const std::string& set, int64_t step, const TensorMap& weights) = 0;
  /// Weights written by save_weights. Throws MissingError if they no longer exist.
  virtual TensorMap load_weights(const std::string& set, int64_t step) = 0;
  /// Removes the set's weights of all steps except `keep`.
  virtual void keep_weights(const std::string& set, const std::vector<int64_t>& keep) = 0;

  /// Appends to the reproducible log.
  virtual void log(const nlohmann::ordered_json& line) = 0;
  /// Appends throughput, memory use and time. Failures do not stop training.
  virtual void timing(const nlohmann::ordered_json& line) = 0;
  /// Writes a scalar for TensorBoard. Failures do not stop training.
  virtual void scalar(const std::string& name, int64_t step, double value) = 0;
  /// Saves diagnostics of a non-finite loss or gradient; returns their location, for the message.
  virtual std::string save_diagnostics(const nlohmann::ordered_json& diagnostics) = 0;
  /// Passes the progress of the run to the display.
  virtual void progress(const TrainerState& state, const TrainerMetrics& metrics) = 0;
};

/// Writes to a run's folder: checkpoints/, snapshots/, average/, log.jsonl, timing.jsonl,
/// events.out.tfevents.train, nonfinite.json.
class FolderHost : public Host {
 public:
  /// `config`: the resolved recipe, stored with every checkpoint. Throws ConfigError if `retention`
  /// could delete the only valid checkpoint.
  FolderHost(RunFolder& folder, const Retention& retention, std::string config,
             ProgressCallback callback = {});

  std::optional<Checkpoint> resume() override;
  void save(int64_t step, const CheckpointContents& contents) override;
  void save_weights(const std::string& set, int64_t step, const TensorMap& weights) override;
  TensorMap load_weights(const std::string& set, int64_t step) override;
  void keep_weights(const std::string& set, const std::vector<int64_t>& keep) override;
  void log(const nlohmann::ordered_json& line) override;
  void timing(const nlohmann::ordered_json& line) override;
  void scalar(const std::string& name, int64_t step, double value) override;
  std::string save_diagnostics(const nlohmann::ordered_json& diagnostics) override;
  void progress(const TrainerState& state, const TrainerMetrics& metrics) override;

 private:
  void warn_on_failure(const std::string& what, const std::function<void()>& write);
  RunFolder& folder_;
  Retention retention_;
  std::string config_;
  ProgressCallback callback_;
  std::optional<TensorboardWriter> curves_;
  bool warned_ = false;
};

/// Keeps everything in memory, without files. A killed training cannot resume; the caller restarts
/// it.
class MemoryHost : public Host {
 public:
  explicit MemoryHost(ProgressCallback callback = {});

  std::optional<Checkpoint> resume() override;
  void save(int64_t step, const CheckpointContents& contents) override;
  void save_weights(const std::string& set, int64_t step, const TensorMap& weights) override;
  TensorMap load_weights(const std::string& set, int64_t step) override;
  void keep_weights(const std::string& set, const std::vector<int64_t>& keep) override;
  void log(const nlohmann::ordered_json& line) override;
  void timing(const nlohmann::ordered_json&) override {}
  void scalar(const std::string&, int64_t, double) override {}
  std::string save_diagnostics(const nlohmann::ordered_json& diagnostics) override;
  void progress(const TrainerState& state, const TrainerMetrics& metrics) override;

  /// Log lines so far.
  const std::string& log_text() const { return log_; }
  /// The latest argument of save_diagnostics; null if it was not called.
  const nlohmann::ordered_json& diagnostics() const { return diagnostics_; }

 private:
  ProgressCallback callback_;
  std::optional<Checkpoint> newest_;
  std::map<std::string, std::map<int64_t, TensorMap>> weights_;
  std::string log_, saved_log_;
  nlohmann::ordered_json diagnostics_;
};

}  // namespace lvtext
