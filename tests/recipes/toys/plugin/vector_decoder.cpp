// A decoder of sentence embeddings.
#include <ATen/ATen.h>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/plugin.h"
#include "framework/core/nn/linear.h"
#include "small_decoder.h"

namespace toys {

using namespace lvtext;

struct VectorDecoderOptions {
  int64_t width = 16;

  template <class V>
  void visit(V& v) {
    v.field("width", width, "width of word vectors and states", in_range(1, 65536));
  }
};

/// A recurrent decoder whose initial state is tanh(W e + b), where e is the column "embedding" of
/// the text.
class VectorDecoder : public Trainable, public NextTokenModel {
 public:
  static constexpr int kRevision = 1;

  VectorDecoder(const VectorDecoderOptions& options, const ModelInputs& inputs)
      : vocabulary_(inputs.vocabulary()) {
    const ColumnDecl* embedding = inputs.find("train", "embedding");
    if (!embedding) throw MissingField("the data have no column 'embedding'");
    const ModuleScope scope(*this, {inputs.seed});
    decoder_ = scope.add<example::SmallDecoder>("decoder", vocabulary_, options.width);
    start_ = scope.add<Linear>("start", embedding->width(), options.width);
  }

  std::vector<ParamGroup> groups() override { return {group("decoder", {decoder_, start_})}; }
  std::vector<Phase> phases() const override {
    return {{.name = "decode",
             .updates = {{"default", {"decoder"}}},
             .draws = {{}},
             .terms = {{.name = "nll"}}}};
  }
  std::vector<StreamDecl> streams() const override {
    return {{.fields = {{"text"}, {"embedding", ColumnKind::kVector}}}};
  }
  Sums losses(const Phase&, const Batches& batches, StepContext&) override {
    const Tokens x = batches.at(0).tokens();
    const at::Tensor start = started(batches.at(0).field("embedding"));
    return {decoder_->nll(x, decoder_->taught(x, start)).sum()};
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<DecodeState> start(const Start& start) override {
    const at::NoGradGuard no_grad;
    auto state = std::make_unique<State>();
    state->h = started(start.z);
    if (start.prompt) state->h = decoder_->after_prompt(*start.prompt, state->h);
    return state;
  }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    const at::NoGradGuard no_grad;
    at::Tensor& h = static_cast<State&>(state).h;
    h = decoder_->next(h, decoder_->vectors(ids));
    return decoder_->scores(h);
  }

 private:
  struct State : DecodeState {
    at::Tensor h;  // [N, H]
    void select_rows(const at::Tensor& index) override { h = h.index_select(0, index); }
  };

  at::Tensor started(const at::Tensor& embedding) const {
    return at::tanh(start_->forward(embedding));
  }

  Vocabulary vocabulary_;
  std::shared_ptr<example::SmallDecoder> decoder_;
  std::shared_ptr<Linear> start_;
};

void add_vector_decoder(Registries& registries) {
  add_model<VectorDecoder, VectorDecoderOptions>(registries, "toy_vector_decoder",
                                                 "A decoder of sentence embeddings", {});
}

}  // namespace toys
