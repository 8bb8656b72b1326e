// A language model in one file, loaded by lvtext at run time: predicts the next word from the
// vectors of the previous words with one hidden layer (Bengio et al. 2003, without the direct
// connections from words to outputs).
#include "framework/core/model/capabilities.h"
#include "framework/core/model/plugin.h"
#include "framework/core/nn/dropout.h"
#include "framework/core/nn/embedding.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/module_scope.h"
#include "framework/core/nn/output_layer.h"
#include "framework/core/nn/packing.h"

namespace example {

using namespace lvtext;

/// Options of the model in a recipe. visit() defines parsing, error messages, `lvtext help model
/// feedforward_lm` and the options' part of a run's identity.
struct FeedForwardLmOptions {
  int64_t context = 3;
  int64_t embedding = 64;
  int64_t hidden = 128;
  double dropout = 0.1;

  template <class V>
  void visit(V& v) {
    v.field("context", context, "number of previous words that are read; 1: a bigram model",
            in_range(1, 64));
    v.field("embedding", embedding, "width of the word vectors", in_range(1, 65536));
    v.field("hidden", hidden, "width of the hidden layer", in_range(1, 65536));
    v.field("dropout", dropout, "probability of dropping a hidden unit", in_range(0, 0.95));
  }
};

/// State of each generated sentence: the last words, [N, context].
struct LastWords : DecodeState {
  at::Tensor ids;
  void select_rows(const at::Tensor& index) override { ids = ids.index_select(0, index); }
};

/// Trainable is sufficient for training. The other two bases are capabilities: NextTokenModel is
/// required for sampling, TextScorer for the likelihood of
/// sentences.
class FeedForwardLm : public Trainable, public NextTokenModel, public TextScorer {
 public:
  /// Increment it if equal options give other numbers: finished runs are then computed again.
  static constexpr int kRevision = 1;

  FeedForwardLm(const FeedForwardLmOptions& options, const ModelInputs& inputs)
      : options_(options),
        vocabulary_(inputs.vocabulary()),
        start_(start_of(vocabulary_)),
        eos_(eos_of(vocabulary_, "feedforward_lm")) {
    const ModuleScope scope(*this, {inputs.seed});
    embedding_ = scope.add<Embedding>("embedding", vocabulary_.size, options.embedding);
    hidden_ = scope.add<Linear>("hidden", options.context * options.embedding, options.hidden);
    output_ = scope.add<OutputLayer>("output", options.hidden, vocabulary_.size);
  }

  std::vector<ParamGroup> groups() override {
    return {group("embedding", {embedding_}), group("hidden", {hidden_}),
            group("output", {output_})};
  }

  /// One phase, whose optimizer is `default` of the recipe's train.optimizers. It reads the next
  /// batch of the training text, and its only loss is divided by the number of sentences.
  std::vector<Phase> phases() const override {
    return {{.name = "lm",
             .updates = {{"default", {"embedding", "hidden", "output"}}},
             .draws = {{}},
             .terms = {{.name = "nll"}}}};
  }

  /// The sum of each term, not divided: the negative log-likelihood in nats. Noise is derived from
  /// the context and the examples' ids, so that a resumed run gets the same noise as an
  /// uninterrupted one.
  Sums losses(const Phase&, const Batches& batches, StepContext& context) override {
    const Batch& batch = batches.at(0);
    const Tokens sentences = batch.tokens();
    at::Tensor states = hidden_states(windows(sentences));
    if (context.training()) {
      states = dropout(states, context.noise("dropout"), batch.example_ids, options_.dropout);
    }
    const at::Tensor lengths = sentences.lengths + 1;  // with EOS, without padding
    return {output_->nll_sum(pack_rows(states, lengths),
                             pack_rows(with_eos(sentences, eos_), lengths))};
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }

