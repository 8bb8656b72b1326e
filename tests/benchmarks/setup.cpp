#include "tests/benchmarks/setup.h"

#include <ctime>
#include <fstream>

#include "framework/core/base/error.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "tests/model_inputs.h"
#include "trainers/weights.h"

namespace lvtext::benchmarks {

std::shared_ptr<Autoencoder> build_model() {
  AutoencoderOptions options;
  options.embedding = kHidden;
  options.encoder.hidden = kHidden;
  options.encoder.bidirectional = false;
  options.latent.size = kLatent;
  options.decoder.hidden = kHidden;
  options.decoder.z_inject = {ZInject::kConcat};
  return std::make_shared<Autoencoder>(options, testing::model_inputs(kVocabulary, 1111));
}

void load_weights(Autoencoder& model, const std::filesystem::path& file) {
  load_into(model_tensors(model), read_safetensors(file).tensors, file.string());
}

Clock now() {
  const auto read = [](clockid_t id) {
    timespec time{};
    clock_gettime(id, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  return {read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID)};
}

double memory(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
  }
  throw Error(Exit::kUnavailable, "/proc/self/status has no " + field);
}

}  // namespace lvtext::benchmarks
