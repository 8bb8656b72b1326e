// Gradient step of skip-gram with negative sampling.
#pragma once

#include <cstdint>
#include <span>

namespace lvtext {

/// The number of floats of a vector must be a multiple of this.
inline constexpr int64_t kSkipGramLanes = 16;

/// One step of gradient descent with learning rate `lr` on -log s(v.u_0) - sum_{i>0} log s(-v.u_i),
/// where s is the logistic function, v = `input`, u_0 is the output vector of the observed token
/// and the other u_i are those of noise tokens. As in word2vec.c, output vectors are updated one
/// after the other, so that a repeated one is updated with its new value, and `input` last. Vectors
/// have `width` floats; `gradient` is scratch space of the same size. Sums have a fixed order.
void skip_gram_step(float* input, std::span<float* const> outputs, int64_t width, float lr,
                    float* gradient);

}  // namespace lvtext
