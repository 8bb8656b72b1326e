#include "framework/cli/code_text.h"

#include <ATen/ATen.h>

#include <array>
#include <charconv>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {

std::vector<float> code_values(const at::Tensor& code) {
  const at::Tensor plain = code.contiguous();
  const float* first = plain.const_data_ptr<float>();
  return {first, first + plain.numel()};
}

std::string code_text(const at::Tensor& code) {
  std::string text;
  std::array<char, 32> number;
  for (const float value : code_values(code)) {
    if (!text.empty()) text += '\t';
    text.append(number.data(),
                std::to_chars(number.data(), number.data() + number.size(), value).ptr);
  }
  return text;
}

std::pair<std::string, std::string> two_sentences(const std::string& line,
                                                  const std::string& place) {
  const char separator = line.find('\t') != std::string::npos ? '\t' : '|';
  const auto parts = split(line, separator);
  if (parts.size() != 2) {
    throw DataError(place + ": an interpolation needs two sentences, 'A TAB B' or 'A | B'");
  }
  return {std::string(trim(parts[0])), std::string(trim(parts[1]))};
}

}  // namespace lvtext
