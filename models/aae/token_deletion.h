// Random token deletion, the noise of denoising autoencoders.
#pragma once

#include "framework/core/model/batch.h"
#include "framework/core/tensor/philox.h"

namespace lvtext {

/// Deletes each token with probability `p`; the remaining tokens keep their order. A sentence may
/// lose all its tokens. Whether token t is deleted depends only on (key, example id, t).
Tokens delete_tokens(const Tokens& sentences, double p, const NoiseKey& key,
                     const at::Tensor& example_ids);

}  // namespace lvtext
