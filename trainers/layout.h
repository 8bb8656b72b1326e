// What a model declares, checked once against its own parameters and against the options.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "framework/core/model/trainable.h"
#include "trainers/optimizer.h"
#include "trainers/options.h"

namespace lvtext {

/// A model's groups and phases, with look-up by name.
class Layout {
 public:
  /// Throws std::logic_error listing every breach of the model's contract: a parameter in no group
  /// or in two, names twice, unknown groups or streams. Throws OptionError for options
  /// that the model cannot serve.
  Layout(Trainable& model, const TrainOptions& options);

  const std::vector<ParamGroup>& groups() const { return groups_; }
  const ParamGroup& group(const std::string& name) const;
  bool has_group(const std::string& name) const { return group_index_.contains(name); }
  const std::vector<Phase>& phases() const { return phases_; }
  /// Throws std::logic_error for a name that the model does not declare.
  const Phase& phase(const std::string& name) const;
  /// Every parameter of every group.
  const NamedTensors& parameters() const { return parameters_; }
  /// Those that an update changes.
  NamedTensors parameters(const Update& update) const;
  /// Names of the parameters without weight decay.
  std::set<std::string> undecayed() const;
  /// Names of the optimizers that phases use, each once.
  std::vector<std::string> optimizers() const;

 private:
  void check_groups(Trainable& model, std::vector<std::string>& wrong);
  void check_streams(const Trainable& model, std::vector<std::string>& wrong) const;
  void check_phases(std::vector<std::string>& wrong);
  void check_options(const Trainable& model, const TrainOptions& options) const;

  std::vector<ParamGroup> groups_;
  std::map<std::string, size_t> group_index_;
  std::vector<Phase> phases_;
  NamedTensors parameters_;
};

/// The stream whose passes are epochs and whose tokens count: the first one that a phase draws.
const std::string& leading_stream(const std::vector<Phase>& phases);
/// The divisor that the batches of a phase add to a term's total.
int64_t term_count(const LossTerm& term, const Batches& batches);
/// Tokens of all text fields, each row with its EOS.
int64_t target_tokens(const Batch& batch);

}  // namespace lvtext
