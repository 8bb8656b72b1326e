#include "framework/core/text/dialogue.h"

#include "framework/core/base/error.h"
#include "framework/core/text/byte_bpe.h"
#include "tests/catch.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

ByteBpe tokenizer_with(std::vector<std::string> added) {
  return {{}, {.texts = std::move(added)}};
}

const std::vector<std::string> kAdded = {"<bos>", "<eos>", "<pad>", "<speaker1>", "<speaker2>"};

}  // namespace

TEST_CASE("dialogue: the tokens of a tokenizer", "[text]") {
  const DialogueTokens tokens = dialogue_tokens(tokenizer_with(kAdded), "dialogues");
  CHECK(tokens.bos == 256);
  CHECK(tokens.eos == 257);
  CHECK(tokens.own == 259);
  CHECK(tokens.partner == 260);
  CHECK(tokens.special == std::vector<int32_t>{256, 257, 258, 259, 260});
  const auto unpadded =
      find_dialogue_tokens(tokenizer_with({"<speaker2>", "<speaker1>", "<eos>", "<bos>"}));
  REQUIRE(unpadded);
  CHECK(unpadded->own == 257);
  CHECK(unpadded->special == std::vector<int32_t>{256, 257, 258, 259});
  CHECK_FALSE(find_dialogue_tokens(tokenizer_with({"<bos>", "<eos>", "<speaker1>"})));
  CHECK_THROWS_WITH(dialogue_tokens(tokenizer_with({"<bos>", "<eos>", "<pad>"}), "dialogues"),
                    Contains("dialogues needs") && Contains("lacks <speaker1>, <speaker2>"));
}

TEST_CASE("dialogue: what the agents read", "[text]") {
  const DialogueTokens tokens{.bos = 1, .eos = 2, .own = 3, .partner = 4};
  const TokenIds persona = {10, 11};
  const std::vector<TokenIds> said = {{20, 21}, {22}, {23, 24}};
  // The agent that speaks next said the second utterance.
  CHECK(dialogue_context(tokens, persona, said) ==
        TokenIds{1, 10, 11, 4, 20, 21, 3, 22, 4, 23, 24, 3});
  // The other agent said the first and the third one.
  CHECK(dialogue_context(tokens, persona, said, /*own_turn=*/false) ==
        TokenIds{1, 10, 11, 3, 20, 21, 4, 22, 3, 23, 24, 4});
  CHECK(dialogue_context(tokens, {}, std::span(said).subspan(1)) ==
        TokenIds{1, 3, 22, 4, 23, 24, 3});
  CHECK(dialogue_context(tokens, persona, {}) == TokenIds{1, 10, 11, 3});
  // Sentences follow each other without a blank.
  const ByteBpe bytes = tokenizer_with(kAdded);
  CHECK(persona_ids(bytes, std::vector<std::string>{"a.", "b"}) == bytes.encode("a.b"));
  CHECK(persona_ids(bytes, {}).empty());
}

TEST_CASE("dialogue: overlap of utterances", "[text]") {
  // Specification 2, section 7.7.
  CHECK(utterance_overlap({1, 2, 3, 4, 5}, {1, 2, 3, 4, 9}) == 0.8);
  CHECK(utterance_overlap({1, 1, 1, 2}, {1}) == 0.75);
  CHECK(utterance_overlap({1}, {2, 1, 1}) == 1);
  CHECK(utterance_overlap({}, {1}) == 0);
  CHECK(utterance_overlap({1}, {}) == 0);
}
