// Parts of the contract suite: modified streams, a wrapper that makes any model micro-batchable,
// comparisons, child processes.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/model/capabilities.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"
#include "framework/core/text/special_ids.h"
#include "framework/pipeline/check/inline_models.h"
#include "tests/catch.h"
#include "tests/child_task.h"
#include "tests/model_inputs.h"
#include "tests/temporary_folder.h"
#include "trainers/trainer.h"
#include "trainers/weights.h"

namespace lvtext::testing {

/// A model's smallest preset with all kinds of noise and losses that its options offer. Keys that
/// it does not have are omitted.
inline Node small_options(const Component& entry) {
  const Node expected = parse_yaml_or_throw(
      "{size: small, decoder: {dropout: 0.6, word_dropout: 0.3}, second_pair: {enabled: true}, "
      "loss: {para: 0.2, cyc: 1, lang: 0.1}, generator: 4, discriminator: 2, judged: 3, "
      "residual_blocks: 1, conditioning: {size: 3}, sentence_directions: 1, directions: 2, "
      "min_target_count: 1}",
      "small_options");
  Node options = Node::mapping({});
  for (const auto& key : expected.entries()) {
    Errors errors;
    const Node wider = options.with(key);
    entry.configure(wider, errors, "");
    if (errors.empty()) options = wider;
  }
  // The presets of transformers are too large.
  Errors errors;
  const Node narrower =
      merge(options, parse_yaml_or_throw("{layers: 2, heads: 2, width: 8, positions: 24}"));
  entry.configure(narrower, errors, "");
  if (errors.empty()) return narrower;
  Errors of_critic;  // of images with a condition
  const Node critic = merge(options, parse_yaml_or_throw("{condition: embedding, width: 4}"));
  entry.configure(critic, of_critic, "");
  return of_critic.empty() ? critic : options;
}

/// Word vectors in place of those of a fit.
class FixedWordVectors : public Model, public WordVectors {
 public:
  explicit FixedWordVectors(int64_t vocabulary)
      : vectors_(register_buffer("weight", normal_step({.seed = 8}, {vocabulary, 6}, at::kFloat))) {
  }
  at::Tensor vectors() const override { return vectors_; }

 private:
  at::Tensor vectors_;
};

/// Inputs with the sizes of ToyStream and, for each declared model input, the first suitable model
/// of sentences, small and untrained.
inline ModelInputs toy_inputs(const Registries& registries, const Configured& configured,
                              uint64_t seed, const ImageDims& image = kSmallImage) {
  ModelInputs inputs = model_inputs(13, seed, 2, image);
  for (const InputDecl& input : configured.inputs) {
    for (const auto& name : registries.models.names()) {
      const Component& other = registries.models.get(name);
      if (other.is_fitted || inputs.models.contains(input.name) ||
          !capability_mismatch(input, other).empty()) {
        continue;
      }
      const Configured small = other.configure(small_options(other));
      if (!small.inputs.empty()) continue;
      const auto model = small.model(model_inputs(13, 3, 2, image));
      const auto* next_token = dynamic_cast<const NextTokenModel*>(model.get());
      if (next_token != nullptr && !next_token->start_symbol()) continue;  // of running text
      model->eval();
      inputs.models[input.name] = {.component = name, .model = model};
    }
    const auto& needed = input.capabilities;
    if (std::find(needed.begin(), needed.end(), WordVectors::kName) != needed.end()) {
      inputs.models[input.name] = {.component = "word_vectors",
                                   .model = std::make_shared<FixedWordVectors>(13)};
    }
    REQUIRE(inputs.models.contains(input.name));
  }
  return inputs;
}

/// The smallest images, of one or three channels and 8, 16, ... 256 pixels, that a model accepts.
/// If it accepts none, throws what it throws for the first.
inline ImageDims accepted_images(const Registries& registries, const Configured& configured) {
  std::exception_ptr first;
  for (int64_t side = 8; side <= 256; side *= 2) {
    for (const int64_t channels : {1, 3}) {
      const ImageDims image = {channels, side, side};
      try {
        configured.model(toy_inputs(registries, configured, 1, image));
        return image;
      } catch (const ConfigError&) {
        if (!first) first = std::current_exception();
      }
    }
  }
  std::rethrow_exception(first);
}

/// A stream whose batches are transformed by a function.
class ChangedStream : public DataLoader {
 public:
  using Change = std::function<Batch(Batch)>;
  ChangedStream(std::shared_ptr<const DataLoader> inner, Change change)
      : inner_(std::move(inner)), change_(std::move(change)) {}
  int64_t batches(int64_t epoch) const override { return inner_->batches(epoch); }
  Batch batch(int64_t epoch, int64_t index) const override {
    return change_(inner_->batch(epoch, index));
  }

