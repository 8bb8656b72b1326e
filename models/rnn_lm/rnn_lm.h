// Recurrent language model: the sentence decoder without a latent vector.
#pragma once

#include <memory>
#include <vector>

#include "framework/core/model/capabilities.h"
#include "framework/core/model/model_inputs.h"
#include "framework/core/model/trainable.h"
#include "models/sentence_decoder.h"

namespace lvtext {

struct RnnLmOptions {
  ModelSize size = ModelSize::kPaper;
  Defaulted<int64_t> embedding;
  DecoderOptions decoder;

  template <class V>
  void visit(V& v) {
    v.field("size", size, "preset of the widths");
    set_usual_widths(*this, preset_widths(size));
    v.field("embedding", embedding, "width of the word vectors; unset: from `size`",
            in_range(1, 65536));
    v.field("decoder", decoder, "decoder options; z_inject is ignored");
  }
};

/// One phase "lm" with the term "nll": nats per sentence, EOS included.
class RnnLm : public Trainable, public NextTokenModel, public TextScorer {
 public:
  RnnLm(const RnnLmOptions& options, const ModelInputs& inputs);

  std::vector<ParamGroup> groups() override;
  std::vector<Phase> phases() const override;
  Sums losses(const Phase& phase, const Batches& batches, StepContext& context) override;
  static constexpr int kRevision = 2;

  const Vocabulary& vocabulary() const override { return decoder_->vocabulary(); }
  std::unique_ptr<DecodeState> start(const Start& start) override;
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override;
  at::Tensor score(const Tokens& sentences, const at::Tensor& z) override;

 private:
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<SentenceDecoder> decoder_;
};

}  // namespace lvtext
