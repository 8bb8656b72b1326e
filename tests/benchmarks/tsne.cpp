#include "framework/pipeline/inference/shared/tsne.h"

#include <ATen/ATen.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/tensor/philox.h"
#include "tests/benchmarks/setup.h"

namespace lvtext::benchmarks {
namespace {

constexpr int64_t kSentences = 10, kDraws = 100, kWidth = 128;
constexpr double kNoise = 0.1;

/// Points as in Figure 1: samples around latent vectors of unit length, many for each.
at::Tensor sampled_latents() {
  const auto draw = [](const char* use, int64_t rows) {
    return normal({.seed = 1111, .use = noise_use(use)}, at::arange(rows), {kWidth}, at::kDouble);
  };
  const at::Tensor latents = draw("benchmark.codes", kSentences);
  return (latents / latents.norm(2, 1, true)).repeat_interleave(kDraws, 0) +
         kNoise * draw("benchmark.noise", kSentences * kDraws);
}

}  // namespace

void serve_tsne(const std::filesystem::path& folder) {
  constexpr int64_t n = kSentences * kDraws;
  const at::Tensor points = sampled_latents();
  make_folders(folder);
  write_safetensors(folder / "points.safetensors", {{"points", points}});
  const std::span values(points.const_data_ptr<double>(), points.numel());
  std::cout << "{\"ready\":true}" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    int64_t seed = 0;
    words >> command >> seed;
    if (command != "embed") throw UsageError("'" + line + "': embed SEED is expected");
    const std::vector<double> start = tsne_start(n, seed);
    const Clock before = now();
    const std::vector<double> plane = tsne(values, n, {}, start);
    const Clock after = now();
    const nlohmann::ordered_json answer = {
        {"seconds", after.wall - before.wall},
        {"cpu", after.cpu - before.cpu},
        {"embeddings", 1},
        {"start", start},
        {"embedding", plane},
        {"divergence", tsne_divergence(similarities(values, n, 30), plane)}};
    std::cout << answer.dump() << std::endl;
  }
}

}  // namespace lvtext::benchmarks
