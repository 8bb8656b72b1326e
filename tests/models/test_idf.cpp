// Inverse sentence frequencies.
#include "models/idf/idf.h"

#include <ATen/ATen.h>

#include "framework/core/text/words.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

at::Tensor fitted(const Text& text) {
  Inputs inputs;
  inputs.add("data", text);
  Idf model({}, {.streams = {{"data", {{.vocabulary = text.tokenizer()->vocabulary()}}}}});
  model.fit(inputs, [](const std::string&) {});
  return model.weights();
}

}  // namespace

TEST_CASE("idf: the logarithm of sentences over sentences with the word", "[idf]") {
  const auto words = std::make_shared<const Words>(
      std::vector<std::string>{"the", "food", "is", "great", ".", "bad", "service", "!", "we",
                               "love", "place", "unseen"},
      WordEncoding{});
  std::vector<TokenIds> ids;
  for (const char* line :
       {"the food is great .", "the food is bad .", "great service !", "we love the place ."}) {
    ids.push_back(words->encode(line));
  }
  const at::Tensor idf = fitted(Text(ids, words));
  const std::vector<double> expected = {
      -1,         -1,         -1,         -1,          // special ids
      0.28768207, 0.69314718, 0.69314718, 0.69314718,  // the food is great
      0.28768207, 1.38629436, 1.38629436, 1.38629436,  // . bad service !
      1.38629436, 1.38629436, 1.38629436, -1};         // we love place unseen
  REQUIRE(idf.size(0) == 16);
  for (int64_t id = 0; id < 16; ++id) {
    CHECK(idf[id].item<double>() == Approx(expected[id]).margin(5e-9));
  }
}

TEST_CASE("idf: repeated words, empty sentences and special ids", "[idf]") {
  const auto words =
      std::make_shared<const Words>(std::vector<std::string>{"a", "b"}, WordEncoding{});
  const at::Tensor idf = fitted(Text({{4, 4, 3}, {}, {5, 4}, {3}}, words));
  CHECK(idf[4].item<double>() == Approx(std::log(2.0)));
  CHECK(idf[5].item<double>() == Approx(std::log(4.0)));
  CHECK(idf[3].item<double>() == -1);
  CHECK(fitted(Text(std::vector<TokenIds>{}, words)).eq(-1).all().item<bool>());
  // A word that every sentence contains has the weight 0, unlike one that none contains.
  CHECK(fitted(Text({{4}, {4, 5}}, words))[4].item<double>() == 0);
}
