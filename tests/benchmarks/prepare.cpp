#include <algorithm>
#include <iostream>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/datasets/batches.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/sources/load_splits.h"
#include "framework/core/tensor/philox.h"
#include "framework/core/text/sentencepiece.h"
#include "framework/core/text/special_ids.h"
#include "tests/benchmarks/setup.h"
#include "tests/model_inputs.h"
#include "trainers/trainer.h"
#include "trainers/weights.h"

namespace lvtext::benchmarks {
namespace {

using Sentences = std::vector<std::vector<int32_t>>;

/// Writes a corpus for both sides: a dataset for lvtext, flat ids and offsets for the peer.
void write_corpus(const std::filesystem::path& folder, const std::string& name,
                  const Sentences& sentences) {
  write_text_dataset(folder / (name + ".dataset.safetensors"), sentences,
                     testing::usual_vocabulary(kVocabulary));
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> ids;
  for (const auto& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    offsets.push_back(static_cast<int64_t>(ids.size()));
  }
  write_safetensors(
      folder / (name + ".safetensors"),
      {{"ids", at::tensor(ids, at::kInt)}, {"offsets", at::tensor(offsets, at::kLong)}});
}

/// Splits the text into sentences of a fixed length, so that there is no padding.
Sentences cut(const Sentences& sentences, size_t length) {
  Sentences pieces{{}};
  for (const auto& sentence : sentences) {
    for (const int32_t id : sentence) {
      if (pieces.back().size() == length) pieces.emplace_back();
      pieces.back().push_back(id);
    }
  }
  if (pieces.back().size() < length) pieces.pop_back();
  return pieces;
}

/// Sentence indices of the batches that both sides train on before their losses are compared.
void write_given(const std::filesystem::path& file, const Sentences& sentences) {
  std::vector<int64_t> lengths;
  for (const auto& sentence : sentences) lengths.push_back(static_cast<int64_t>(sentence.size()));
  BatchPlan plan(lengths, {Order::kRandom, kBatch, 0, 0, 7});
  std::vector<int64_t> rows;
  for (int64_t k = 0; k < kGiven; ++k) {
    const auto batch = plan.batch(0, k);
    rows.insert(rows.end(), batch.begin(), batch.end());
  }
  write_safetensors(file, {{"rows", at::tensor(rows, at::kLong).view({kGiven, kBatch})}});
}

/// Decoder with a given sentence length and otherwise random output: unit 0 of the LSTM counts in
/// steps of tanh(z[0]), and EOS has the highest score once the count exceeds a threshold. All other
/// units keep their random weights, scaled up so that sentences differ.
TensorMap counting_weights(TensorMap weights) {
  const at::NoGradGuard no_grad;
  for (auto& [name, value] : weights) value = value.detach().clone();
  weights.at("embedding.weight").mul_(10);
  weights.at("decoder.z_weight").mul_(4);
  weights.at("decoder.lstm.weight_hh_l0").mul_(3);
  const int64_t hidden = kHidden;
  for (int64_t gate = 0; gate < 4; ++gate) {
    const int64_t row = gate * hidden;
    const bool input = gate == 2;
    weights.at("decoder.lstm.weight_ih_l0")[row].zero_();
    weights.at("decoder.lstm.weight_hh_l0")[row].zero_();
    weights.at("decoder.z_weight")[row].zero_();
    weights.at("decoder.lstm.bias_ih_l0")[row].fill_(input ? 0.0 : 50.0);
    weights.at("decoder.lstm.bias_hh_l0")[row].zero_();
    if (input) weights.at("decoder.z_weight")[row][0].fill_(1);
  }
  at::Tensor output = weights.at("decoder.output.weight");
  output.select(1, 0).zero_();
  output[kEos].zero_();
  output[kEos][0].fill_(1e4);
  weights.at("decoder.output.bias")[kEos].fill_(-1e4 * std::tanh(0.5));
  return weights;
}

/// Latent vectors for which sentences end after `lengths` words; 0: never.
at::Tensor latents(const std::vector<int64_t>& lengths) {
  const auto count = static_cast<int64_t>(lengths.size());
  at::Tensor z = normal_step({.seed = 5}, {count, kLatent}, at::kFloat);
  for (int64_t i = 0; i < count; ++i) {
    z[i][0] = lengths[i] > 0 ? std::atanh(0.5 / (static_cast<double>(lengths[i]) + 0.5)) : -1.0;
  }
  return z;
}

void write_decoding(const std::filesystem::path& folder, const TensorMap& weights,
                    const Sentences& sentences) {
  constexpr size_t kSentences = 10000;
  write_safetensors(folder / "decode.safetensors", counting_weights(weights));
  std::vector<int64_t> real;
  for (size_t i = 0; i < kSentences; ++i) {
    real.push_back(std::max<int64_t>(1, std::ssize(sentences[i % sentences.size()])));
  }
  write_safetensors(folder / "codes.safetensors",
                    {{"real", latents(real)},
                     {"fixed", latents(std::vector<int64_t>(kSentences, 0))},
                     {"lengths", at::tensor(real, at::kLong)}});
}

}  // namespace

void prepare(const std::filesystem::path& folder, const std::string& mirror) {
  std::filesystem::create_directories(folder);
  DataOptions data;
  TokenizerOptions pieces;
  pieces.vocab = kVocabulary;
  if (!mirror.empty()) {
    data.set = "sentence-compression-masked";
    data.fields = {"compression"};
    data.train_at_most = 25000;
    pieces.unk_piece = "<oov>";
    pieces.user_defined_symbols = {"<unk>", "##"};
  } else {
    pieces.vocab = 400;  // the maximum for the grammar
  }
  const Splits splits = load_splits(data, data_locations(mirror), {"data"});
  const SentencePiece tokenizer = SentencePiece::train(splits.texts("train"), pieces);
  const auto encode = [&](const std::vector<std::string>& lines, size_t at_most) {
    Sentences sentences;
    for (const auto& line : lines) {
      if (sentences.size() == at_most) break;
      sentences.push_back(tokenizer.encode(line));
    }
    return sentences;
  };
  const Sentences train = encode(splits.texts("train"), splits.records.at("train").rows.size());
  const Sentences held_out = encode(splits.texts("test"), 2000);
  write_corpus(folder, "real", train);
  write_corpus(folder, "held_out", held_out);
  const Sentences fixed = cut(train, kFixedLength - 1);
  write_corpus(folder, "fixed", fixed);
  write_given(folder / "real.given.safetensors", train);
  write_given(folder / "fixed.given.safetensors", fixed);
  const auto model = build_model();
  const TensorMap weights = model_tensors(*model);
  write_safetensors(folder / "weights.safetensors", weights);
  write_decoding(folder, weights, train);

  int64_t tokens = 0, longest = 0;
  for (const auto& sentence : train) {
    tokens += std::ssize(sentence);
    longest = std::max<int64_t>(longest, std::ssize(sentence));
  }
  const nlohmann::ordered_json metadata = {
      {"set", data.set},
      {"sentences", train.size()},
      {"tokens", tokenizer.size()},
      {"mean_length", static_cast<double>(tokens) / static_cast<double>(train.size())},
      {"longest", longest}};
  write_file_atomic(folder / "data.json", metadata.dump(1) + "\n");
  std::cout << metadata.dump() << std::endl;
}

}  // namespace lvtext::benchmarks
