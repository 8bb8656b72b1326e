#include "trainers/layout.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/option_error.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {

Layout::Layout(Trainable& model, const TrainOptions& options)
    : groups_(model.groups()), phases_(model.phases()) {
  std::vector<std::string> wrong;
  check_groups(model, wrong);
  check_phases(wrong);
  check_streams(model, wrong);
  if (!wrong.empty())
    throw std::logic_error("the model violates its contract: " + join(wrong, "; "));
  check_options(model, options);
}

void Layout::check_groups(Trainable& model, std::vector<std::string>& wrong) {
  std::map<const void*, std::string> group_of;
  std::set<std::string> names;
  for (const auto& group : groups_) {
    if (!group_index_.emplace(group.name, group_index_.size()).second) {
      wrong.push_back("two groups are named '" + group.name + "'");
    }
    for (const auto& [name, tensor] : group.params) {
      const auto [other, is_new] = group_of.emplace(tensor.unsafeGetTensorImpl(), group.name);
      if (!is_new) {
        wrong.push_back("parameter '" + name + "' is in groups '" + other->second + "' and '" +
                        group.name + "'");
      }
      if (!names.insert(name).second) wrong.push_back("two parameters are named '" + name + "'");
      if (!tensor.is_leaf() || !tensor.requires_grad()) {
        wrong.push_back("parameter '" + name + "' is not a leaf that requires a gradient");
      }
      parameters_.emplace_back(name, tensor);
    }
  }
  for (const auto& module : model.frozen()) {
    for (const auto& item : module->named_parameters()) {
      if (group_of.contains(item.value().unsafeGetTensorImpl())) {
        wrong.push_back("parameter '" + item.key() + "' is in a group and in a frozen module");
      }
    }
  }
  std::set<const void*> registered;
  for (const auto& item : model.named_parameters()) {
    registered.insert(item.value().unsafeGetTensorImpl());
    if (!group_of.contains(item.value().unsafeGetTensorImpl())) {
      wrong.push_back("parameter '" + item.key() + "' is in no group");
    }
  }
  for (const auto& [name, tensor] : parameters_) {
    if (!registered.contains(tensor.unsafeGetTensorImpl())) {
      wrong.push_back("'" + name + "' is in a group but not among the module's parameters");
    }
  }
}

void Layout::check_streams(const Trainable& model, std::vector<std::string>& wrong) const {
  const std::vector<StreamDecl> streams = model.streams();
  const auto find = [&](const std::string& name) {
    return std::find_if(streams.begin(), streams.end(),
                        [&](const StreamDecl& stream) { return stream.name == name; });
  };
  for (auto stream = streams.begin(); stream != streams.end(); ++stream) {
    const std::string prefix = "stream '" + stream->name + "': ";
    if (find(stream->name) != stream) wrong.push_back(prefix + "declared twice");
    if (stream->rows_of.empty()) continue;
    const auto whose = find(stream->rows_of);
    if (whose == streams.end() || !whose->rows_of.empty()) {
      wrong.push_back(prefix + "'" + stream->rows_of + "' has no data of its own");
    }
  }
  for (const auto& phase : phases_) {
    for (const auto& draw : phase.draws) {
      if (find(draw.stream) != streams.end()) continue;
      wrong.push_back("phase '" + phase.name + "': draws from the undeclared stream '" +
                      draw.stream + "'");
    }
  }
}

void Layout::check_phases(std::vector<std::string>& wrong) {
  if (phases_.empty()) wrong.push_back("it has no phases");
  std::set<std::string> names;
  for (const auto& phase : phases_) {
    const std::string prefix = "phase '" + phase.name + "': ";
    if (!names.insert(phase.name).second) wrong.push_back(prefix + "declared twice");
    if (phase.draws.empty()) wrong.push_back(prefix + "draws from no stream");
    if (phase.terms.empty()) wrong.push_back(prefix + "has no loss terms");
    std::set<std::string> updated;
    for (const auto& update : phase.updates) {
      for (const auto& group : update.groups) {
        if (!has_group(group))
          wrong.push_back(prefix + "updates the unknown group '" + group + "'");
        if (!updated.insert(group).second) {
          wrong.push_back(prefix + "updates group '" + group + "' twice");
        }
      }
    }
    if (updated.empty()) wrong.push_back(prefix + "updates nothing");
    std::set<std::string> terms;
    for (const auto& term : phase.terms) {
      if (!terms.insert(term.name).second) {
        wrong.push_back(prefix + "two terms are named '" + term.name + "'");
      }
      if (term.draw >= std::max<size_t>(phase.draws.size(), 1)) {
        wrong.push_back(prefix + "term '" + term.name + "' refers to a draw that does not exist");
      }
      if (!term.micro_batchable && term.reason.empty()) {
        wrong.push_back(prefix + "term '" + term.name +
                        "' is not micro_batchable but has no `reason`");
      }
    }
  }
}

