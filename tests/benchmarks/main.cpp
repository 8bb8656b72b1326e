// lvtext's side of the benchmarks; run.py starts it and the peer.
#include <iostream>
#include <vector>

#include "framework/core/base/error.h"
#include "tests/benchmarks/setup.h"

int main(int argc, char** argv) {
  using namespace lvtext::benchmarks;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto argument = [&](size_t i) { return i < arguments.size() ? arguments[i] : ""; };
  try {
    if (argument(0) == "prepare") {
      prepare(argument(1), argument(2));
    } else if (argument(0) == "train") {
      serve_training(argument(1), argument(2), argument(3));
    } else if (argument(0) == "decode") {
      serve_decoding(argument(1), argument(2));
    } else if (argument(0) == "start") {
      first_step(argument(1));
    } else if (argument(0) == "tsne") {
      serve_tsne(argument(1));
    } else if (argument(0) == "transfer-prepare") {
      prepare_transfer(argument(1));
    } else if (argument(0) == "transfer") {
      serve_transfer(argument(1), argument(2) == "noise");
    } else if (argument(0) == "arae-prepare") {
      prepare_arae(argument(1));
    } else if (argument(0) == "arae") {
      serve_arae(argument(1), argument(2) == "flushed", argument(3) == "start" ? 1 : 4);
    } else if (argument(0) == "stackgan-prepare") {
      prepare_stackgan(argument(1), argument(2));
    } else if (argument(0) == "stackgan") {
      serve_stackgan(argument(1), argument(2));
    } else if (argument(0) == "gpt2") {
      serve_gpt2(argument(1), argument(2));
    } else if (argument(0) == "bf16") {
      print_bf16();
    } else if (argument(0) == "frechet") {
      serve_frechet();
    } else if (argument(0) == "entmax") {
      serve_entmax();
    } else if (argument(0) == "mixture") {
      serve_mixture();
    } else if (argument(0) == "senteval") {
      serve_senteval();
    } else if (argument(0) == "skip-gram") {
      serve_skip_gram();
    } else {
      throw lvtext::UsageError(
          "lvtext_benchmarks prepare FOLDER [MIRROR] | train FOLDER fixed|real fp32|bf16 | "
          "decode FOLDER fixed|real | start FOLDER | tsne FOLDER | transfer-prepare FOLDER | "
          "transfer FOLDER noise|plain | arae-prepare FOLDER | arae FOLDER flushed|default start|late | "
          "stackgan-prepare FOLDER OPTIONS | stackgan FOLDER OPTIONS | gpt2 FOLDER OPTIONS | bf16 | "
          "frechet | entmax | mixture | senteval | skip-gram");
    }
  } catch (const lvtext::Error& error) {
    std::cerr << "lvtext_benchmarks: " << error.what() << "\n";
    return static_cast<int>(error.code());
  }
  return 0;
}
