#include "framework/cli/latent_text.h"

#include <ATen/ATen.h>

#include <array>
#include <charconv>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {

std::vector<float> latent_values(const at::Tensor& latent) {
  const at::Tensor plain = latent.contiguous();
  const float* first = plain.const_data_ptr<float>();
  return {first, first + plain.numel()};
}

std::string latent_text(const at::Tensor& latent) {
  std::string text;
  std::array<char, 32> number;
  for (const float value : latent_values(latent)) {
    if (!text.empty()) text += '\t';
    text.append(number.data(),
                std::to_chars(number.data(), number.data() + number.size(), value).ptr);
  }
  return text;
}

std::pair<std::string, std::string> two_sentences(const std::string& line,
                                                  const std::string& location) {
  const char separator = line.find('\t') != std::string::npos ? '\t' : '|';
  const auto parts = split(line, separator);
  if (parts.size() != 2) {
    throw DataError(location + ": an interpolation needs two sentences, 'A TAB B' or 'A | B'");
  }
  return {std::string(trim(parts[0])), std::string(trim(parts[1]))};
}

}  // namespace lvtext
