// A small convolutional sentence classifier (Kim 2014).
#include <ATen/ATen.h>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/plugin.h"
#include "framework/core/nn/linear.h"
#include "framework/core/nn/module_scope.h"

namespace toys {

using namespace lvtext;

struct TextCnnOptions {
  std::string label = "style";
  int64_t embedding = 8;
  int64_t filters = 8;
  int64_t window = 2;

  template <class V>
  void visit(V& v) {
    v.field("label", label, "column of the classes", not_empty());
    v.field("embedding", embedding, "width of the word vectors", in_range(1, 65536));
    v.field("filters", filters, "number of filters, the width of a sentence's vector",
            in_range(1, 65536));
    v.field("window", window, "number of words in the window of a filter", in_range(1, 16));
  }
};

/// Filters over windows of word vectors, each reduced to its largest value in the sentence; a
/// linear layer predicts the class from these. The maxima are the sentence's vector.
class TextCnn : public Trainable, public SentenceEmbedder {
 public:
  static constexpr int kRevision = 1;

  TextCnn(const TextCnnOptions& options, const ModelInputs& inputs)
      : options_(options), pad_(start_of(inputs.vocabulary())) {
    const ModuleScope scope(*this, {inputs.seed});
    words_ = scope.uniform("words", {inputs.vocabulary().size, options.embedding}, 0.5);
    filters_ = scope.add<Linear>("filters", options.embedding * options.window, options.filters);
    output_ = scope.add<Linear>("output", options.filters, inputs.classes("train", options.label));
  }

  std::vector<ParamGroup> groups() override {
    ParamGroup all = group("classifier", {filters_, output_});
    all.params.emplace_back("words", words_);
    return {all};
  }
  std::vector<Phase> phases() const override {
    return {{.name = "classify",
             .updates = {{"default", {"classifier"}}},
             .draws = {{}},
             .terms = {{.name = "nll"}, {.name = "error", .weight = 0, .select_weight = 0}}}};
  }
  std::vector<StreamDecl> streams() const override {
    return {{.fields = {{"text"}, {options_.label, ColumnKind::kLabel}}}};
  }
  Sums losses(const Phase&, const Batches& batches, StepContext&) override {
    const at::Tensor log_p = log_probabilities(batches.at(0).tokens());
    const at::Tensor classes = batches.at(0).field(options_.label);
    return {-log_p.gather(1, classes.unsqueeze(1)).sum(),
            log_p.argmax(1).ne(classes).sum().to(log_p.scalar_type())};
  }

  int64_t embedding_size() const override { return options_.filters; }
  std::string embedding_signature() const override { return "pool:max"; }
  at::Tensor embed(const Tokens& sentences) override {
    const at::NoGradGuard no_grad;
    return features(sentences);
  }

 private:
  /// The largest value of each filter, [B, F]. Each sentence is padded by as many start symbols as
  /// a window has words, so that the result does not depend on the rest of the batch.
  at::Tensor features(const Tokens& x) const {
    const int64_t time = x.ids.size(1) + options_.window;
    const at::Tensor positions = at::arange(time, at::kLong).unsqueeze(0);
    const at::Tensor is_word = positions.lt(x.lengths.unsqueeze(1)).to(words_.device());
    const at::Tensor ids = at::constant_pad_nd(x.ids.to(words_.device()), {0, options_.window});
    const at::Tensor read = at::where(is_word, ids, at::full_like(ids, pad_));
    const at::Tensor vectors = words_.index_select(0, read.flatten()).unflatten(0, read.sizes());
    // [B, time - window + 1, window * E]
    const at::Tensor windows = vectors.unfold(1, options_.window, 1).flatten(2);
    const at::Tensor values = at::relu(filters_->forward(windows));
    const at::Tensor counts = positions.slice(1, 0, values.size(1)).le(x.lengths.unsqueeze(1));
    return (values * counts.unsqueeze(2).to(values.device(), values.scalar_type())).amax(1);
  }
  at::Tensor log_probabilities(const Tokens& x) const {
    return at::log_softmax(output_->forward(features(x)), 1);
  }

  TextCnnOptions options_;
  int64_t pad_;
  at::Tensor words_;
  std::shared_ptr<Linear> filters_, output_;
};

void add_text_cnn(Registries& registries) {
  add_model<TextCnn, TextCnnOptions>(registries, "toy_cnn",
                                     "Small convolutional sentence classifier",
                                     {"Kim 2014", "https://aclanthology.org/D14-1181"});
}

}  // namespace toys