 private:
  std::shared_ptr<const DataLoader> inner_;
  Change change_;
};

inline DataLoaders changed(const DataLoaders& streams, const ChangedStream::Change& change) {
  DataLoaders result;
  for (const auto& [name, stream] : streams) {
    result[name] = std::make_shared<ChangedStream>(stream, change);
  }
  return result;
}

/// Applies `change(ids, lengths)` to every text field.
inline Batch change_text(Batch batch,
                         const std::function<void(at::Tensor& ids, at::Tensor& lengths)>& change) {
  for (auto& [name, ids] : batch.fields) {
    const auto lengths = batch.fields.find(name + ".lengths");
    if (lengths != batch.fields.end()) change(ids, lengths->second);
  }
  return batch;
}

/// The same sentences with three more columns of padding.
inline Batch padded(Batch batch) {
  return change_text(std::move(batch), [](at::Tensor& ids, at::Tensor&) {
    ids = at::cat({ids, at::full({ids.size(0), 3}, kPad, ids.options())}, 1);
  });
}

/// At most the first `longest` tokens of every sentence.
inline Batch shortened(Batch batch, int64_t longest) {
  return change_text(std::move(batch), [longest](at::Tensor& ids, at::Tensor& lengths) {
    lengths = lengths.clamp_max(longest);
    const int64_t width = std::max<int64_t>(1, longest);
    ids = ids.slice(1, 0, width).clone();
    const auto columns = at::arange(ids.size(1), at::kLong).unsqueeze(0);
    ids.masked_fill_(columns.ge(lengths.unsqueeze(1)), kPad);
  });
}

/// The same model, declared as micro-batchable: shows whether an exemption is necessary.
class SplitAnyway : public Trainable {
 public:
  explicit SplitAnyway(std::shared_ptr<Trainable> inner) : inner_(std::move(inner)) {
    register_module("inner", inner_);
  }
  std::vector<ParamGroup> groups() override { return inner_->groups(); }
  std::vector<Phase> phases() const override {
    auto phases = inner_->phases();
    for (auto& phase : phases) {
      for (auto& term : phase.terms) term.micro_batchable = true;
    }
    return phases;
  }
  std::vector<StreamDecl> streams() const override { return inner_->streams(); }
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override {
    return inner_->frozen();
  }
  StepPlan plan(const TrainerState& state, const NoiseKey& key) const override {
    return inner_->plan(state, key);
  }
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override {
    return inner_->losses(phase, batches, context);
  }
  bool active(const Phase& phase, StepContext& context) override {
    return inner_->active(phase, context);
  }

 private:
  std::shared_ptr<Trainable> inner_;
};

inline bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && at::equal(a, b);
}

inline void require_same(const TensorMap& a, const TensorMap& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, value] : a) {
    INFO(name);
    REQUIRE(b.contains(name));
    CHECK(same_bits(value, b.at(name)));
  }
}

/// Converts a model and what it reads, such as frozen models, to float64. Integers stay integers.
inline void to_double(Trainable& model) {
  model.to(at::kDouble);
  for (const auto& module : model.frozen()) {
    for (const auto& values : {module->parameters(), module->buffers()}) {
      for (const at::Tensor& value : values) {
        if (value.is_floating_point()) value.set_data(value.to(at::kDouble));
      }
    }
  }
}

/// Largest difference over all tensors.
inline double distance(const TensorMap& a, const TensorMap& b) {
  double largest = 0;
  for (const auto& [name, value] : a) {
    if (!value.is_floating_point() || value.numel() == 0) continue;
    const auto difference = (value.to(at::kDouble) - b.at(name).to(at::kDouble)).abs().max();
    largest = std::max(largest, difference.item<double>());
  }
  return largest;
}

inline TensorMap snapshot(Trainable& model) {
  TensorMap copy;
  for (const auto& [name, value] : model_tensors(model)) copy[name] = value.detach().clone();
  return copy;
}

inline int wait_for(pid_t pid) {
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return status;
}

}  // namespace lvtext::testing
