// The denoising adversarial autoencoder of sentences (Shen, Mueller, Barzilay and Jaakkola 2020).
#pragma once

#include "models/aae/aae.h"

namespace lvtext {

struct DaaeOptions : AaeOptions {
  double deletion = 0.3;

  template <class V>
  void visit(V& v) {
    AaeOptions::visit(v);
    v.field("deletion", deletion,
            "probability that a token is deleted in what the encoder reads in training; 0: as aae",
            in_range(0, 1));
  }
};

/// As Aae, but in training the encoder reads each sentence without some of its tokens, and the
/// decoder writes the whole one. All of them may go, as in the paper's released code: the sentence
/// is then read as an empty one. Validation and capabilities read whole sentences. With deletion 0
/// all updates are those of Aae, bit for bit.
class Daae : public Aae {
 public:
  Daae(const DaaeOptions& options, const ModelInputs& inputs)
      : Aae(options, inputs, options.deletion) {}

  static constexpr int kRevision = 2;
};

}  // namespace lvtext
