// A small language model with sequence-level unlikelihood (Welleck et al. 2020): each step draws
// whether it trains the likelihood of the text or the unlikelihood of the model's repetitions, with
// shared weights.
#pragma once

#include <memory>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "small_decoder.h"

namespace example {

struct UnlikelihoodLmOptions {
  double rate = 0.5;
  int64_t width = 8;
  int64_t prefix = 2;
  int64_t generated = 6;

  template <class V>
  void visit(V& v) {
    v.field("rate", rate, "share of unlikelihood updates; 0: likelihood only",
            lvtext::in_range(0, 1));
    v.field("width", width, "width of the word vectors and of the state",
            lvtext::in_range(1, 65536));
    v.field("prefix", prefix, "number of first tokens of a sentence that are continued",
            lvtext::in_range(1, 1000));
    v.field("generated", generated, "number of tokens of a continuation",
            lvtext::in_range(1, 1000));
  }
};

class UnlikelihoodLm : public lvtext::Trainable,
                       public lvtext::NextTokenModel,
                       public lvtext::TextScorer {
 public:
  static constexpr int kRevision = 1;

  UnlikelihoodLm(const UnlikelihoodLmOptions& options, const lvtext::ModelInputs& inputs)
      : options_(options), vocabulary_(inputs.vocabulary()) {
    const lvtext::ModuleScope scope(*this, {inputs.seed});
    decoder_ = scope.add<SmallDecoder>("decoder", vocabulary_, options.width);
    start_ = scope.uniform("start", {1, options.width}, 0.5);
  }

  std::vector<lvtext::ParamGroup> groups() override {
    return {group("weights", {decoder_}),
            {.name = "plain", .params = {{"start", start_}}, .decays = false}};
  }

  std::vector<lvtext::Phase> phases() const override {
    const std::vector<lvtext::Update> updates = {{"adamw", {"weights", "plain"}}};
    return {{.name = "likelihood",
             .updates = updates,
             .draws = {{}},
             .terms = {{.name = "nll", .denominator = lvtext::Denominator::kTargets}}},
            {.name = "unlikelihood",
             .updates = updates,
             .draws = {{}},
             .terms = {{.name = "repeats", .select_weight = 0}}}};
  }

  lvtext::StepPlan plan(const lvtext::TrainerState&, const lvtext::NoiseKey& key) const override {
    const double coin = lvtext::uniform_step(key, {1}, at::kDouble).item<double>();
    return {coin < 1 - options_.rate ? "likelihood" : "unlikelihood"};
  }

  lvtext::Sums losses(const lvtext::Phase& phase, const lvtext::Batches& batches,
                      lvtext::StepContext&) override {
    const lvtext::Tokens x = batches.at(0).tokens();
    if (phase.name == "likelihood") return {nll(x).sum()};
    const lvtext::Tokens continued = continuation(x);
    const at::Tensor p = decoder_->log_p(decoder_->taught(continued, start_))
                             .slice(1, 0, continued.ids.size(1))
                             .exp()
                             .gather(2, continued.ids.to(start_.device()).unsqueeze(2))
                             .squeeze(2);
    const at::Tensor is_repeated = repeated(continued, x).to(p.device(), p.scalar_type());
    return {-(at::log1p(-p.clamp_max(1 - 1e-6)) * is_repeated).sum() /
            static_cast<double>(options_.generated)};
  }

  const lvtext::Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<lvtext::DecodeState> start(const lvtext::Start& start) override {
    const at::NoGradGuard no_grad;
    auto state = std::make_unique<State>();
    state->h = start_.expand({start.rows, options_.width});
    if (start.prompt) state->h = decoder_->after_prompt(*start.prompt, state->h);
    return state;
  }
  at::Tensor step(lvtext::DecodeState& state, const at::Tensor& ids) override {
    const at::NoGradGuard no_grad;
    at::Tensor& h = static_cast<State&>(state).h;
    h = decoder_->next(h, decoder_->vectors(ids));
    return decoder_->scores(h);
  }
  at::Tensor score(const lvtext::Tokens& sentences, const at::Tensor&) override {
    const at::NoGradGuard no_grad;
    return nll(sentences);
  }

 private:
  struct State : lvtext::DecodeState {
    at::Tensor h;  // [N, H]
    void select_rows(const at::Tensor& index) override { h = h.index_select(0, index); }
  };

  at::Tensor nll(const lvtext::Tokens& x) const {
    return decoder_->nll(x, decoder_->taught(x, start_));
  }

  /// Continues the first tokens of each sentence with the model's most likely ones; without
  /// gradient.
  lvtext::Tokens continuation(const lvtext::Tokens& x) const {
    const at::NoGradGuard no_grad;
    const at::Tensor prefix = x.lengths.clamp_max(options_.prefix);
    const at::Tensor room = at::zeros({x.rows(), options_.generated}, x.ids.options());
    lvtext::Tokens text{at::cat({x.ids.slice(1, 0, prefix.max().item<int64_t>()), room}, 1),
                        prefix};
    for (int64_t i = 0; i < options_.generated; ++i) {
      const at::Tensor last = text.lengths.unsqueeze(1).to(text.ids.device());
      const at::Tensor scores = decoder_->scores(decoder_->taught(text, start_));
      text.ids.scatter_(1, last, scores.argmax(2).gather(1, last.to(scores.device())));
      text.lengths = text.lengths + 1;
    }
    return text;
  }

  /// Whether a generated token occurs in the preceding text, [B, T].
  at::Tensor repeated(const lvtext::Tokens& text, const lvtext::Tokens& x) const {
    const at::Tensor ids = text.ids.to(at::kCPU);
    const at::Tensor positions = at::arange(ids.size(1), at::kLong).unsqueeze(0);
    const at::Tensor generated = positions.ge(x.lengths.clamp_max(options_.prefix).unsqueeze(1)) &
                                 positions.lt(text.lengths.unsqueeze(1));
    return generated & ids.unsqueeze(2).eq(ids.unsqueeze(1)).tril(-1).any(2);
  }

  UnlikelihoodLmOptions options_;
  lvtext::Vocabulary vocabulary_;
  std::shared_ptr<SmallDecoder> decoder_;
  at::Tensor start_;
};

}  // namespace example
