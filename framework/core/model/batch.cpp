#include "framework/core/model/batch.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"

namespace lvtext {

const at::Tensor& Batch::field(const std::string& name) const {
  const auto found = fields.find(name);
  LVT_ASSERT(found != fields.end(), "the batch has no field '" + name + "'");
  return found->second;
}

Tokens Batch::tokens(const std::string& name) const {
  return {field(name), field(name + ".lengths")};
}

Batch Batch::slice(int64_t from, int64_t to) const {
  Batch part;
  part.example_ids = example_ids.slice(0, from, to);
  for (const auto& [name, value] : fields) part.fields[name] = value.slice(0, from, to);
  for (auto& [name, value] : part.fields) {
    const auto lengths = part.fields.find(name + ".lengths");
    if (lengths == part.fields.end()) continue;
    const int64_t longest = std::max<int64_t>(1, lengths->second.max().item<int64_t>());
    value = value.slice(1, 0, longest);
  }
  return part;
}

Batch Batch::to(const at::Device& device) const {
  Batch moved = *this;
  for (auto& [name, value] : moved.fields) {
    if (!name.ends_with(".lengths")) value = value.to(device);
  }
  return moved;
}

Tokens pad_sentences(const std::vector<std::vector<int32_t>>& sentences) {
  size_t longest = 1;
  for (const auto& sentence : sentences) longest = std::max(longest, sentence.size());
  const auto rows = static_cast<int64_t>(sentences.size());
  Tokens tokens{at::zeros({rows, static_cast<int64_t>(longest)}, at::kLong),
                at::empty({rows}, at::kLong)};
  auto ids = tokens.ids.accessor<int64_t, 2>();
  auto lengths = tokens.lengths.accessor<int64_t, 1>();
  for (int64_t row = 0; row < rows; ++row) {
    const auto& sentence = sentences[row];
    lengths[row] = static_cast<int64_t>(sentence.size());
    for (size_t t = 0; t < sentence.size(); ++t) ids[row][t] = sentence[t];
  }
  return tokens;
}

at::Tensor with_bos(const Tokens& tokens, int64_t bos) {
  return at::cat({at::full({tokens.rows(), 1}, bos, tokens.ids.options()), tokens.ids}, 1);
}

at::Tensor with_eos(const Tokens& tokens, int64_t eos) {
  auto targets = at::cat({tokens.ids, at::zeros({tokens.rows(), 1}, tokens.ids.options())}, 1);
  return targets.scatter(1, tokens.lengths.to(targets.device()).unsqueeze(1), eos);
}

}  // namespace lvtext
