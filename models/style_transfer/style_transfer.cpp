#include "models/style_transfer/style_transfer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/core/decoding/decoder.h"
#include "framework/core/model/registration.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/output_layer.h"
#include "framework/core/nn/packing.h"
#include "framework/core/tensor/products.h"
#include "losses/adversarial.h"

namespace lvtext {
namespace {

constexpr const char* kParaphrases = "paraphrases";

std::string numbered(const std::string& name, int64_t style) {
  return name + std::to_string(style);
}

/// The rows of one style of a batch with equally many rows of style 0 and style 1.
at::Tensor half(const at::Tensor& x, int64_t style) {
  const int64_t rows = x.size(0) / 2;
  return x.narrow(0, style * rows, rows);
}

/// Log probabilities of the next token at the positions of `plan`, in its packed order: [N, V].
at::Tensor next_token_log_probs(NextTokenModel& model, const Tokens& sentences,
                                const PackPlan& plan) {
  const at::NoGradGuard no_grad;
  const at::Tensor ids = sort_sentences(with_bos(sentences, start_of(model.vocabulary())), plan);
  const auto state = model.start({.rows = sentences.rows()});
  std::vector<at::Tensor> steps;
  for (int64_t t = 0; t < plan.steps(); ++t) {
    const int64_t rows = plan.sizes[t];
    if (t > 0 && rows < plan.sizes[t - 1]) state->select_rows(at::arange(rows, ids.options()));
    const at::Tensor scores = model.step(*state, ids.select(1, t).slice(0, 0, rows));
    steps.push_back(at::log_softmax(scores, 1));
  }
  return at::cat(steps);
}

}  // namespace

TransferWidths preset_widths(TransferSize size) {
  return size == TransferSize::kSmall ? TransferWidths{16, 48, 32} : TransferWidths{200, 500, 100};
}

const std::vector<EnumName<TransferSize>>& enum_names(TransferSize) {
  static const std::vector<EnumName<TransferSize>> names = {
      {"paper", TransferSize::kPaper, "style 200, content 500, embedding 100"},
      {"small", TransferSize::kSmall, "style 16, content 48, embedding 32"}};
  return names;
}

const std::vector<EnumName<SoftFeed>>& enum_names(SoftFeed) {
  static const std::vector<EnumName<SoftFeed>> names = {
      {"gumbel", SoftFeed::kGumbel, "softmax of the logits with Gumbel noise"},
      {"softmax", SoftFeed::kSoftmax, "softmax of the logits"}};
  return names;
}

const std::vector<EnumName<AdversarialLoss>>& enum_names(AdversarialLoss) {
  static const std::vector<EnumName<AdversarialLoss>> names = {
      {"minimax", AdversarialLoss::kMinimax,
       "maximize the discriminators' losses, through real and fake states"},
      {"non_saturating", AdversarialLoss::kNonSaturating,
       "maximize the log probability that fake states are real"}};
  return names;
}

const std::vector<EnumName<TransferNorm>>& enum_names(TransferNorm) {
  static const std::vector<EnumName<TransferNorm>> names = {
      {"rows", TransferNorm::kRows, "mean over the sentences of both styles"},
      {"per_style_sum", TransferNorm::kPerStyleSum, "sum of the means of both styles"}};
  return names;
}

double TemperatureOptions::at(double epoch) const {
  return std::max(minimum, initial * std::pow(decay, epoch));
}

double SecondPairOptions::weight_at(double epoch) const {
  return weight * std::pow(decay, epoch + static_cast<double>(epoch_offset));
}

std::vector<InputDecl> StyleTransferModel::inputs(const StyleTransferOptions& options) {
  std::vector<InputDecl> inputs;
  for (int64_t style = 0; style < 2; ++style) {
    inputs.push_back(
        {.name = numbered("lm_", style),
         .help = "frozen language model of the sentences of style " + std::to_string(style) +
                 "; ignored if loss.lang is 0",
         .type = ArtifactType::kModel,
         .capabilities = {NextTokenModel::kName},
         .without = {Encoder::kName, StyleTransfer::kName},
         .arity = options.loss.lang > 0 ? InputDecl::Arity::kOne : InputDecl::Arity::kOptional,
         .same_tokenizer = true});
  }
  return inputs;
}

StyleTransferModel::StyleTransferModel(const StyleTransferOptions& options,
                                       const ModelInputs& inputs)
    : options_(options) {
  const Vocabulary& vocabulary = inputs.vocabulary();
  for (const std::string& field : {options.paraphrases.from, options.paraphrases.to}) {
    const ColumnDecl* text = inputs.find(kParaphrases, field);
    if (!text || text->vocabulary == vocabulary) continue;
    throw ConfigError("the text '" + field +
                      "' of the stream 'paraphrases' and the texts of the "
                      "stream 'train' have different vocabularies; encode them with the same "
                      "tokenizer");
  }
  const ModuleScope scope(*this, {inputs.seed});
  autoencoder_ = scope.add<TransferAutoencoder>("autoencoder", options, vocabulary);
  StateDiscriminatorLayout layout{.width = autoencoder_->width(),
                                  .filters = options.discriminator.filters,
                                  .channels = options.discriminator.channels,
                                  .negative_slope = options.discriminator.negative_slope,
                                  .init = options.initialization};
  for (int64_t style = 0; style < 2; ++style) {
    discriminators_.push_back(
        scope.add<StateDiscriminator>(numbered("discriminator", style), layout));
  }
  layout.filters = options.second_pair.filters;
  for (int64_t style = 0; options.second_pair.enabled && style < 2; ++style) {
    critics_.push_back(scope.add<StateDiscriminator>(numbered("critic", style), layout));
  }
  if (options.loss.lang == 0) return;
  for (const InputDecl& input : StyleTransferModel::inputs(options)) {
    next_token_models_.push_back(&inputs.serve<NextTokenModel>(input.name));
    const NextTokenModel& model = *next_token_models_.back();
    if (!model.start_symbol() || !model.ends() || model.output_map().alpha > 1) {
      throw ConfigError(
          input.name +
          " must be a language model of sentences, with a start symbol, an end and a "
          "softmax, such as rnn_lm; models of running text and sparse models are not");
    }
    language_models_.push_back(inputs.models.at(input.name).model);
  }
}

std::vector<ParamGroup> StyleTransferModel::groups() {
  std::vector<ParamGroup> groups = {
      group("generator", {autoencoder_}),
      group("discriminators", {discriminators_.begin(), discriminators_.end()})};
  if (!critics_.empty()) groups.push_back(group("critics", {critics_.begin(), critics_.end()}));
  return groups;
}

std::vector<Phase> StyleTransferModel::phases() const {
  const TransferLossOptions& loss = options_.loss;
  const auto adversarial = [](const std::string& name, TermWeight weight) {
    return LossTerm{.name = name,
                    .field = "text_0",
                    .weight = std::move(weight),
                    .select_weight = 0,
                    .micro_batchable = false,
                    .reason =
                        "the number of states that it reads depends on the longest sentence "
                        "of the batch"};
  };
  const auto text = [&](const std::string& name, double weight) {
    return LossTerm{.name = name,
                    .field = "text_0",
                    .weight = weight,
                    .select_weight = weight,
                    .micro_batchable = options_.pack_encoder,
                    .reason =
                        "the encoder reads the padding of its batch unless pack_encoder is "
                        "set"};
  };
  std::vector<Phase> phases = {{.name = "disc",
                                .updates = {{"discriminator", {"discriminators"}}},
                                .draws = {{"train", Draw::kNext}},
                                .terms = {adversarial("adv_0", 1), adversarial("adv_1", 1)}}};
  Phase generator{.name = "gen",
                  .updates = {{"generator", {"generator"}}},
                  .draws = {{"train", Draw::kSame}},
                  .terms = {text("rec", loss.rec)}};
  if (loss.cyc > 0) {
    generator.terms.push_back(text("cyc", loss.cyc));
    if (loss.cyc_start > 0) {
      generator.terms.back().weight = Schedule([this](const TrainerState& state) {
        const bool is_early = epoch_of(state) < static_cast<double>(options_.loss.cyc_start);
        return is_early ? 0 : options_.loss.cyc;
      });
    }
  }
  if (loss.lang > 0) generator.terms.push_back(text("lang", loss.lang));
  if (loss.para > 0) {
    generator.draws.push_back({kParaphrases, Draw::kNext});
    generator.terms.push_back(text("para", loss.para));
    generator.terms.back().field = options_.paraphrases.to;
    generator.terms.back().draw = 1;
  }
  const bool minimax = options_.discriminator.loss == AdversarialLoss::kMinimax;
  generator.terms.push_back(adversarial("adv", minimax ? -loss.adv : loss.adv));
  if (options_.second_pair.enabled) {
    phases.push_back({.name = "critic",
                      .updates = {{"critic", {"critics"}}},
                      .draws = {{"train", Draw::kSame}},
                      .terms = {adversarial("wasserstein", 1),
                                adversarial("penalty", options_.second_pair.penalty)}});
    generator.terms.push_back(adversarial("critic", Schedule([this](const TrainerState& state) {
                                            return -options_.second_pair.weight_at(epoch_of(state));
                                          })));
  }
  phases.push_back(std::move(generator));
  return phases;
}

std::vector<StreamDecl> StyleTransferModel::streams() const {
  std::vector<StreamDecl> streams = {{.fields = {{"text_0"}, {"text_1"}}}};
  if (options_.loss.para > 0) {
    streams.push_back(
        {.name = kParaphrases, .fields = {{options_.paraphrases.from}, {options_.paraphrases.to}}});
  }
  return streams;
}

StepPlan StyleTransferModel::plan(const TrainerState&, const NoiseKey&) const {
  StepPlan plan = {"disc"};
  if (options_.second_pair.enabled) {
    plan.insert(plan.end(), static_cast<size_t>(options_.second_pair.critic_iterations), "critic");
  }
  plan.emplace_back("gen");
  return plan;
}

std::vector<std::shared_ptr<torch::nn::Module>> StyleTransferModel::frozen() const {
  return {language_models_.begin(), language_models_.end()};
}

double StyleTransferModel::epoch_of(const TrainerState& state) const {
  if (!options_.updates_per_epoch) return static_cast<double>(state.epoch);
  return std::floor(state.scheduled(state.step) / static_cast<double>(*options_.updates_per_epoch));
}

Sums StyleTransferModel::losses(const Phase& phase, const Batches& batches, StepContext& context) {
  Pass pass = shared_pass(batches.at(0), context);
  if (phase.name == "gen") return generator_sums(pass, batches, context);
  pass.real = pass.real.detach();
  pass.fake = pass.fake.detach();
  return phase.name == "disc" ? discriminator_sums(pass, context) : critic_sums(pass, context);
}

StyleTransferModel::Sentences StyleTransferModel::joined(const Tokens& first, const Tokens& second,
                                                         const at::Tensor& ids) const {
  const int64_t length =
      std::max(autoencoder_->padded_length(first), autoencoder_->padded_length(second));
  const at::Tensor styles = at::zeros({2, first.rows()}, autoencoder_->tensor_options());
  styles[1].fill_(1);
  return {{at::cat({autoencoder_->padded(first, length), autoencoder_->padded(second, length)}),
           at::cat({first.lengths, second.lengths})},
          styles.flatten(),
          at::cat({2 * ids, 2 * ids + 1})};
}

Dropout StyleTransferModel::dropout(const Sentences& sentences, StepContext& context,
                                    const std::string& prefix) const {
  if (!context.training() || options_.dropout == 0) return {};
  return [&context, prefix, ids = sentences.ids, p = options_.dropout](const at::Tensor& x,
                                                                       const std::string& use) {
    return lvtext::dropout(x, context.noise(prefix + use), ids, p);
  };
}

StyleTransferModel::Pass StyleTransferModel::shared_pass(const Batch& batch,
                                                         StepContext& context) const {
  Pass pass;
  pass.sentences = joined(batch.tokens("text_0"), batch.tokens("text_1"), batch.example_ids);
  const Sentences& sentences = pass.sentences;
  const Dropout dropped = dropout(sentences, context, "");
  const TransferAutoencoder& model = *autoencoder_;
  pass.content = context.shared("content", {"generator"}, [&] {
    return model.encode(sentences.tokens, sentences.styles, dropped);
  });
  const bool masks = options_.discriminator.mask_after_eos;
  pass.teacher_forced = context.shared("taught", {"generator"}, [&] {
    const at::Tensor initial = model.initial(sentences.styles, pass.content);
    const at::Tensor lengths = masks ? sentences.tokens.lengths + 1 : at::Tensor();
    return at::cat(
        {initial.unsqueeze(1), model.teacher_forced(sentences.tokens, lengths, initial, dropped)},
        1);
  });
  SoftDecoding decoding{.states = std::min(pass.teacher_forced.size(1), options_.max_length),
                        .stop_at_eos = masks};
  pass.fake = context.shared("soft", {"generator"}, [&] {
    const TemperatureOptions& temperature = options_.soft.temperature;
    decoding.temperature = context.value([&](const TrainerState& state) {
      return context.training() ? temperature.at(epoch_of(state)) : temperature.minimum;
    });
    if (options_.soft.feed == SoftFeed::kGumbel) {
      decoding.noise = [&](int64_t t) {
        return gumbel(context.noise("soft.gumbel." + std::to_string(t)), sentences.ids,
                      vocabulary().size, model.tensor_options());
      };
    }
    return model.soft(model.initial(1 - sentences.styles, pass.content), decoding, dropped);
  });
  pass.real = pass.teacher_forced.slice(1, 0, decoding.states);
  return pass;
}

StyleTransferModel::States StyleTransferModel::states_of(const Pass& pass, int64_t style) {
  return {at::cat({half(pass.real, style), half(pass.fake, 1 - style)}),
          at::cat({half(pass.sentences.ids, style), half(pass.sentences.ids, 1 - style)})};
}

at::Tensor StyleTransferModel::scores(const StateDiscriminator& discriminator, double rate,
                                      const std::string& use, const States& states,
                                      StepContext& context) {
  return discriminator.forward(states.values, [&](const at::Tensor& features) {
    return context.training() ? lvtext::dropout(features, context.noise(use), states.ids, rate)
                              : features;
  });
}

Sums StyleTransferModel::discriminator_sums(const Pass& pass, StepContext& context) const {
  Sums sums;
  for (int64_t style = 0; style < 2; ++style) {
    const at::Tensor logits =
        scores(*discriminators_[style], options_.discriminator.dropout,
               numbered("discriminator", style), states_of(pass, style), context);
    sums.push_back(discriminator_sum(half(logits, 0), half(logits, 1)));
  }
  return sums;
}

at::Tensor StyleTransferModel::critic_loss_sum(const Pass& pass, int64_t style,
                                               StepContext& context) const {
  const at::Tensor values = scores(*critics_[style], options_.second_pair.dropout,
                                   numbered("critic", style), states_of(pass, style), context);
  return half(values, 1).sum() - half(values, 0).sum();
}

at::Tensor StyleTransferModel::penalty(const Pass& pass, int64_t style, bool with_graph,
                                       StepContext& context) const {
  if (!context.training()) return at::zeros({}, autoencoder_->tensor_options());
  const at::Tensor ids = half(pass.sentences.ids, style);
  const at::Tensor real = half(pass.real, style), fake = half(pass.fake, 1 - style);
  const at::Tensor alpha =
      uniform(context.noise(numbered("critic.points", style)), ids, {1}, real.options());
  const at::Tensor points =
      with_graph ? interpolated(real, fake, alpha) : points_between(real, fake, alpha);
  // The penalty is differentiated twice, which reduced-precision products do not support.
  const MixedPrecisionScope full(false);
  return gradient_penalty_sum(scores(*critics_[style], options_.second_pair.dropout,
                                     numbered("critic.penalty", style), {points, ids}, context),
                              points);
}

Sums StyleTransferModel::critic_sums(const Pass& pass, StepContext& context) const {
  return {critic_loss_sum(pass, 0, context) + critic_loss_sum(pass, 1, context),
          penalty(pass, 0, false, context) + penalty(pass, 1, false, context)};
}

Sums StyleTransferModel::generator_sums(const Pass& pass, const Batches& batches,
                                        StepContext& context) {
  const TransferLossOptions& loss = options_.loss;
  const double share = loss.norm == TransferNorm::kRows ? 0.5 : 1;
  const Tokens& tokens = pass.sentences.tokens;
  Sums sums = {share * autoencoder_->nll_sum(pass.teacher_forced.slice(1, 1), tokens,
                                             dropout(pass.sentences, context, "rec."))};
  if (loss.cyc > 0 || loss.lang > 0) {
    const Tokens other = transferred(pass);
    if (loss.cyc > 0) sums.push_back(share * cyclic_sum(pass, other, context));
    if (loss.lang > 0) sums.push_back(share * language_model_sum(pass, other, context));
  }
  if (loss.para > 0) sums.push_back(share * paraphrase_sum(batches.at(1), context));
  sums.push_back(adversarial_sum(pass, context));
  if (options_.second_pair.enabled) {
    at::Tensor critic = critic_loss_sum(pass, 0, context) + critic_loss_sum(pass, 1, context);
    if (options_.second_pair.penalty_in_generator) {
      critic = critic + options_.second_pair.penalty *
                            (penalty(pass, 0, true, context) + penalty(pass, 1, true, context));
    }
    sums.push_back(critic);
  }
  const auto log_epoch = [this](const TrainerState& state) { return epoch_of(state); };
  context.log("epoch", context.value(log_epoch));
  return sums;
}

at::Tensor StyleTransferModel::adversarial_sum(const Pass& pass, StepContext& context) const {
  const DiscriminatorOptions& options = options_.discriminator;
  at::Tensor sum;
  if (options.loss == AdversarialLoss::kMinimax) {
    const Sums sums = discriminator_sums(pass, context);
    sum = sums[0] + sums[1];
  } else {
    const auto of_style = [&](int64_t style) {
      return non_saturating_sum(
          scores(*discriminators_[style], options.dropout, numbered("discriminator", style),
                 {half(pass.fake, 1 - style), half(pass.sentences.ids, 1 - style)}, context));
    };
    sum = of_style(0) + of_style(1);
  }
  if (options.gate == 0) return sum;
  const at::Tensor open = (context.term_mean("disc/adv_0") < options.gate)
                              .logical_and(context.term_mean("disc/adv_1") < options.gate);
  context.log("gate_open", open);
  return at::where(open, sum, at::zeros_like(sum));
}

Tokens StyleTransferModel::transferred(const Pass& pass) {
  const at::NoGradGuard no_grad;
  // Encodes again, because dropout was applied to pass.content.
  const Sentences& sentences = pass.sentences;
  const at::Tensor z = encode_for(sentences.tokens, sentences.styles, 1 - sentences.styles);
  Tokens tokens = pad_sentences(
      decode(*this, z, sentences.ids, {},
             {.policy = {}, .max_length = options_.max_length, .refuse_nonfinite = false})
          .sentences);
  tokens.ids = tokens.ids.to(z.device());
  return tokens;
}

at::Tensor StyleTransferModel::cyclic_sum(const Pass& pass, const Tokens& other,
                                          StepContext& context) const {
  const Sentences& sentences = pass.sentences;
  const Dropout dropped = dropout(sentences, context, "cyc.");
  const at::Tensor content = autoencoder_->encode(other, 1 - sentences.styles, dropped);
  const at::Tensor states =
      autoencoder_->teacher_forced(sentences.tokens, sentences.tokens.lengths + 1,
                                   autoencoder_->initial(sentences.styles, content), dropped);
  return autoencoder_->nll_sum(states, sentences.tokens, dropped);
}

at::Tensor StyleTransferModel::paraphrase_sum(const Batch& pairs, StepContext& context) const {
  const Tokens from = pairs.tokens(options_.paraphrases.from);
  const Tokens to = pairs.tokens(options_.paraphrases.to);
  const Sentences source = joined(from, from, pairs.example_ids);
  const Sentences target = joined(to, to, pairs.example_ids);
  const Dropout dropped = dropout(source, context, "para.");
  const at::Tensor content = autoencoder_->encode(source.tokens, source.styles, dropped);
  const at::Tensor states =
      autoencoder_->teacher_forced(target.tokens, target.tokens.lengths + 1,
                                   autoencoder_->initial(target.styles, content), dropped);
  return autoencoder_->nll_sum(states, target.tokens, dropped);
}

at::Tensor StyleTransferModel::language_model_sum(const Pass& pass, const Tokens& other,
                                                  StepContext& context) const {
  const at::Tensor to = 1 - pass.sentences.styles;
  const Dropout dropped = dropout(pass.sentences, context, "lang.");
  // A sentence of max_length tokens was cut off before its EOS.
  const at::Tensor lengths = (other.lengths + 1).clamp_max(options_.max_length);
  at::Tensor states = autoencoder_->teacher_forced(
      other, lengths, autoencoder_->initial(to, pass.content), dropped);
  if (dropped) states = dropped(states, "generator.output");
  const auto [weight, bias, table] = autoencoder_->layers();
  at::Tensor sum = at::zeros({}, autoencoder_->tensor_options());
  at::Tensor entropy = at::zeros({}, sum.options().dtype(at::kDouble));
  for (int64_t from = 0; from < 2; ++from) {
    const PackPlan plan =
        plan_packing(half(lengths, from), states.size(0) / 2, states.size(1), /*reverse=*/false);
    const at::Tensor log_p =
        next_token_log_probs(*next_token_models_[1 - from],
                             {half(other.ids, from), half(other.lengths, from)}, plan)
            .to(states.scalar_type());
    const at::Tensor p = log_p.exp();
    sum =
        sum + distribution_cross_entropy_sum(to_packed(half(states, from), plan), weight, bias, p);
    // Row by row and in double precision: the rounding of one float32 sum over all tokens depends
    // on the number of threads, and is not small beside the difference.
    entropy = entropy - (p * log_p).sum(1, /*keepdim=*/false, at::kDouble).sum();
  }
  context.log("lang_kl", (sum.detach().to(at::kDouble) - entropy) / other.rows());
  return sum;
}

std::vector<Warning> StyleTransferModel::warnings(const TrainingMeans& means) const {
  const auto open = means.find("gen/gate_open"), epoch = means.find("gen/epoch");
  if (open == means.end() || epoch == means.end()) return {};
  // In the first epoch, untrained discriminators keep the gate closed.
  if (open->second >= 0.05 || epoch->second < 1) return {};
  return {{"gate_closed",
           "the loss of at least one discriminator was not below discriminator.gate in " +
               std::to_string(std::lround(100 * (1 - open->second))) +
               " % of the updates, so that the generator is hardly trained against them; raise "
               "discriminator.gate or train.optimizers.discriminator.lr"}};
}

at::Tensor StyleTransferModel::encode_for(const Tokens& sentences, const at::Tensor& from,
                                          const at::Tensor& to) {
  const at::NoGradGuard no_grad;
  const auto values = [&](const at::Tensor& styles) {
    return styles.to(autoencoder_->tensor_options());
  };
  return autoencoder_->initial(values(to), autoencoder_->encode(sentences, values(from), {}));
}

std::unique_ptr<DecodeState> StyleTransferModel::start(const Start& start) {
  if (!start.z.defined()) {
    throw ConfigError(
        "style_transfer has no prior and cannot generate without source sentences; use the "
        "inference component `transfer`");
  }
  return autoencoder_->start(start);
}

at::Tensor StyleTransferModel::step(DecodeState& state, const at::Tensor& ids) {
  return autoencoder_->step(state, ids);
}

void register_style_transfer(Registries& registries) {
  add_model<StyleTransferModel, StyleTransferOptions>(
      registries, "style_transfer",
      "Textual transfer between two styles, trained on non-parallel sentences",
      {"Pang and Gimpel 2019", "https://arxiv.org/abs/1810.11878"});
}

}  // namespace lvtext
