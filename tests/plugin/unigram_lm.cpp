// A model in a plug-in that is fitted without training: token frequencies of a text.
#include <ATen/ATen.h>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/plugin.h"

namespace example {

using namespace lvtext;

struct UnigramLmOptions {
  double added = 1;

  template <class V>
  void visit(V& v) {
    v.field("added", added, "constant added to the count of each token", above(0));
  }
};

/// p(token) is proportional to its count in the text, including EOS after each sentence, plus
/// `added`.
class UnigramLm : public Fitted, public NextTokenModel, public TextScorer {
 public:
  static constexpr int kRevision = 1;
  static std::vector<InputDecl> inputs(const UnigramLmOptions&) {
    return {{.name = "data",
             .help = "text whose tokens are counted",
             .by_default = reference("data.train")}};
  }

  UnigramLm(const UnigramLmOptions& options, const ModelInputs& inputs)
      : added_(options.added),
        vocabulary_(inputs.vocabulary("data", "text")),
        eos_(eos_of(vocabulary_, "unigram_lm")),
        log_p_(register_buffer("log_p", at::zeros({vocabulary_.size}))) {}

  void fit(const Inputs& inputs, const Notify&) override {
    const Text& text = inputs.text("data");
    at::Tensor counts = at::full({vocabulary_.size}, added_, at::kDouble);
    double* count = counts.mutable_data_ptr<double>();
    for (const TokenIds& sentence : text.ids()) {
      for (const int32_t id : sentence) count[id] += 1;
      count[eos_] += 1;
    }
    log_p_.copy_(counts.div(counts.sum()).log());
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start&) override { return std::make_unique<Nothing>(); }
  at::Tensor step(DecodeState&, const at::Tensor& ids) override {
    return log_p_.expand({ids.size(0), vocabulary_.size});
  }
  at::Tensor score(const Tokens& sentences, const at::Tensor&) override {
    const at::Tensor targets = with_eos(sentences, eos_);
    const at::Tensor locations = at::arange(targets.size(1)).unsqueeze(0);
    const at::Tensor counted = locations <= sentences.lengths.unsqueeze(1);
    return -(log_p_.index_select(0, targets.flatten()).view_as(targets) * counted).sum(1);
  }

 private:
  /// Tokens are independent.
  struct Nothing : DecodeState {
    void select_rows(const at::Tensor&) override {}
  };

  double added_;
  Vocabulary vocabulary_;
  int64_t eos_;
  at::Tensor log_p_;  // [V]
};

void add_unigram_lm(Registries& registries) {
  add_fit<UnigramLm, UnigramLmOptions>(registries, "unigram_lm", "Frequencies of tokens", {});
}

}  // namespace example
