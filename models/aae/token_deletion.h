// Sentences with gaps: the noise of denoising autoencoders.
#pragma once

#include "framework/core/model/batch.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {

/// Deletes each token with probability `p`; the others keep their order and close up. A sentence
/// may lose all its tokens. What becomes of token t depends on (key, example id, t) alone.
Tokens delete_tokens(const Tokens& sentences, double p, const NoiseKey& key,
                     const at::Tensor& example_ids);

}  // namespace lvtext
