// The longest step of the papers in small, M7 of Shen-style textual transfer: discriminators and
// critics on shared decoder states, a gate, a penalty of second order, a frozen language model, a
// second stream with a denominator of its own.
#pragma once

#include <cmath>

#include "tests/contract/toy_decoder.h"

namespace lvtext::testing {

class ToyTransfer : public Trainable {
 public:
  explicit ToyTransfer(uint64_t seed) : judge_(std::make_shared<ToyDecoder>(17)) {
    decoder_ = register_module("decoder", std::make_shared<ToyDecoder>(seed));
    encoder_ = weight(seed, "encoder");
    style_ = weight(seed, "style", 2);
    for (const char* name : {"d0", "d1"}) discriminators_.push_back(weight(seed, name));
    for (const char* name : {"c0", "c1"}) critics_.push_back(weight(seed, name));
  }

  std::vector<ParamGroup> groups() override {
    ParamGroup generator = group("generator", {decoder_});
    generator.params.insert(generator.params.end(), {{"encoder", encoder_}, {"style", style_}});
    return {generator,
            {.name = "discriminators",
             .params = {{"d0", discriminators_[0]}, {"d1", discriminators_[1]}}},
            {.name = "critics", .params = {{"c0", critics_[0]}, {"c1", critics_[1]}}}};
  }

  std::vector<Phase> phases() const override {
    const Schedule critic_weight = [](const Progress& p) { return -std::exp2(-double(p.epoch)); };
    return {{.name = "disc",
             .updates = {{"disc", {"discriminators"}}, {"critic", {"critics"}}},
             .draws = {{"train", Draw::kNext}},
             .terms = {{.name = "adv_0", .select_weight = 0},
                       {.name = "adv_1", .select_weight = 0},
                       {.name = "critic", .select_weight = 0},
                       {.name = "penalty", .weight = 10, .select_weight = 0}}},
            {.name = "gen",
             .updates = {{"gen", {"generator"}}},
             .draws = {{"train", Draw::kSame}, {"paraphrases", Draw::kNext}},
             .terms = {{.name = "rec", .weight = 0.5},
                       {.name = "para", .draw = 1, .weight = 0.1},
                       {.name = "cyc", .weight = 2.5},
                       {.name = "lang", .weight = 5e-4},
                       {.name = "adv", .weight = -1, .select_weight = 0},
                       {.name = "critic", .weight = critic_weight, .select_weight = 0}}}};
  }
  std::vector<StreamDecl> streams() const override {
    return {{.fields = {{"text_0"}, {"text_1"}}},
            {.name = "paraphrases", .fields = {{"from"}, {"to"}}}};
  }
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override { return {judge_}; }

  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override {
    const bool is_disc = phase.name == "disc";
    const at::Tensor& ids = batches[0].example_ids;
    Sums sums(phase.terms.size(), at::zeros({}, at::kDouble));
    const auto add = [&](size_t term, const at::Tensor& sum) { sums[term] = sums[term] + sum; };
    for (int s : {0, 1}) {
      const Tokens x = batches[0].tokens(s == 0 ? "text_0" : "text_1");
      const auto once = [&](const char* name, const std::function<at::Tensor()>& compute) {
        return context.once(name + std::to_string(s), {"generator"}, compute);
      };
      const at::Tensor code = once("code", [&] { return encode(x, s); });
      at::Tensor here = once("taught", [&] { return decoder_->taught(x, code + style_[s]); });
      at::Tensor there =
          once("moved", [&] { return moved(x, code + style_[1 - s], ids, context); });
      if (is_disc) {
        here = here.detach();
        there = there.detach();
      } else {
        add_text_terms(sums, x, code, here, s, batches[1]);
      }
      // What is moved is seen by the other style's judges.
      add(is_disc ? s : 4, at::softplus(-score(discriminators_[s], here)).sum());
      add(is_disc ? 1 - s : 4, at::softplus(score(discriminators_[1 - s], there)).sum());
      add(is_disc ? 2 : 5, (score(critics_[1 - s], there) - score(critics_[s], here)).sum());
      if (!is_disc || !context.training()) continue;
      const at::Tensor share = uniform(context.noise("mix"), ids, {1, 1}, at::kDouble);
      const at::Tensor point = at::lerp(there, here, share).requires_grad_();
      const at::Tensor seen = score(critics_[s], point * toy_mask(x, 1).unsqueeze(2));
      const at::Tensor slope = torch::autograd::grad({seen.sum()}, {point}, {}, true, true)[0];
      add(3, ((slope.square().sum({1, 2}) + 1e-12).sqrt() - 1).square().sum());
    }
    if (is_disc) return sums;
    // Until both discriminators are good, the generator learns nothing from them.
    const at::Tensor open =
        (context.result("disc/adv_0") < 1.2) & (context.result("disc/adv_1") < 1.2);
    context.log("gate", open);
    sums[4] = at::where(open, sums[4], at::zeros_like(sums[4]));
    return sums;
  }

 private:
  at::Tensor weight(uint64_t seed, const std::string& name, int64_t rows = 4) {
    return register_parameter(name, toy_weight(seed, name, {rows, 4}, at::kDouble));
  }
  at::Tensor encode(const Tokens& x, int style) {
    return at::tanh(at::matmul(toy_bag(decoder_->embedding, x) + style_[style], encoder_.t()));
  }
  /// Free running on mixtures of words, with noise of Gumbel's distribution.
  at::Tensor moved(const Tokens& x, const at::Tensor& start, const at::Tensor& ids,
                   StepContext& context) {
    const at::Tensor noise =
        uniform(context.noise("gumbel"), ids, {x.ids.size(1) + 1, 13}, at::kDouble);
    return decoder_->unroll(x, start, [&](int64_t t, const at::Tensor& h) {
      const at::Tensor scores =
          at::matmul(h, decoder_->output.t()) - at::log(-at::log(noise.select(1, t)));
      return at::matmul(at::softmax(scores / 0.5, 1), decoder_->embedding);
    });
  }
  /// [B, T, Z] -> [B]; states of zeros count for nothing.
  static at::Tensor score(const at::Tensor& weight, const at::Tensor& states) {
    return at::tanh(at::matmul(states, weight.t())).sum({1, 2});
  }
  /// Reconstruction, paraphrase, cycle and language model of one style.
  void add_text_terms(Sums& sums, const Tokens& x, const at::Tensor& code, const at::Tensor& states,
                      int style, const Batch& paraphrases) {
    const Tokens from = paraphrases.tokens("from"), to = paraphrases.tokens("to");
    const Tokens other = decoder_->greedy(x, code + style_[1 - style]);
    const auto nll = [&](const Tokens& text, const at::Tensor& from_code) {
      return decoder_->nll(text, decoder_->taught(text, from_code + style_[style]));
    };
    const at::Tensor given = decoder_->log_p(decoder_->taught(other, code + style_[1 - style]));
    const at::Tensor wanted =
        judge_->log_p(judge_->taught(other, at::zeros({4}, at::kDouble))).exp();
    sums[0] = sums[0] + decoder_->nll(x, states);
    sums[1] = sums[1] + nll(to, encode(from, style));
    sums[2] = sums[2] + nll(x, encode(other, 1 - style));
    sums[3] = sums[3] - ((wanted * given).sum(2) * toy_mask(other, 1)).sum();
  }

  std::shared_ptr<ToyDecoder> decoder_, judge_;
  at::Tensor encoder_, style_;
  std::vector<at::Tensor> discriminators_, critics_;
};

}  // namespace lvtext::testing
