// Shared parts of the benchmarks: the model of configuration A and the folder of prepared data.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "framework/core/checkpoint/safetensors.h"
#include "models/autoencoder/autoencoder.h"

namespace lvtext::benchmarks {

/// Configuration A: word vectors 512, unidirectional LSTMs of 512 units, a latent vector of 100 in
/// every input of the decoder, 8,000 tokens, one shared embedding table, a separate output layer,
/// no noise, no dropout.
inline constexpr int64_t kVocabulary = 8000, kHidden = 512, kLatent = 100;
inline constexpr int64_t kBatch = 64;         ///< sentences per training batch
inline constexpr int64_t kDecodeBatch = 512;  ///< sentences decoded together
inline constexpr int64_t kFixedLength = 20;   ///< target tokens of a sentence of fixed length
inline constexpr int64_t kGiven = 20;         ///< batches that both sides train on

std::shared_ptr<Autoencoder> build_model();
/// Overwrites the model's parameters with those of a file.
void load_weights(Autoencoder& model, const std::filesystem::path& file);

/// `prepare`: writes corpora, weights and the batches of both sides to a folder. The text is from
/// the set sentence-compression-masked if a mirror is given, else from the embedded grammar.
void prepare(const std::filesystem::path& folder, const std::string& mirror);
/// `train`: reads commands from standard input and answers each with a JSON line.
void serve_training(const std::filesystem::path& folder, const std::string& corpus,
                    const std::string& precision);
/// `decode`: likewise.
void serve_decoding(const std::filesystem::path& folder, const std::string& lengths);
/// `bf16`: prints how this CPU multiplies bfloat16 matrices.
void print_bf16();
/// `start`: runs one training step from process start and prints a line.
void first_step(const std::filesystem::path& folder);
/// `tsne`: writes points to the folder, then embeds them for each command.
void serve_tsne(const std::filesystem::path& folder);

/// `transfer-prepare`: writes weights and batches of the transfer model to a folder.
void prepare_transfer(const std::filesystem::path& folder);
/// `transfer`: trains on these batches for each command, and prints the time and the losses of the
/// last step.
void serve_transfer(const std::filesystem::path& folder, bool noise);

/// `arae-prepare`: writes weights and batches of ARAE to a folder.
void prepare_arae(const std::filesystem::path& folder);
/// `arae`: trains on these batches for each command, with `rounds` of critic and generator updates
/// per step; `flushes`: subnormal numbers are zero. The command `dead` makes the generator inactive
/// and its moments subnormal.
void serve_arae(const std::filesystem::path& folder, bool flushes, int64_t rounds);

/// `stackgan-prepare`: writes weights, batches and the noise of the first kGiven steps of a
/// text-to-image GAN with these options (YAML) to a folder.
void prepare_stackgan(const std::filesystem::path& folder, const std::string& options);
/// `stackgan`: trains on these batches for each command, and prints the time and the losses.
void serve_stackgan(const std::filesystem::path& folder, const std::string& options);

/// `gpt2`: loads the weights and texts of the folder into a model with these options (YAML), and
/// answers commands: scores, training steps, texts, memory.
void serve_gpt2(const std::filesystem::path& folder, const std::string& options);

/// `frechet`: reads names of files with the sets x and y, and prints a line with each distance.
void serve_frechet();

/// `entmax`: reads lines FILE TASK ALPHA COUNT and prints the time and results of each.
void serve_entmax();

/// `mixture`: reads lines FILE lstm|mixture|step|transport COUNT and prints the time, the memory
/// and the results of each.
void serve_mixture();
void serve_senteval();
/// `skip-gram`: fits word vectors to a file for each command, and prints the time.
void serve_skip_gram();

/// Wall time and CPU time of this process, in seconds.
struct Clock {
  double wall = 0, cpu = 0;
};
Clock now();
/// Field of /proc/self/status in MiB, for example "VmRSS", "VmHWM".
double memory(const std::string& field);

}  // namespace lvtext::benchmarks
