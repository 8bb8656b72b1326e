// A small model of textual style transfer, after Shen et al. (2017): two parallel texts, two frozen
// language models as inputs, discriminators and critics on shared decoder states, a gate, a
// second-order penalty, and a second stream with a separate denominator.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/component.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "framework/core/tensor/torch.h"
#include "small_decoder.h"

namespace example {

struct TransferLossOptions {
  double cyc = 2.5;
  double lang = 5e-4;

  template <class V>
  void visit(V& v) {
    v.field("cyc", cyc, "weight of the cycle reconstruction", lvtext::at_least(0));
    v.field("lang", lang, "weight of the language model terms", lvtext::at_least(0));
  }
};

struct TransferOptions {
  int64_t width = 4;
  TransferLossOptions loss;

  template <class V>
  void visit(V& v) {
    v.field("width", width, "width of word vectors, states and latent vectors",
            lvtext::in_range(1, 65536));
    v.field("loss", loss, "weights of the loss terms");
  }
};

class Transfer : public lvtext::Trainable,
                 public lvtext::Encoder,
                 public lvtext::StyleTransfer,
                 public lvtext::NextTokenModel {
 public:
  static constexpr int kRevision = 1;

  static std::vector<lvtext::InputDecl> inputs(const TransferOptions&) {
    std::vector<lvtext::InputDecl> inputs;
    for (const int style : {0, 1}) {
      inputs.push_back(
          {.name = judge_name(style),
           .help = "frozen language model of the texts of style " + std::to_string(style),
           .type = lvtext::ArtifactType::kModel,
           .capabilities = {lvtext::NextTokenModel::kName},
           .without = {lvtext::Encoder::kName},
           .same_tokenizer = true});
    }
    return inputs;
  }

  Transfer(const TransferOptions& options, const lvtext::ModelInputs& inputs)
      : width_(options.width), loss_(options.loss), vocabulary_(inputs.vocabulary()) {
    const lvtext::ModuleScope scope(*this, {inputs.seed});
    decoder_ = scope.add<SmallDecoder>("decoder", vocabulary_, width_);
    encoder_ = scope.uniform("encoder", {width_, width_}, 0.5);
    style_ = scope.uniform("style", {2, width_}, 0.5);
    for (const int style : {0, 1}) {
      const std::string name = std::to_string(style);
      discriminators_.push_back(scope.uniform("d" + name, {4, width_}, 0.5));
      critics_.push_back(scope.uniform("c" + name, {4, width_}, 0.5));
      judges_.push_back(inputs.models.at(judge_name(style)).model);
      judge_scores_.push_back(&inputs.serve<lvtext::NextTokenModel>(judge_name(style)));
    }
  }

  std::vector<lvtext::ParamGroup> groups() override {
    lvtext::ParamGroup generator = group("generator", {decoder_});
    generator.params.insert(generator.params.end(), {{"encoder", encoder_}, {"style", style_}});
    return {generator,
            {.name = "discriminators",
             .params = {{"d0", discriminators_[0]}, {"d1", discriminators_[1]}}},
            {.name = "critics", .params = {{"c0", critics_[0]}, {"c1", critics_[1]}}}};
  }

  std::vector<lvtext::Phase> phases() const override {
    const lvtext::Schedule critic_weight = [](const lvtext::TrainerState& state) {
      return -std::exp2(-static_cast<double>(state.epoch));
    };
    return {{.name = "disc",
             .updates = {{"disc", {"discriminators"}}, {"critic", {"critics"}}},
             .draws = {{}},
             .terms = {{.name = "adv_0", .select_weight = 0},
                       {.name = "adv_1", .select_weight = 0},
                       {.name = "critic", .select_weight = 0},
                       {.name = "penalty", .weight = 10, .select_weight = 0}}},
            {.name = "gen",
             .updates = {{"gen", {"generator"}}},
             .draws = {{"train", lvtext::Draw::kSame}, {"again", lvtext::Draw::kNext}},
             .terms = {{.name = "rec", .weight = 0.5},
                       {.name = "again", .field = "text_0", .draw = 1, .weight = 0.1},
                       {.name = "cyc", .weight = loss_.cyc},
                       {.name = "lang", .weight = loss_.lang},
                       {.name = "adv", .weight = -1, .select_weight = 0},
                       {.name = "critic", .weight = critic_weight, .select_weight = 0}}}};
  }
  /// Two texts, and the same ones in a different order.
  std::vector<lvtext::StreamDecl> streams() const override {
    return {{.fields = {{"text_0"}, {"text_1"}}},
            {.name = "again", .fields = {{"text_0"}, {"text_1"}}, .rows_of = "train"}};
  }
  std::vector<std::shared_ptr<torch::nn::Module>> frozen() const override {
    return {judges_.begin(), judges_.end()};
  }

  lvtext::Sums losses(const lvtext::Phase& phase, const lvtext::Batches& batches,
                      lvtext::StepContext& context) override {
    const bool is_disc = phase.name == "disc";
    const at::Tensor& ids = batches[0].example_ids;
    lvtext::Sums sums(phase.terms.size(), at::zeros({}, options()));
    const auto add = [&](size_t term, const at::Tensor& sum) { sums[term] = sums[term] + sum; };
    for (const int s : {0, 1}) {
      const lvtext::Tokens x = text_of(batches[0], s);
      const auto once = [&](const char* name, const std::function<at::Tensor()>& compute) {
        return context.shared(name + std::to_string(s), {"generator"}, compute);
      };
      const at::Tensor code = once("code", [&] { return encoded(x, s); });
      at::Tensor here = once("taught", [&] { return decoder_->taught(x, code + style_[s]); });
      at::Tensor there =
          once("moved", [&] { return moved(x, code + style_[1 - s], ids, context); });
      if (is_disc) {
        here = here.detach();
        there = there.detach();
      } else {
        add_text_terms(sums, x, code, here, s, text_of(batches[1], s));
      }
      // Transferred text is scored by the discriminator and the critic of the other style.
      add(is_disc ? s : 4, at::softplus(-score_of(discriminators_[s], here)).sum());
      add(is_disc ? 1 - s : 4, at::softplus(score_of(discriminators_[1 - s], there)).sum());
      add(is_disc ? 2 : 5, (score_of(critics_[1 - s], there) - score_of(critics_[s], here)).sum());
      if (!is_disc || !context.training()) continue;
      const at::Tensor share = lvtext::uniform(context.noise("mix"), ids, {1, 1}, options());
      const at::Tensor point = at::lerp(there, here, share).requires_grad_();
      const at::Tensor seen = score_of(critics_[s], point * token_mask(x, 1, point).unsqueeze(2));
      const at::Tensor slope = torch::autograd::grad({seen.sum()}, {point}, {}, true, true)[0];
      add(3, ((slope.square().sum({1, 2}) + 1e-12).sqrt() - 1).square().sum());
    }
    if (is_disc) return sums;
    // The adversarial terms are disabled until both discriminators are good.
    const at::Tensor open =
        (context.term_mean("disc/adv_0") < 1.2) & (context.term_mean("disc/adv_1") < 1.2);
    context.log("gate", open);
    sums[4] = at::where(open, sums[4], at::zeros_like(sums[4]));
    return sums;
  }

  /// Texts of style 0, which are decoded in style 1.
  int64_t latent_size() const override { return width_; }
  at::Tensor encode(const lvtext::Tokens& sentences) override {
    const at::NoGradGuard no_grad;
    return encoded(sentences, 0) + style_[1];
  }
  at::Tensor encode_sampled(const lvtext::Tokens& sentences, const at::Tensor&,
                            const lvtext::NoiseKey&) override {
    return encode(sentences);
  }
  int64_t styles() const override { return 2; }
  at::Tensor encode_for(const lvtext::Tokens& sentences, const at::Tensor& from,
                        const at::Tensor& to) override {
    const at::NoGradGuard no_grad;
    const auto vectors = [&](const at::Tensor& styles) {
      return style_.index_select(0, styles.to(style_.device()));
    };
    return encoded(sentences, vectors(from)) + vectors(to);
  }
  const lvtext::Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<lvtext::DecodeState> start(const lvtext::Start& start) override {
    const at::NoGradGuard no_grad;
    auto state = std::make_unique<State>();
    state->h = start.z;
    if (start.prompt) state->h = decoder_->after_prompt(*start.prompt, state->h);
    return state;
  }
  at::Tensor step(lvtext::DecodeState& state, const at::Tensor& ids) override {
    const at::NoGradGuard no_grad;
    at::Tensor& h = static_cast<State&>(state).h;
    h = decoder_->next(h, decoder_->vectors(ids));
    return decoder_->scores(h);
  }

 private:
  struct State : lvtext::DecodeState {
    at::Tensor h;  // [N, H]
    void select_rows(const at::Tensor& index) override { h = h.index_select(0, index); }
  };

  static std::string judge_name(int style) { return "language_model_" + std::to_string(style); }
  static lvtext::Tokens text_of(const lvtext::Batch& batch, int style) {
    return batch.tokens("text_" + std::to_string(style));
  }
  at::TensorOptions options() const { return encoder_.options().requires_grad(false); }

  at::Tensor encoded(const lvtext::Tokens& x, int style) const { return encoded(x, style_[style]); }
  /// `style`: the vector of all texts [H], or one for each [B, H].
  at::Tensor encoded(const lvtext::Tokens& x, const at::Tensor& style) const {
    const at::Tensor words = decoder_->vectors(x.ids.flatten()).unflatten(0, x.ids.sizes());
    const at::Tensor bag = (words * token_mask(x, 0, words).unsqueeze(2)).sum(1);
    return at::tanh(at::matmul(bag + style, encoder_.t()));
  }
  /// Free-running decoding with mixtures of words, with Gumbel noise.
  at::Tensor moved(const lvtext::Tokens& x, const at::Tensor& start, const at::Tensor& ids,
                   lvtext::StepContext& context) const {
    const at::Tensor noise = lvtext::uniform(context.noise("gumbel"), ids,
                                             {x.ids.size(1) + 1, vocabulary_.size}, options());
    return decoder_->unroll(x, start, [&](int64_t t, const at::Tensor& h) {
      const at::Tensor scores =
          decoder_->scores(h) - at::log(-at::log(noise.select(1, t).clamp(1e-6, 1 - 1e-6)));
      return at::matmul(at::softmax(scores / 0.5, 1), decoder_->embedding);
    });
  }
  /// [B, T, H] -> [B]; zero states do not contribute.
  static at::Tensor score_of(const at::Tensor& weight, const at::Tensor& states) {
    return at::tanh(at::matmul(states, weight.t())).sum({1, 2});
  }
  /// Predictions of a language model at each position of `x`: [B, T + 1, V].
  at::Tensor expected(int style, const lvtext::Tokens& x) const {
    const at::NoGradGuard no_grad;
    const auto state = judge_scores_[style]->start({.rows = x.rows()});
    const at::Tensor ids = lvtext::with_bos(x, lvtext::start_of(vocabulary_));
    std::vector<at::Tensor> steps;
    for (int64_t t = 0; t < ids.size(1); ++t) {
      steps.push_back(at::softmax(judge_scores_[style]->step(*state, ids.select(1, t)), 1));
    }
    return at::stack(steps, 1).to(encoder_.scalar_type());
  }
  /// Losses of one style: reconstruction, the second stream, cycle and language model.
  void add_text_terms(lvtext::Sums& sums, const lvtext::Tokens& x, const at::Tensor& code,
                      const at::Tensor& states, int style, const lvtext::Tokens& again) const {
    const lvtext::Tokens other = decoder_->greedy(x, code + style_[1 - style]);
    const auto nll = [&](const lvtext::Tokens& text, const at::Tensor& from) {
      return decoder_->nll(text, decoder_->taught(text, from + style_[style])).sum();
    };
    const at::Tensor given = decoder_->log_p(decoder_->taught(other, code + style_[1 - style]));
    const at::Tensor cross =
        (expected(1 - style, other) * given).sum(2) * token_mask(other, 1, given);
    sums[0] = sums[0] + decoder_->nll(x, states).sum();
    sums[1] = sums[1] + nll(again, encoded(again, style));
    sums[2] = sums[2] + nll(x, encoded(other, 1 - style));
    sums[3] = sums[3] - cross.sum();
  }

  int64_t width_;
  TransferLossOptions loss_;
  lvtext::Vocabulary vocabulary_;
  std::shared_ptr<SmallDecoder> decoder_;
  at::Tensor encoder_, style_;
  std::vector<at::Tensor> discriminators_, critics_;
  std::vector<std::shared_ptr<lvtext::Model>> judges_;
  std::vector<lvtext::NextTokenModel*> judge_scores_;
};

}  // namespace example
