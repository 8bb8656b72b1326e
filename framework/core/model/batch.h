// What a phase draws from a stream: rows of one or more fields.
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
  at::Tensor ids;      ///< [B, T] int64, T >= 1; past a sentence's end stands any valid id
  at::Tensor lengths;  ///< [B] int64, on the CPU; 0 for an empty sentence

  int64_t rows() const { return ids.size(0); }
};

/// Rows of one stream. Fields are named; a text field "text" is stored as "text" (ids) and
/// "text.lengths", a label field as [B] int64.
struct Batch {
  at::Tensor example_ids;                    ///< [B] int64 on the CPU: the key of all noise
  std::map<std::string, at::Tensor> fields;  ///< on the model's device, but lengths on the CPU

  int64_t rows() const { return example_ids.size(0); }
  /// The text field `name`. Throws std::logic_error if the stream does not carry it.
  Tokens tokens(const std::string& name = "text") const;
  /// The field `name`. Throws std::logic_error if the stream does not carry it.
  const at::Tensor& field(const std::string& name) const;
  /// Rows [from, to) with text fields cut to their longest sentence: one micro-batch.
  Batch slice(int64_t from, int64_t to) const;
  /// The same batch with its fields on `device`; lengths and ids stay on the CPU.
  Batch to(const at::Device& device) const;
};

/// Pads sentences into one text field with 0, which is an id of every vocabulary: lengths decide
/// what is read. `sentences[i]` are ids without BOS and EOS.
Tokens pad_sentences(const std::vector<std::vector<int32_t>>& sentences);

/// [B, T + 1]: the id `bos` before every sentence; the decoder's input.
at::Tensor with_bos(const Tokens& tokens, int64_t bos);
/// [B, T + 1]: the id `eos` after every sentence; the decoder's targets.
at::Tensor with_eos(const Tokens& tokens, int64_t eos);

}  // namespace lvtext
