#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "framework/core/base/error.h"
#include "framework/core/decoding/decoder.h"
#include "tests/benchmarks/setup.h"

namespace lvtext::benchmarks {

void serve_decoding(const std::filesystem::path& folder, const std::string& lengths) {
  const auto model = build_model();
  load_weights(*model, folder / "decode.safetensors");
  model->eval();
  const at::Tensor latents = read_safetensors(folder / "codes.safetensors").tensors.at(lengths);
  DecodeOptions options;
  options.batch = kDecodeBatch;
  options.max_length = lengths == "fixed" ? kFixedLength : 200;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    int64_t from = 0, count = 0;
    words >> command >> from >> count;
    if (command != "decode") throw UsageError("'" + line + "': decode FROM COUNT is expected");
    const Clock before = now();
    const Decoded decoded = decode(*model, latents.narrow(0, from, count),
                                   at::arange(from, from + count), {.seed = 1}, options);
    const Clock after = now();
    nlohmann::ordered_json answer = {{"seconds", after.wall - before.wall},
                                     {"cpu", after.cpu - before.cpu},
                                     {"sentences", count}};
    answer["ids"] = decoded.sentences;
    std::cout << answer.dump() << std::endl;
  }
}

}  // namespace lvtext::benchmarks
