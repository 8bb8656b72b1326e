// Denoising adversarial autoencoder of sentences (Shen, Mueller, Barzilay and Jaakkola 2020).
#pragma once

#include "models/aae/aae.h"

namespace lvtext {

struct DaaeOptions : AaeOptions {
  double deletion = 0.3;

  template <class V>
  void visit(V& v) {
    AaeOptions::visit(v);
    v.field("deletion", deletion,
            "probability of deleting a token of the encoder's input in training; 0: as aae",
            in_range(0, 1));
  }
};

/// As Aae, but in training some tokens of the encoder's input are deleted, and the decoder
/// reconstructs the complete sentence. All tokens may be deleted, as in the paper's released code;
/// the encoder input is then empty. Validation and capabilities use complete sentences.
/// With deletion 0 all updates are bit-identical to those of Aae.
class Daae : public Aae {
 public:
  Daae(const DaaeOptions& options, const ModelInputs& inputs)
      : Aae(options, inputs, options.deletion) {}

  static constexpr int kRevision = 3;
};

}  // namespace lvtext
