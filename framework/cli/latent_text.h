// Text format of latent vectors, and parsing of sentence pairs.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lvtext {

/// A latent vector [Z] (float32, on the CPU) as TAB-separated numbers, each in the shortest form
/// that parses to the same float.
std::string latent_text(const at::Tensor& latent);
/// The elements of a latent vector.
std::vector<float> latent_values(const at::Tensor& latent);

/// The two sentences of an interpolation: "A TAB B", else "A | B". Throws DataError, naming
/// `location`, unless there are exactly two.
std::pair<std::string, std::string> two_sentences(const std::string& line,
                                                  const std::string& location);

}  // namespace lvtext