void Layout::check_options(const Trainable& model, const TrainOptions& options) const {
  std::vector<OptionMistake> mistakes;
  const auto used = optimizers();
  for (const auto& [name, settings] : options.optimizers) {
    if (name == "default" || std::find(used.begin(), used.end(), name) != used.end()) continue;
    mistakes.push_back({"train.optimizers." + name,
                        "the model has no optimizer of this name; " + suggestion(name, used)});
  }
  const int64_t fewest = model.min_batch_size();
  if (options.batch.size > 0 && options.batch.size < fewest) {
    mistakes.push_back({"train.batch.size", "this model uses batch statistics and needs at least " +
                                                std::to_string(fewest) +
                                                " examples per batch, got " +
                                                std::to_string(options.batch.size)});
  }
  const bool in_parts = options.batch.micro_size > 0;
  std::string reason = in_parts ? model.micro_batch_problem() : "";
  for (const auto& phase : phases_) {
    for (const auto& term : phase.terms) {
      if (in_parts && !term.micro_batchable && reason.empty()) {
        reason = "its term " + phase.name + "/" + term.name + ": " + term.reason;
      }
    }
  }
  if (!reason.empty()) {
    mistakes.push_back(
        {"train.batch.micro_size", "this model does not support gradient accumulation (" + reason +
                                       "); set it to 0 and lower train.batch.size instead"});
  }
  std::vector<std::string> metrics = {"objective"};
  for (const auto& phase : phases_) {
    if (!phase.validated) continue;
    for (const auto& term : phase.terms) metrics.push_back(phase.name + "/" + term.name);
  }
  for (const auto& condition : options.stop_when) {
    const auto metric = condition->metric();
    if (!metric || std::find(metrics.begin(), metrics.end(), *metric) != metrics.end()) continue;
    mistakes.push_back({"train.stop_when", "'" + *metric +
                                               "' is not a validation term of the model; " +
                                               suggestion(*metric, metrics)});
  }
  if (!mistakes.empty()) throw OptionError(std::move(mistakes));
}

const ParamGroup& Layout::group(const std::string& name) const {
  const auto found = group_index_.find(name);
  LVT_ASSERT(found != group_index_.end(), "no group '" + name + "'");
  return groups_[found->second];
}

const Phase& Layout::phase(const std::string& name) const {
  for (const auto& phase : phases_) {
    if (phase.name == name) return phase;
  }
  throw std::logic_error("the model's plan contains the unknown phase '" + name + "'");
}

NamedTensors Layout::parameters(const Update& update) const {
  NamedTensors parameters;
  for (const auto& name : update.groups) {
    const NamedTensors& params = group(name).params;
    parameters.insert(parameters.end(), params.begin(), params.end());
  }
  return parameters;
}

std::vector<std::string> Layout::optimizers() const {
  std::vector<std::string> names;
  for (const auto& phase : phases_) {
    for (const auto& update : phase.updates) {
      if (std::find(names.begin(), names.end(), update.optimizer) == names.end()) {
        names.push_back(update.optimizer);
      }
    }
  }
  return names;
}

std::set<std::string> Layout::undecayed() const {
  std::set<std::string> names;
  for (const auto& group : groups_) {
    if (group.decays) continue;
    for (const auto& [name, value] : group.params) names.insert(name);
  }
  return names;
}

const std::string& leading_stream(const std::vector<Phase>& phases) {
  return phases.front().draws.front().stream;
}

int64_t term_count(const LossTerm& term, const Batches& batches) {
  const Batch& batch = batches.at(term.draw);
  switch (term.denominator) {
    case Denominator::kExamples: return batch.rows();
    case Denominator::kTokens: return batch.field(term.field + ".lengths").sum().item<int64_t>();
    case Denominator::kTargets:
      return batch.field(term.field + ".lengths").sum().item<int64_t>() + batch.rows();
    case Denominator::kTransitions:
      return (batch.field(term.field + ".lengths") - 1).clamp_min(0).sum().item<int64_t>();
    case Denominator::kElements: return batch.field(term.field).numel();
    case Denominator::kOnce: return 1;
  }
  return 0;
}

int64_t target_tokens(const Batch& batch) {
  int64_t count = 0;
  for (const auto& [name, value] : batch.fields) {
    if (name.ends_with(".lengths")) count += value.sum().item<int64_t>() + batch.rows();
  }
  return count > 0 ? count : batch.rows();
}

}  // namespace lvtext
