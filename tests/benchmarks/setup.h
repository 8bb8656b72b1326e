// What every benchmark shares: the model of configuration A and the folder of prepared data.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "framework/core/checkpoint/safetensors.h"
#include "models/autoencoder/autoencoder.h"

namespace lvtext::benchmarks {

/// Configuration A: word vectors 512, LSTMs of 512 units that read in one direction, a code of 100
/// in every input of the decoder, 8,000 tokens, one shared embedding table, an output layer of its
/// own, no noise and no dropout.
inline constexpr int64_t kVocabulary = 8000, kHidden = 512, kLatent = 100;
inline constexpr int64_t kBatch = 64;         ///< sentences per training batch
inline constexpr int64_t kDecodeBatch = 512;  ///< sentences decoded together
inline constexpr int64_t kFixedLength = 20;   ///< target tokens of a sentence of fixed length
inline constexpr int64_t kGiven = 20;         ///< batches that both sides train on

std::shared_ptr<Autoencoder> build_model();
/// Overwrites the model's parameters by those of a file.
void load_weights(Autoencoder& model, const std::filesystem::path& file);

/// `prepare`: corpora, weights and given batches into a folder, from the set
/// sentence-compression-masked if a mirror is given, else from the embedded grammar.
void prepare(const std::filesystem::path& folder, const std::string& mirror);
/// `train`: reads commands from standard input, answers one JSON line each.
void serve_training(const std::filesystem::path& folder, const std::string& corpus,
                    const std::string& precision);
/// `decode`: likewise.
void serve_decoding(const std::filesystem::path& folder, const std::string& lengths);
/// `start`: one training step from nothing, then one line.
void first_step(const std::filesystem::path& folder);
/// `tsne`: writes points into the folder, then embeds them for each command.
void serve_tsne(const std::filesystem::path& folder);

/// `frechet`: a line names a file with the sets x and y, one line with their distance answers.
void serve_frechet();

/// Seconds of wall time and of this process's CPU time.
struct Clock {
  double wall = 0, cpu = 0;
};
Clock now();
/// A figure of /proc/self/status in MiB: "VmRSS", "VmHWM".
double memory(const std::string& field);

}  // namespace lvtext::benchmarks
