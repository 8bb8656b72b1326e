// Latent codes as text.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lvtext {

/// One code [Z] (float32, on the CPU) as numbers between TABs, each the shortest that reads back as
/// the same float.
std::string code_text(const at::Tensor& code);
/// The same numbers.
std::vector<float> code_values(const at::Tensor& code);

/// The two sentences of an interpolation: "A TAB B", else "A | B". Throws DataError, naming
/// `place`, unless there are exactly two.
std::pair<std::string, std::string> two_sentences(const std::string& line,
                                                  const std::string& place);

}  // namespace lvtext
