#include <iostream>
#include <nlohmann/json.hpp>

#include "evaluators/frechet/frechet_distance.h"
#include "framework/core/base/error.h"
#include "tests/benchmarks/setup.h"

namespace lvtext::benchmarks {

void serve_frechet() {
  for (std::string file; std::getline(std::cin, file);) {
    const TensorMap sets = read_safetensors(file).tensors;
    const Clock before = now();
    const FrechetDistance distance = frechet_distance(sets.at("x"), sets.at("y"));
    const Clock after = now();
    const nlohmann::ordered_json answer = {{"seconds", after.wall - before.wall},
                                           {"cpu", after.cpu - before.cpu},
                                           {"value", distance.raw()}};
    std::cout << answer.dump() << std::endl;
  }
}

}  // namespace lvtext::benchmarks
