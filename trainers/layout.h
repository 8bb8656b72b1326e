// A model's declared groups and phases, validated against its parameters and the options.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "framework/core/model/trainable.h"
#include "trainers/optimizer.h"
#include "trainers/options.h"

namespace lvtext {

/// A model's parameter groups and phases, with lookup by name.
class Layout {
 public:
  /// Throws std::logic_error listing every violation of the model's contract: a parameter in no
  /// group or in two, duplicate names, unknown groups or streams. Throws OptionError for options
  /// that the model does not support.
  Layout(Trainable& model, const TrainOptions& options);

  const std::vector<ParamGroup>& groups() const { return groups_; }
  const ParamGroup& group(const std::string& name) const;
  bool has_group(const std::string& name) const { return group_index_.contains(name); }
  const std::vector<Phase>& phases() const { return phases_; }
  /// Throws std::logic_error if the model does not declare a phase of this name.
  const Phase& phase(const std::string& name) const;
  /// Parameters of all groups.
  const NamedTensors& parameters() const { return parameters_; }
  /// Parameters that an update changes.
  NamedTensors parameters(const Update& update) const;
  /// Names of the parameters without weight decay.
  std::set<std::string> undecayed() const;
  /// Unique names of the optimizers that the phases use.
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

/// The stream that defines epochs and token counts: the first one that a phase draws from.
const std::string& leading_stream(const std::vector<Phase>& phases);
/// Contribution of a phase's batches to the denominator of a term.
int64_t term_count(const LossTerm& term, const Batches& batches);
/// Number of tokens in all text fields, including one EOS per sentence; of examples without text,
/// their number.
int64_t target_tokens(const Batch& batch);

}  // namespace lvtext
