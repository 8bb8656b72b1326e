#include "models/gpt2/gpt2.h"

#include <algorithm>
#include <map>
#include <string>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/decoder.h"
#include "framework/core/model/registration.h"
#include "framework/core/model/stacked.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/entmax.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/output_layer.h"
#include "framework/core/nn/packing.h"
#include "framework/core/tensor/products.h"
#include "framework/core/tensor/shape.h"
#include "models/gpt2/unlikelihood.h"

namespace lvtext {
namespace {

constexpr double kDeviation = 0.02;
constexpr const char* kUnlikelihood = "unlikelihood";  // name of the phase

struct CacheState : DecodeState {
  AttentionCache cache;
  at::Tensor speakers;  // of dialogues: the last one of each text, [N] int64
  CacheState(int64_t rows, int64_t layers) : cache(rows, layers) {}
  void select_rows(const at::Tensor& index) override {
    cache.select_rows(index);
    if (speakers.defined()) speakers = speakers.index_select(0, index.to(speakers.device()));
  }
};

/// The sum of the sparsemax scores of all rows.
at::Tensor sparsemax_score_sum(const OutputRows& rows) {
  return (rows.probability - 0.5 * rows.squares + 0.5).sum();
}

}  // namespace

Gpt2::Gpt2(const Gpt2Options& options, const ModelInputs& inputs)
    : options_(options), alpha_(options.loss.alpha.value_or(1)), vocabulary_(inputs.vocabulary()) {
  const ModuleScope scope(*this, {inputs.seed});
  const int64_t width = options.width.effective();
  tokens_ = scope.child("tokens").normal("weight", {vocabulary_.size, width}, kDeviation);
  positions_ =
      scope.child("positions").normal("weight", {options.positions.effective(), width}, kDeviation);
  const ModuleScope blocks = scope.child("blocks");
  for (int64_t i = 0; i < options.layers.effective(); ++i) {
    blocks_.push_back(blocks.add<TransformerBlock>(
        std::to_string(i), TransformerLayout{.width = width,
                                             .heads = options.heads.effective(),
                                             .inner = 4 * width,
                                             .deviation = kDeviation,
                                             .attention_dropout = options.attention_dropout,
                                             .residual_dropout = options.residual_dropout}));
  }
  norm_ = scope.add<LayerNorm>("norm", width);
  if (!options.dialogue) return;
  speakers_ = speaker_tokens(vocabulary_);
  choice_ = scope.add<Linear>("choice", width, 1, kDeviation);
}

std::vector<StreamDecl> Gpt2::streams() const {
  if (!options_.dialogue) return Trainable::streams();
  return {{.fields = {{"context"}, {"reply"}, {"distractor"}}}};
}

std::vector<ParamGroup> Gpt2::groups() {
  ParamGroup matrices{.name = "matrices"}, vectors{.name = "vectors", .decays = false};
  for (const auto& item : named_parameters()) {
    (item.value().dim() > 1 ? matrices : vectors).params.emplace_back(item.key(), item.value());
  }
  return {matrices, vectors};
}

std::vector<Phase> Gpt2::phases() const {
  const Gpt2LossOptions& loss = options_.loss;
  const auto term = [](const std::string& name, double weight, double select_weight) {
    return LossTerm{.name = name,
                    .denominator = Denominator::kTransitions,
                    .weight = weight,
                    .select_weight = select_weight};
  };
  const std::vector<Update> updates = {{"default", {"matrices", "vectors"}}};
  const std::string own = enum_name(loss.alpha ? Gpt2Loss::kEntmax : Gpt2Loss::kNll);
  if (options_.dialogue) {
    const auto of_reply = [](LossTerm made) {
      made.denominator = Denominator::kTargets;
      made.field = "reply";
      return made;
    };
    LossTerm lm = of_reply(term(own, options_.dialogue->reply_weight, 0));
    if (options_.dialogue->padded) lm.denominator = Denominator::kExamples;
    return {{.name = "lm",
             .updates = updates,
             .draws = {{}},
             .terms = {
                 lm,
                 of_reply(term("sp", 0, -1)),
                 {.name = "choice", .weight = options_.dialogue->choice_weight, .select_weight = 0},
                 {.name = "accuracy", .weight = 0, .select_weight = 0}}}};
  }
  Phase lm{.name = "lm",
           .updates = updates,
           .draws = {{}},
           .terms = {term(own, 1, 0), term("sp", 0, -1)}};
  if (loss.is_unlikelihood(UnlikelihoodLevel::kToken)) {
    lm.terms.push_back(term("repeats", loss.weight.effective(), 0));
  }
  if (!loss.is_unlikelihood(UnlikelihoodLevel::kSequence)) return {lm};
  return {lm,
          {.name = kUnlikelihood,
           .updates = updates,
           .draws = {{}},
           .terms = {{.name = "repeats", .select_weight = 0}},
           .validated = false}};
}

StepPlan Gpt2::plan(const TrainerState& state, const NoiseKey& key) const {
  if (!options_.loss.is_unlikelihood(UnlikelihoodLevel::kSequence)) {
    return Trainable::plan(state, key);
  }
  const double coin = uniform_step(key, {1}, at::kDouble).item<double>();
  return {coin < options_.loss.rate.effective() ? kUnlikelihood : "lm"};
}

Sums Gpt2::losses(const Phase& phase, const Batches& batches, StepContext& context) {
  const Batch& batch = batches.at(0);
  if (phase.name == kUnlikelihood) return {repetition_sum(batch, context)};
  if (options_.dialogue) return dialogue_sums(batch, context);
  const LayerNoise noise{[&](const std::string& use) { return context.noise(use); },
                         batch.example_ids};
  const Predictions p = predictions(batch.tokens(), context.training() ? &noise : nullptr);
  OutputRows rows;
  const at::Tensor loss = output_loss_sum(p.hidden, tokens_, {}, p.targets, {}, alpha_, &rows);
  if (!options_.loss.is_unlikelihood(UnlikelihoodLevel::kToken)) {
    return {loss, sparsemax_score_sum(rows)};
  }
  at::Tensor repeats = at::zeros({}, loss.options().requires_grad(false));
  const Tokens texts = batch.tokens();
  const auto* counts = p.counts.const_data_ptr<int64_t>();
  for (int64_t b = 0, from = 0; b < texts.rows(); from += counts[b++]) {
    if (counts[b] == 0) continue;
    repeats = repeats + token_unlikelihood(p.hidden.narrow(0, from, counts[b]), tokens_,
                                           texts.ids[b].narrow(0, 0, counts[b] + 1));
  }
  return {loss, sparsemax_score_sum(rows), repeats};
}

std::vector<Warning> Gpt2::warnings(const TrainingMeans& means) const {
  const auto repeats = means.find(std::string(kUnlikelihood) + "/repeats");
  if (repeats == means.end() || repeats->second != 0) return {};
  return {{"no_unlikelihood",
           "unlikelihood/repeats is 0, unlikelihood of sequences trains nothing: no text has "
           "loss.prefix = " +
               std::to_string(options_.loss.prefix.effective()) +
               " tokens, or no continuation repeats an n-gram; use longer texts (`pack: {type: "
               "blocks, length: L}`) or lower loss.prefix"}};
}

Sums Gpt2::dialogue_sums(const Batch& batch, StepContext& context) {
  const std::optional<int64_t> padded = options_.dialogue->padded;
  const int64_t examples = batch.rows();
  // The replies, then the distractors, after the same contexts.
  const Tokens contexts = batch.tokens("context");
  Tokens twice{contexts.ids.repeat({2, 1}), contexts.lengths.repeat({2})};
  const Replies all =
      join_replies(twice, stacked(batch.tokens("reply"), batch.tokens("distractor")),
                   *vocabulary_.eos, padded.value_or(positions_.size(0)));
  at::Tensor ids = all.texts.ids;
  if (padded) {
    const at::Tensor is_text =
        at::arange(ids.size(1)).unsqueeze(0) < all.texts.lengths.unsqueeze(1);
    ids = at::constant_pad_nd(
        ids.masked_fill(is_text.logical_not().to(ids.device()), *vocabulary_.pad),
        {0, *padded - ids.size(1)}, *vocabulary_.pad);
  }
  const LayerNoise noise{[&](const std::string& use) { return context.noise(use); },
                         at::cat({2 * batch.example_ids, 2 * batch.example_ids + 1})};
  const LayerNoise* drops = context.training() ? &noise : nullptr;
  const at::Tensor states = hidden(ids, padded ? at::Tensor() : all.texts.lengths, drops);
  // Predictions of the replies come before those of the distractors.
  const int64_t predicted = batch.field("reply.lengths").sum().item<int64_t>() + examples -
                            contexts.lengths.eq(0).sum().item<int64_t>();
  const int64_t width = all.texts.ids.size(1);
  const at::Tensor of_width = all.predictions.narrow(0, 0, predicted);
  const at::Tensor targets = all.targets.narrow(0, 0, predicted).to(tokens_.device());
  OutputRows rows;
  at::Tensor loss, sp;
  if (padded) {
    const int64_t time = *padded - 1;  // predictions of each text
    const at::Tensor index =
        (at::div(of_width, width, "floor") * time + of_width.remainder(width)).to(tokens_.device());
    const at::Tensor labels = at::full({ids.size(0) * time}, *vocabulary_.pad, targets.options())
                                  .index_copy(0, index, targets);
    const at::Tensor inputs = states.narrow(1, 0, time).flatten(0, 1);
    loss = output_loss_sum(inputs, tokens_, {}, labels, {}, alpha_, &rows) / (2 * time);
    rows.probability = rows.probability.index_select(0, index);
    rows.squares = rows.squares.index_select(0, index);
  } else {
    loss = output_loss_sum(states.flatten(0, 1).index_select(0, of_width.to(tokens_.device())),
                           tokens_, {}, targets, {}, alpha_, &rows);
  }
  const at::Tensor scores =
      choice_scores(states, all.texts.lengths, drops).view({2, examples}).t().contiguous();
  const at::Tensor is_right = scores.select(1, 0) > scores.select(1, 1);
  return {loss, sparsemax_score_sum(rows),
          entmax_loss(scores, at::zeros({examples}, targets.options()), alpha_).sum(),
          is_right.to(scores.scalar_type()).sum()};
}

at::Tensor Gpt2::choice_scores(const at::Tensor& states, const at::Tensor& lengths,
                               const LayerNoise* noise) const {
  const at::Tensor last = at::arange(states.size(0)) * states.size(1) + lengths - 1;
  at::Tensor ends = states.flatten(0, 1).index_select(0, last.to(states.device()));
  if (noise != nullptr) {
    ends =
        dropout(ends, noise->key("choice"), noise->example_ids, options_.dialogue->choice_dropout);
  }
  return choice_->forward(ends).squeeze(1);
}

at::Tensor Gpt2::reply_scores(const Tokens& contexts, const Tokens& replies) {
  if (!options_.dialogue) {
    throw ConfigError(
        "gpt2: the model does not choose among replies; it was trained without `dialogue`");
  }
  const at::NoGradGuard no_grad;
  const Tokens texts = join_replies(contexts, replies, *vocabulary_.eos, positions_.size(0)).texts;
  return choice_scores(hidden(texts.ids, texts.lengths, nullptr), texts.lengths, nullptr);
}

at::Tensor Gpt2::repetition_sum(const Batch& batch, StepContext& context) {
  const int64_t length = options_.loss.prefix.effective();
  const int64_t completion = options_.loss.completion.effective();
  const Tokens texts = batch.tokens();
  check_lengths(texts);
  const int64_t most_parts = (positions_.size(0) + 1) / length;
  const at::Tensor ids = texts.ids.to(at::kCPU).contiguous();
  std::vector<TokenIds> prefixes;
  std::vector<int64_t> noise_ids;  // parts of a text have dropout of their own
  std::vector<double> weights;     // of each part: 1 / (tokens of the text's continuations)
  for (int64_t b = 0; b < texts.rows(); ++b) {
    const int64_t parts = texts.lengths[b].item<int64_t>() / length;
    const auto* text = ids.const_data_ptr<int64_t>() + b * ids.size(1);
    for (int64_t k = 0; k < parts; ++k, text += length) {
      prefixes.emplace_back(text, text + length);
      noise_ids.push_back(batch.example_ids[b].item<int64_t>() * most_parts + k);
      weights.push_back(1 / static_cast<double>(parts * completion));
    }
  }
  const auto rows = std::ssize(prefixes);
  if (rows == 0) return at::zeros({}, tokens_.options().requires_grad(false));
  const Decoded decoded = decode(*this, {}, at::arange(rows, at::kLong), {},
                                 {.policy = PolicyOptions{.type = Policy::kGreedy},
                                  .max_length = completion,
                                  .batch = rows,
                                  .refuse_nonfinite = false},
                                 prefixes);
  for (int64_t r = 0; r < rows; ++r) {
    prefixes[r].insert(prefixes[r].end(), decoded.sentences[r].begin(), decoded.sentences[r].end());
  }
  const at::Tensor written = pad_sentences(prefixes).ids;
  const at::Tensor continuation = written.narrow(1, length, completion);
  const at::Tensor repeated = repeated_ngrams(continuation, options_.loss.ngram.effective());
  const at::Tensor index = repeated.flatten().nonzero().squeeze(1).to(tokens_.device());
  const LayerNoise noise{[&](const std::string& use) { return context.noise(use); },
                         at::tensor(noise_ids, at::kLong)};
  const int64_t inputs = written.size(1) - 1;
  const at::Tensor states =
      hidden(written.narrow(1, 0, inputs), {}, context.training() ? &noise : nullptr)
          .narrow(1, length - 1, completion)
          .flatten(0, 1);
  const at::Tensor weight =
      at::tensor(weights, tokens_.options().requires_grad(false)).repeat_interleave(completion);
  const at::Tensor loss =
      unlikelihood_rows(states.index_select(0, index), tokens_,
                        continuation.flatten().to(tokens_.device()).index_select(0, index));
  return (loss * weight.index_select(0, index)).sum();
}

at::Tensor Gpt2::hidden(const at::Tensor& ids, const at::Tensor& lengths, const LayerNoise* noise,
                        AttentionCache* cache) const {
  LVT_CHECK_SHAPE(ids, {-1, -1});
  at::Tensor x = vectors(ids) + positions_.narrow(0, 0, ids.size(1));
  if (speakers_) x = x + vectors(speakers_of(ids, *speakers_));
  if (noise != nullptr) {
    x = dropout(x, noise->key("embedding"), noise->example_ids, options_.embedding_dropout);
  }
  for (size_t i = 0; i < blocks_.size(); ++i) {
    x = blocks_[i]->forward(x, lengths, noise, "block" + std::to_string(i) + ".", cache,
                            static_cast<int64_t>(i));
  }
  return norm_->forward(x);
}

at::Tensor Gpt2::vectors(const at::Tensor& ids) const {
  // The sparse gradient is added to that of the output layer, row by row; without the latter it
  // would stay sparse. On other devices the sum of repeated rows would not be deterministic.
  const bool trains_output = !options_.dialogue || options_.dialogue->reply_weight > 0;
  return at::embedding(tokens_, ids.to(tokens_.device()), /*padding_idx=*/-1,
                       /*scale_grad_by_freq=*/false,
                       /*sparse=*/tokens_.is_cpu() && trains_output);
}

void Gpt2::check_lengths(const Tokens& texts) const {
  const int64_t longest = texts.rows() == 0 ? 0 : texts.lengths.max().item<int64_t>();
  const int64_t positions = positions_.size(0);
  if (longest - 1 <= positions) return;  // the last token is not read
  throw ConfigError("gpt2: a text has " + std::to_string(longest) +
                    " tokens, but the model has only " + std::to_string(positions) +
                    " positions; cut the text into blocks (`pack: {type: blocks, length: " +
                    std::to_string(positions) + "}`) or raise `positions`");
}

Gpt2::Predictions Gpt2::predictions(const Tokens& texts, const LayerNoise* noise) const {
  check_lengths(texts);
  const at::Tensor counts = (texts.lengths - 1).clamp_min(0);
  const int64_t longest = texts.rows() == 0 ? 0 : counts.max().item<int64_t>();
  if (longest == 0) {
    return {at::empty({0, tokens_.size(1)}, tokens_.options().requires_grad(false)),
            at::empty({0}, texts.ids.options()), counts};
  }
  const at::Tensor states = hidden(texts.ids.narrow(1, 0, longest), counts, noise);
  return {pack_rows(states, counts),
          pack_rows(texts.ids.narrow(1, 1, longest), counts).to(tokens_.device()), counts};
}

at::Tensor Gpt2::text_scores(const Tokens& texts) {
  const at::NoGradGuard no_grad;
  return affine(predictions(texts, nullptr).hidden, tokens_);
}

at::Tensor Gpt2::score(const Tokens& texts, const at::Tensor&) {
  const at::NoGradGuard no_grad;
  const Predictions p = predictions(texts, nullptr);
  const OutputRows rows = output_rows(p.hidden, tokens_, {}, p.targets, alpha_);
  return sum_by_sentence(options_.loss.alpha ? -rows.probability.log() : rows.loss, p.counts);
}

std::unique_ptr<DecodeState> Gpt2::start(const Start& start) {
  const at::NoGradGuard no_grad;
  auto state = std::make_unique<CacheState>(start.rows, std::ssize(blocks_));
  if (speakers_) state->speakers = at::full({start.rows}, speakers_->replies, at::kLong);
  if (!start.prompt) return state;
  // The last token of the prompt is passed to step().
  const at::Tensor read = (start.prompt->lengths - 1).clamp_min(0);
  const int64_t longest = start.rows == 0 ? 0 : read.max().item<int64_t>();
  if (longest == 0) return state;
  hidden(start.prompt->ids.narrow(1, 0, longest), read, nullptr, &state->cache);
  state->cache.set_lengths(read);
  if (speakers_) {
    const at::Tensor said = speakers_of(start.prompt->ids.to(at::kCPU), *speakers_);
    const at::Tensor last = said.gather(1, (read - 1).clamp_min(0).unsqueeze(1)).squeeze(1);
    state->speakers = at::where(read.gt(0), last, state->speakers);
  }
  return state;
}

at::Tensor Gpt2::step(DecodeState& state, const at::Tensor& ids) {
  const at::NoGradGuard no_grad;
  at::Tensor& speakers = dynamic_cast<CacheState&>(state).speakers;
  AttentionCache& cache = dynamic_cast<CacheState&>(state).cache;
  LVT_CHECK_SHAPE(ids, {cache.rows()});
  const at::Device device = tokens_.device();
  at::Tensor x = at::embedding(tokens_, ids.to(device)) +
                 positions_.index_select(0, index_tensor(cache.lengths(), device));
  if (speakers_) {
    const at::Tensor read = ids.to(at::kCPU);
    speakers = at::where(read.ge(speakers_->replies), read, speakers);
    x = x + at::embedding(tokens_, speakers.to(device));
  }
  for (size_t i = 0; i < blocks_.size(); ++i) {
    x = blocks_[i]->step(x, cache, static_cast<int64_t>(i));
  }
  cache.advance();
  return affine(norm_->forward(x), tokens_);
}

PublishedTensor Gpt2::published(const std::string& name) const {
  static const std::map<std::string, std::string> layers = {
      {"attention_norm", "ln_1"}, {"qkv", "attn.c_attn"},    {"attention_output", "attn.c_proj"},
      {"mlp_norm", "ln_2"},       {"mlp_input", "mlp.c_fc"}, {"mlp_output", "mlp.c_proj"}};
  const std::vector<std::string> parts = split(name, '.');  // blocks, 3, qkv, weight
  if (parts[0] == "choice") return {.names = {"multiple_choice_head.summary." + parts[1]}};
  if (parts.size() == 2) {
    const std::string& table = parts[0];
    return {.names = {(table == "tokens"      ? "wte."
                       : table == "positions" ? "wpe."
                                              : "ln_f.") +
                      parts[1]}};
  }
  LVT_ASSERT(parts.size() == 4, "'" + name + "' is not published");
  const bool is_norm = parts[2].ends_with("norm");
  return {.names = {"h." + parts[1] + "." + layers.at(parts[2]) + "." + parts[3]},
          .transposed = !is_norm && parts[3] == "weight"};
}

nlohmann::ordered_json Gpt2::published_config() const {
  const auto id = [](const std::optional<int32_t>& token) {
    return token ? nlohmann::ordered_json(*token) : nlohmann::ordered_json(nullptr);
  };
  const bool chooses = options_.dialogue.has_value();
  return {{"model_type", "gpt2"},
          {"architectures", {chooses ? "GPT2DoubleHeadsModel" : "GPT2LMHeadModel"}},
          {"vocab_size", vocabulary_.size},
          {"n_positions", positions_.size(0)},
          {"n_embd", positions_.size(1)},
          {"n_layer", options_.layers.effective()},
          {"n_head", options_.heads.effective()},
          {"activation_function", "gelu_new"},
          {"layer_norm_epsilon", 1e-5},
          {"initializer_range", kDeviation},
          {"embd_pdrop", options_.embedding_dropout},
          {"attn_pdrop", options_.attention_dropout},
          {"resid_pdrop", options_.residual_dropout},
          {"tie_word_embeddings", true},
          {"bos_token_id", id(vocabulary_.bos)},
          {"eos_token_id", id(vocabulary_.eos)}};
}

nlohmann::ordered_json Gpt2::published_options(const nlohmann::ordered_json& config) const {
  using Json = nlohmann::ordered_json;
  std::string problems;
  const auto problem = [&](const std::string& text) { problems += "\n  " + text; };
  const auto value = [&](const char* key) -> Json { return config.value(key, Json()); };
  Json options = {{"size", "small"}};
  const auto count = [&](const char* key, const char* ours) {
    const Json given = value(key);
    if (given.is_number_unsigned() && given.get<int64_t>() > 0) {
      options[ours] = given;
    } else {
      problem(std::string(key) + (given.is_null() ? " is missing" : " is " + given.dump()) +
              ", but must be a positive number");
    }
  };
  count("n_layer", "layers");
  count("n_head", "heads");
  count("n_embd", "width");
  count("n_positions", "positions");
  for (const auto& [key, ours] : {std::pair("embd_pdrop", "embedding_dropout"),
                                  {"attn_pdrop", "attention_dropout"},
                                  {"resid_pdrop", "residual_dropout"}}) {
    if (const Json given = value(key); given.is_number()) options[ours] = given;
  }
  // What the model has built in; unset keys have these values, too.
  const Json width = value("n_embd");
  const std::vector<std::pair<const char*, std::vector<Json>>> fixed = {
      {"activation_function", {"gelu_new", "gelu_pytorch_tanh"}},
      {"layer_norm_epsilon", {1e-5}},
      {"n_inner", {width.is_number() ? Json(4 * width.get<int64_t>()) : Json()}},
      {"scale_attn_weights", {true}},
      {"scale_attn_by_inverse_layer_idx", {false}},
      {"tie_word_embeddings", {true}},
      {"add_cross_attention", {false}},
      {"architectures", {Json::array({"GPT2LMHeadModel"}), Json::array({"GPT2Model"})}}};
  for (const auto& [key, allowed] : fixed) {
    const Json given = value(key);
    if (given.is_null() || std::find(allowed.begin(), allowed.end(), given) != allowed.end()) {
      continue;
    }
    std::vector<std::string> texts;
    for (const Json& each : allowed) texts.push_back(each.dump());
    problem(std::string(key) + " is " + given.dump() + ", but must be " + join(texts, " or "));
  }
  if (!problems.empty()) throw DataError("gpt2 cannot have this configuration:" + problems);
  return options;
}

void register_gpt2(Registries& registries) {
  add_model<Gpt2, Gpt2Options>(
      registries, "gpt2",
      "GPT-2: language model of running text, with a softmax or a sparse output",
      {"Radford, Wu, Child, Luan, Amodei and Sutskever 2019",
       "https://cdn.openai.com/better-language-models/"
       "language_models_are_unsupervised_multitask_learners.pdf"});
}

}  // namespace lvtext
