// Sequence-level unlikelihood of GPT-2 in small: a coin per step between the likelihood of the text
// and the unlikelihood of what the model repeats, on the same weights.
#pragma once

#include "tests/contract/toy_decoder.h"

namespace lvtext::testing {

class ToyUnlikelihood : public Trainable {
 public:
  static constexpr int64_t kGenerated = 6;

  explicit ToyUnlikelihood(uint64_t seed) {
    decoder_ = register_module("decoder", std::make_shared<ToyDecoder>(seed));
    start_ = register_parameter("start", toy_weight(seed, "start", {1, 4}, at::kDouble));
  }

  std::vector<ParamGroup> groups() override {
    return {group("weights", {decoder_}),
            {.name = "plain", .params = {{"start", start_}}, .decays = false}};
  }

  std::vector<Phase> phases() const override {
    const std::vector<Update> updates = {{"adamw", {"weights", "plain"}}};
    return {{.name = "likelihood",
             .updates = updates,
             .draws = {{"train", Draw::kNext}},
             .terms = {{.name = "nll", .over = Over::kTargets}}},
            {.name = "unlikelihood",
             .updates = updates,
             .draws = {{"train", Draw::kNext}},
             .terms = {{.name = "repeats", .select_weight = 0}}}};
  }

  StepPlan plan(const Progress&, const NoiseKey& key) const override {
    const double coin = uniform_step(key, {1}, at::kDouble).item<double>();
    return {coin < 0.5 ? "likelihood" : "unlikelihood"};
  }

  Sums losses(const Phase& phase, const Batches& batches, StepContext&) override {
    const Tokens x = batches[0].tokens();
    if (phase.name == "likelihood") return {decoder_->nll(x, decoder_->taught(x, start_))};
    const Tokens continued = continuation(x);
    const at::Tensor p = decoder_->log_p(decoder_->taught(continued, start_))
                             .slice(1, 0, continued.ids.size(1))
                             .exp()
                             .gather(2, continued.ids.unsqueeze(2))
                             .squeeze(2);
    return {-(at::log1p(-p.clamp_max(1 - 1e-6)) * repeated(continued, x)).sum() / kGenerated};
  }

 private:
  /// The first words of each sentence and the model's likeliest words after them; no gradient.
  Tokens continuation(const Tokens& x) {
    const at::NoGradGuard no_grad;
    const at::Tensor prefix = x.lengths.clamp_max(2);
    const int64_t width = prefix.max().item<int64_t>();
    const at::Tensor room = at::full({x.rows(), kGenerated}, kPad, at::kLong);
    Tokens text{at::cat({x.ids.slice(1, 0, width), room}, 1), prefix};
    for (int64_t i = 0; i < kGenerated; ++i) {
      const at::Tensor last = text.lengths.unsqueeze(1);
      const at::Tensor scores = decoder_->log_p(decoder_->taught(text, start_));
      const at::Tensor next = scores.argmax(2).gather(1, last);
      text.ids.scatter_(1, last, next);
      text.lengths = text.lengths + 1;
    }
    return text;
  }

  /// 1 where a generated word stands in its text already, [B, T].
  static at::Tensor repeated(const Tokens& text, const Tokens& x) {
    const at::Tensor places = at::arange(text.ids.size(1), at::kLong).unsqueeze(0);
    const at::Tensor generated =
        places.ge(x.lengths.clamp_max(2).unsqueeze(1)) & places.lt(text.lengths.unsqueeze(1));
    const at::Tensor same = text.ids.unsqueeze(2).eq(text.ids.unsqueeze(1)).tril(-1);
    return (generated & same.any(2)).to(at::kDouble);
  }

  std::shared_ptr<ToyDecoder> decoder_;
  at::Tensor start_;
};

}  // namespace lvtext::testing
