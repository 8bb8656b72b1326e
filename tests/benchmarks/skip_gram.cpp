#include "models/skip_gram/skip_gram.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/text/words.h"
#include "tests/benchmarks/setup.h"

namespace lvtext::benchmarks {

void serve_skip_gram() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto command = nlohmann::json::parse(line);
    // Spaces separate words; the file has only those that both sides learn.
    const std::vector<std::string> lines = split(read_file(command.at("text")), '\n');
    const auto words =
        std::make_shared<const Words>(Words::count(lines, {.tokenize = WordTokens::kWhitespace}));
    const Clock before = now();
    std::vector<TokenIds> ids;
    int64_t tokens = 0;
    for (const auto& sentence : lines) {
      ids.push_back(words->encode(sentence));
      tokens += std::ssize(ids.back());
    }
    const Text text(std::move(ids), words);
    Inputs inputs;
    inputs.add("data", text);
    SkipGram model(
        {.width = command.at("width"),
         .epochs = command.at("epochs"),
         .threads = command.at("threads")},
        {.seed = command.at("seed"), .streams = {{"data", {{.vocabulary = words->vocabulary()}}}}});
    model.fit(inputs, [](const std::string&) {});
    const Clock after = now();
    const std::string file = command.at("vectors");
    // Special tokens come first.
    const at::Tensor vectors = model.vectors().slice(0, -std::ssize(words->words()));
    write_safetensors(file, {{"vectors", vectors.contiguous()}});
    std::cout << nlohmann::json{{"seconds", after.wall - before.wall},
                                {"cpu", after.cpu - before.cpu},
                                {"words", tokens * command.at("epochs").get<int64_t>()},
                                {"vocabulary", words->words()}}
                     .dump()
              << std::endl;
  }
}

}  // namespace lvtext::benchmarks