  /// The words before the last token of BOS + prompt, which is the first one passed to step().
  std::unique_ptr<DecodeState> start(const Start& start) override {
    auto state = std::make_unique<LastWords>();
    state->ids = at::full({start.rows, options_.context}, start_,
                          embedding_->weight().options().dtype(at::kLong).requires_grad(false));
    if (start.prompt) {
      const at::Tensor before = (start.prompt->lengths - 1).clamp_min(0).to(state->ids.device());
      const at::Tensor rows = at::arange(start.rows, before.options());
      state->ids = windows(*start.prompt).index({rows, before});
    }
    return state;
  }

  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    at::NoGradGuard no_grad;
    at::Tensor& last = static_cast<LastWords&>(state).ids;
    last = at::cat({last.slice(1, 1), ids.to(last.device()).unsqueeze(1)}, 1);
    return output_->logits(hidden_states(last));
  }

  at::Tensor score(const Tokens& sentences, const at::Tensor&) override {
    at::NoGradGuard no_grad;
    const at::Tensor lengths = sentences.lengths + 1;
    const at::Tensor targets = with_eos(sentences, eos_).to(embedding_->weight().device());
    const at::Tensor rows = output_->nll_rows(pack_rows(hidden_states(windows(sentences)), lengths),
                                              pack_rows(targets, lengths));
    return sum_by_sentence(rows, lengths);
  }

 private:
  /// [B, T + 1, context]: the words before each target, preceded by start symbols.
  at::Tensor windows(const Tokens& sentences) const {
    const at::Tensor ids = with_bos(sentences, start_).to(embedding_->weight().device());
    const at::Tensor before = at::full({ids.size(0), options_.context - 1}, start_, ids.options());
    return at::cat({before, ids}, 1).unfold(1, options_.context, 1);
  }

  /// [..., context] -> [..., hidden].
  at::Tensor hidden_states(const at::Tensor& ids) const {
    return at::tanh(hidden_->forward(embedding_->forward(ids).flatten(-2)));
  }

  FeedForwardLmOptions options_;
  Vocabulary vocabulary_;
  int64_t start_, eos_;  // BOS, or EOS if the tokenizer has no BOS; EOS
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<Linear> hidden_;
  std::shared_ptr<OutputLayer> output_;
};

void add_biased_lm(Registries& registries);          // biased_lm.cpp
void add_broken_count(Registries& registries);       // broken_count.cpp
void add_head_packer(Registries& registries);        // head_packer.cpp
void add_length_figure(Registries& registries);      // length_figure.cpp
void add_clarity_sheet(Registries& registries);      // clarity_sheet.cpp
void add_letters_tokenizer(Registries& registries);  // letters_tokenizer.cpp
void add_paragraph_reader(Registries& registries);   // paragraph_reader.cpp
void add_probes(Registries& registries);             // probes.cpp
void add_transfer(Registries& registries);           // transfer.cpp
void add_unigram_lm(Registries& registries);         // unigram_lm.cpp
void add_unlikelihood_lm(Registries& registries);    // unlikelihood_lm.cpp
void add_word_count(Registries& registries);         // word_count.cpp

}  // namespace example

LVTEXT_PLUGIN(registries) {
  lvtext::add_model<example::FeedForwardLm, example::FeedForwardLmOptions>(
      registries, "feedforward_lm", "Feed-forward language model over the last few words",
      {"Bengio, Ducharme, Vincent and Jauvin 2003",
       "https://www.jmlr.org/papers/v3/bengio03a.html"});
  example::add_biased_lm(registries);
  example::add_broken_count(registries);
  example::add_head_packer(registries);
  example::add_length_figure(registries);
  example::add_clarity_sheet(registries);
  example::add_letters_tokenizer(registries);
  example::add_paragraph_reader(registries);
  example::add_probes(registries);
  example::add_transfer(registries);
  example::add_unigram_lm(registries);
  example::add_unlikelihood_lm(registries);
  example::add_word_count(registries);
}
