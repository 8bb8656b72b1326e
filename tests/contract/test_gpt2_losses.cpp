// GPT-2 with each of its losses, on running text and on dialogues.
#include "framework/core/options/yaml.h"
#include "models/gpt2/gpt2.h"
#include "tests/contract/contract.h"
#include "tests/contract/toy_parts.h"

using namespace lvtext;
using namespace lvtext::testing;

TEST_CASE("contract: gpt2 with each loss, without special tokens", "[contract]") {
  for (const char* loss : {"{type: nll}", "{type: entmax, alpha: 1.5}",
                           "{type: unlikelihood, prefix: 2, completion: 5, ngram: 2}",
                           "{type: unlikelihood, level: token}"}) {
    const auto options = parse_options_or_throw<Gpt2Options>(parse_yaml_or_throw(
        std::string("{layers: 2, heads: 2, width: 8, positions: 24, loss: ") + loss + "}",
        "options"));
    Subject subject;
    subject.name = std::string("gpt2 ") + loss;
    subject.model = [options](uint64_t seed) {
      return std::make_shared<Gpt2>(options, model_inputs(Vocabulary{.size = 13}, seed));
    };
    subject.train = toy_streams(*subject.model(1), 5, 7, 32);
    subject.validation = toy_streams(*subject.model(1), 7, 2, 8);
    check_contract(subject);
  }
}

TEST_CASE("contract: gpt2 on replies of dialogues", "[contract]") {
  for (const char* more : {"dialogue: {}", "loss: {type: entmax, alpha: 1.5}, dialogue: {}",
                           "dialogue: {padded: 24}"}) {
    const auto options = parse_options_or_throw<Gpt2Options>(parse_yaml_or_throw(
        std::string("{layers: 2, heads: 2, width: 8, positions: 24, ") + more + "}", "options"));
    Subject subject;
    subject.name = std::string("gpt2 ") + more;
    subject.model = [options](uint64_t seed) {
      return std::make_shared<Gpt2>(
          options, model_inputs(Vocabulary{.size = 13, .bos = 1, .eos = 2, .pad = 0}, seed));
    };
    subject.train = toy_streams(*subject.model(1), 5, 7, 32);
    subject.validation = toy_streams(*subject.model(1), 7, 2, 8);
    check_contract(subject);
  }
}
