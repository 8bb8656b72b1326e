// Parts of the toy models of the contract suite: weights, word vectors, streams.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/model/data_loader.h"
#include "framework/core/model/trainable.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/tensor/torch.h"
#include "framework/core/text/special_ids.h"
#include "tests/model_inputs.h"
#include "trainers/trainer.h"

namespace lvtext::testing {

/// A weight from a fixed seed, independent of torch's generator.
inline at::Tensor toy_weight(uint64_t seed, const std::string& name, at::IntArrayRef shape,
                             at::ScalarType dtype) {
  return normal_step({seed, 0, 0, noise_use(name)}, shape, at::TensorOptions(at::kDouble))
      .mul(0.3)
      .to(dtype);
}

/// 1 for tokens and for the first `ends` positions after them, 0 for padding: [B, T + ends], on the
/// device of the ids.
inline at::Tensor toy_mask(const Tokens& tokens, int64_t ends = 0) {
  return at::arange(tokens.ids.size(1) + ends, at::kLong)
      .unsqueeze(0)
      .lt(tokens.lengths.unsqueeze(1) + ends)
      .to(tokens.ids.device(), at::kDouble);
}

/// Sum of a sentence's word vectors (`embedding` [V, E]), [B, E].
inline at::Tensor toy_bag(const at::Tensor& embedding, const Tokens& tokens) {
  const at::Tensor words = embedding.index_select(0, tokens.ids.flatten())
                               .view({tokens.rows(), tokens.ids.size(1), embedding.size(1)});
  return (words * toy_mask(tokens).to(words.scalar_type()).unsqueeze(2)).sum(1);
}

/// Batches of random sentences, some of them empty; depends only on (seed, epoch, index).
class ToyStream : public DataLoader {
 public:
  ToyStream(uint64_t seed, int64_t batches, int64_t rows)
      : seed_(seed), count_(batches), rows_(rows) {}
  int64_t batches(int64_t) const override { return count_; }
  Batch batch(int64_t epoch, int64_t index) const override {
    const NoiseKey key{seed_, static_cast<uint64_t>(epoch), static_cast<uint32_t>(index), 7};
    const auto draws = uniform_step(key, {rows_, 8}, at::TensorOptions(at::kDouble));
    std::vector<std::vector<int32_t>> sentences;
    for (int64_t row = 0; row < rows_; ++row) {
      const auto value = [&](int64_t k) { return draws[row][k].item<double>(); };
      std::vector<int32_t> sentence(static_cast<size_t>(value(0) * 7));
      for (size_t t = 0; t < sentence.size(); ++t) {
        sentence[t] = 4 + static_cast<int32_t>(value(static_cast<int64_t>(t) + 1) * 9);
      }
      sentences.push_back(std::move(sentence));
    }
    const Tokens tokens = pad_sentences(sentences);
    return {at::arange(index * rows_, (index + 1) * rows_),
            {{"text", tokens.ids}, {"text.lengths", tokens.lengths}}};
  }

 private:
  uint64_t seed_;
  int64_t count_, rows_;
};

/// A ToyStream with the fields that a model declares: other texts are its sentences in a different
/// order, labels are the parity of the example, vectors [B, 4] and images, bytes [B, C, S, S], are
/// noise.
class ToyFields : public DataLoader {
 public:
  /// `seed`: that of the noise. `image`: [C, S, S].
  ToyFields(ToyStream sentences, std::vector<FieldDecl> fields, uint64_t seed, ImageDims image)
      : sentences_(std::move(sentences)),
        fields_(std::move(fields)),
        seed_(seed),
        image_(std::move(image)) {}
  int64_t batches(int64_t epoch) const override { return sentences_.batches(epoch); }
  Batch batch(int64_t epoch, int64_t index) const override {
    const Batch drawn = sentences_.batch(epoch, index);
    Batch batch{drawn.example_ids, {}};
    int64_t shift = 0;
    for (const auto& field : fields_) {
      if (field.kind == ColumnKind::kLabel) {
        batch.fields[field.name] = drawn.example_ids % 2;
        continue;
      }
      if (field.kind != ColumnKind::kText) {
        const NoiseKey key{seed_, 0, 0, noise_use(field.name)};
        batch.fields[field.name] =
            field.kind == ColumnKind::kImage
                ? (uniform(key, drawn.example_ids, image_, at::kDouble) * 256).to(at::kByte)
                : normal(key, drawn.example_ids, {4}, at::kDouble);
        continue;
      }
      for (const char* part : {"", ".lengths"}) {
        batch.fields[field.name + part] =
            at::roll(drawn.field(std::string("text") + part), shift, 0);
      }
      ++shift;
    }
    return batch;
  }

 private:
  ToyStream sentences_;
  std::vector<FieldDecl> fields_;
  uint64_t seed_;
  ImageDims image_;
};

/// 4 x 4 pixels of toy images, with values from -1 to 1.
inline at::Tensor toy_pixels(const at::Tensor& images) {
  return images.narrow(2, 2, 4).narrow(3, 2, 4).to(at::kDouble) / 127.5 - 1;
}

/// A toy stream of the given name with the fields that the model reads from it.
inline std::shared_ptr<const DataLoader> toy_stream(const Trainable& model, const std::string& name,
                                                    uint64_t seed, int64_t batches, int64_t rows,
                                                    const ImageDims& image = kSmallImage) {
  for (const StreamDecl& stream : model.streams()) {
    if (stream.name != name) continue;
    const std::string key = stream.rows_of.empty() ? name : stream.rows_of + "/" + name;
    const uint64_t own = key == "train" ? seed : seed ^ noise_use(key);
    return std::make_shared<ToyFields>(ToyStream(own, batches, rows), stream.fields,
                                       key == "train" ? 0 : noise_use(key), image);
  }
  throw std::logic_error("the model declares no stream '" + name + "'");
}

/// One for each stream that the model's phases read.
inline DataLoaders toy_streams(const Trainable& model, uint64_t seed, int64_t batches, int64_t rows,
                               const ImageDims& image = kSmallImage) {
  DataLoaders streams;
  for (const StreamDecl& stream : model.streams()) {
    streams[stream.name] = toy_stream(model, stream.name, seed, batches, rows, image);
  }
  return streams;
}

/// One for each stream that has its own data, for validation of all phases that read only these.
inline DataLoaders toy_validation(const Trainable& model, uint64_t seed, int64_t batches,
                                  int64_t rows) {
  DataLoaders streams;
  for (const StreamDecl& stream : model.streams()) {
    if (!stream.rows_of.empty()) continue;
    streams[stream.name] = toy_stream(model, stream.name, seed, batches, rows);
  }
  return streams;
}

}  // namespace lvtext::testing
