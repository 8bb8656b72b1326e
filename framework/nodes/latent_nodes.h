// Nodes that look into the latent space of a trained model. All take the test sentences in their
// order, the first ones, so that nobody has chosen them.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "framework/graph/graph.h"
#include "framework/model/registries.h"

namespace lvtext {

/// Test sentences 2k and 2k + 1 are pair k: `steps` sentences decoded greedily along the way
/// between their posterior means (codes_between), for at most `pairs` pairs. File: text.txt, pair
/// by pair.
std::string add_interpolations(Graph& graph, const Registries& registries, const std::string& name,
                               const std::string& trained, const std::string& tokenizer,
                               const std::string& test, int64_t pairs, int64_t steps,
                               int64_t max_length);

/// A sentence near another one.
struct Neighbour {
  int64_t sentence = 0;  ///< line of the test set, from 0
  double distance = 0;   ///< 1 - cosine on the unit sphere, else Euclidean
};

/// The `count` rows of `codes` ([N, Z] float64 on the CPU) nearest to row `from`, which is left
/// out, nearest first; the lower row first where distances are equal.
std::vector<Neighbour> nearest_rows(const at::Tensor& codes, int64_t from, int64_t count,
                                    bool on_unit_sphere);

/// The `count` test sentences whose posterior means are nearest to those of each of the first
/// `sentences`, by nearest_rows. File: neighbours.json.
std::string add_neighbours(Graph& graph, const Registries& registries, const std::string& name,
                           const std::string& trained, const std::string& test, int64_t sentences,
                           int64_t count);
/// Of a finished node: the neighbours of each sentence, nearest first.
std::vector<std::vector<Neighbour>> read_neighbours(const std::filesystem::path& folder);

/// `draws` draws of the posterior of each of `sentences` test sentences, which the seed chooses
/// (all, if there are fewer). A draw depends on (seed, sentence, number) alone. File:
/// draws.safetensors with `points` [S * draws, Z] float64, sentence by sentence, and `sentence_ids`
/// [S] int64.
std::string add_posterior_draws(Graph& graph, const Registries& registries, const std::string& name,
                                const std::string& trained, const std::string& test,
                                int64_t sentences, int64_t draws, int64_t seed);

}  // namespace lvtext
