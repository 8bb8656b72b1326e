// What a run leaves behind, apart from the trainer: in a folder, or in memory.
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

namespace lvtext {

/// The state of a run for the person who waits.
struct TrainProgress {
  int64_t step = 0;
  std::optional<int64_t> planned;  ///< updates in all; none where the clock decides
  int64_t epoch = 0;
  std::map<std::string, double> terms;          ///< latest mean under "phase/term"
  std::map<std::string, double> lr;             ///< by optimizer
  std::map<std::string, double> gradient_norm;  ///< latest, before clipping, by "phase/optimizer"
  std::optional<double> objective;              ///< of the latest validation
  double tokens_per_second = 0;
  uint64_t memory_bytes = 0;           ///< resident, or allocated on CUDA
  double seconds = 0;                  ///< of training, over all restarts
  std::optional<double> seconds_left;  ///< estimated
};
using ProgressCallback = std::function<void(const TrainProgress&)>;

/// Where the trainer writes and resumes from.
class Host {
 public:
  virtual ~Host() = default;

  /// Goes back to the newest valid full state and returns it; none at the start of a run. The log
  /// becomes what it was when that state was saved.
  virtual std::optional<Checkpoint> resume() = 0;
  /// Keeps a full state, the log included; older ones may go.
  virtual void save(int64_t step, const CheckpointContents& contents) = 0;
  /// Keeps weights of a step in a set ("snapshots", "average").
  virtual void save_weights(const std::string& set, int64_t step, const TensorMap& weights) = 0;
  /// Weights that save_weights kept. Throws MissingError if they are gone.
  virtual TensorMap load_weights(const std::string& set, int64_t step) = 0;
  /// Drops the set's weights except those of `keep`.
  virtual void keep_weights(const std::string& set, const std::vector<int64_t>& keep) = 0;

  /// Appends to the reproducible log.
  virtual void log(const nlohmann::ordered_json& line) = 0;
  /// Appends rates, memory and clock. Failures do not stop training.
  virtual void timing(const nlohmann::ordered_json& line) = 0;
  /// A curve for TensorBoard. Failures do not stop training.
  virtual void scalar(const std::string& name, int64_t step, double value) = 0;
  /// What was seen when a loss or gradient was not finite; returns where it lies, for the message.
  virtual std::string save_evidence(const nlohmann::ordered_json& evidence) = 0;
  virtual void progress(const TrainProgress& progress) = 0;
};

/// Writes into a run's folder: checkpoints/, snapshots/, average/, log.jsonl, timing.jsonl,
/// events.out.tfevents.train, nonfinite.json.
class FolderHost : public Host {
 public:
  /// `config` is the resolved recipe that is stored with every checkpoint. Throws ConfigError for a
  /// retention that could delete the only good checkpoint.
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
  std::string save_evidence(const nlohmann::ordered_json& evidence) override;
  void progress(const TrainProgress& progress) override;

 private:
  void tolerate(const std::string& what, const std::function<void()>& write);
  RunFolder& folder_;
  Retention retention_;
  std::string config_;
  ProgressCallback callback_;
  std::optional<TensorboardWriter> curves_;
  bool warned_ = false;
};

/// Keeps everything in memory, without files: what encloses the training starts it again if killed.
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
  std::string save_evidence(const nlohmann::ordered_json& evidence) override;
  void progress(const TrainProgress& progress) override;

  /// The log's lines so far.
  const std::string& log_text() const { return log_; }
  /// What save_evidence saw last; null if nothing was wrong.
  const nlohmann::ordered_json& evidence() const { return evidence_; }

 private:
  ProgressCallback callback_;
  std::optional<Checkpoint> newest_;
  std::map<std::string, std::map<int64_t, TensorMap>> weights_;
  std::string log_, saved_log_;
  nlohmann::ordered_json evidence_;
};

}  // namespace lvtext
