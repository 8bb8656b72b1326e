// Latent vectors as text.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lvtext {

/// A latent vector [Z] (float32, on the CPU) as numbers between TABs, each the shortest that reads
/// back as the same float.
std::string latent_text(const at::Tensor& latent);
/// The same numbers.
std::vector<float> latent_values(const at::Tensor& latent);

/// The two sentences of an interpolation: "A TAB B", else "A | B". Throws DataError, naming
/// `place`, unless there are exactly two.
std::pair<std::string, std::string> two_sentences(const std::string& line,
                                                  const std::string& location);

}  // namespace lvtext
