// Batches: the named tensors of a set of examples.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/core/text/token_ids.h"

namespace lvtext {

/// Sentences of a batch without BOS and EOS.
struct Tokens {
  at::Tensor ids;  ///< [B, T] int64, T >= 1; ids past the end of a sentence are arbitrary valid ids
  at::Tensor lengths;  ///< [B] int64, on the CPU; 0 for an empty sentence

  /// Number of sentences, B.
  int64_t rows() const { return ids.size(0); }
};

/// Examples of one stream. Fields are named; a text field "text" is stored as "text" (ids) and
/// "text.lengths", a label field as [B] int64.
struct Batch {
  at::Tensor example_ids;                    ///< [B] int64 on the CPU; they key all noise
  std::map<std::string, at::Tensor> fields;  ///< on the model's device; lengths on the CPU

  /// Number of examples, B.
  int64_t rows() const { return example_ids.size(0); }
  /// Returns the text field `name`. Throws std::logic_error if the stream does not have it.
  Tokens tokens(const std::string& name = "text") const;
  /// Returns the field `name`. Throws std::logic_error if the stream does not have it.
  const at::Tensor& field(const std::string& name) const;
  /// Returns the examples [from, to) as a micro-batch, text fields trimmed to its longest sentence.
  Batch slice(int64_t from, int64_t to) const;
  /// Returns a copy with the fields on `device`; lengths and example ids stay on the CPU.
  Batch to(const at::Device& device) const;
};

/// Pads sentences to one text field. The padding is 0, a valid id in every vocabulary; only the
/// lengths determine what is read. `sentences[i]` are ids without BOS and EOS.
Tokens pad_sentences(const std::vector<std::vector<int32_t>>& sentences);

/// Prepends the id `bos` to every sentence, [B, T + 1]: the decoder's input.
at::Tensor with_bos(const Tokens& tokens, int64_t bos);
/// Appends the id `eos` to every sentence, [B, T + 1]: the decoder's targets.
at::Tensor with_eos(const Tokens& tokens, int64_t eos);

}  // namespace lvtext
