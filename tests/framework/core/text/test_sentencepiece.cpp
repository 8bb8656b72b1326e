#include "framework/core/text/sentencepiece.h"

#include "framework/core/base/error.h"
#include "framework/core/text/special_ids.h"
#include "tests/catch.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

/// 300 masked sentences of a few words.
std::vector<std::string> masked() {
  const char* who[] = {"police", "<unk>", "the mayor", "## men", "a <unk> player"};
  const char* did[] = {"arrested", "visits", "wins", "leaves <unk>"};
  const char* where[] = {"london", "in ## days", "the <unk>", "on monday", "paris ."};
  std::vector<std::string> lines;
  for (int i = 0; i < 300; ++i) {
    lines.push_back(std::string(who[i % 5]) + " " + did[i % 4] + " " + where[i / 7 % 5]);
  }
  return lines;
}

TokenizerOptions for_masked() {
  TokenizerOptions options;
  options.vocab = 80;
  options.unk_piece = "<oov>";
  options.user_defined_symbols = {"<unk>", "##"};
  return options;
}

}  // namespace

TEST_CASE("tokenizer: masked text is unchanged after encoding and decoding", "[text]") {
  const auto lines = masked();
  for (const auto type : {TokenizerType::kUnigram, TokenizerType::kBpe}) {
    TokenizerOptions options = for_masked();
    options.type = type;
    const SentencePiece tokenizer = SentencePiece::train(lines, options);
    for (const auto& line : lines) {
      const auto ids = tokenizer.encode(line);
      CHECK(tokenizer.decode(ids) == line);
      for (const int32_t id : ids) CHECK(id > kUnk);
    }
    CHECK(tokenizer.piece(tokenizer.id("<unk>")) == "<unk>");
    CHECK(tokenizer.id("<unk>") > kUnk);
  }
}

TEST_CASE("tokenizer: special ids are fixed and removed from text", "[text]") {
  const SentencePiece tokenizer = SentencePiece::train(masked(), for_masked());
  CHECK(tokenizer.piece(kBos) == "<s>");
  CHECK(tokenizer.piece(kEos) == "</s>");
  CHECK(tokenizer.piece(kUnk) == "<oov>");
  std::vector<int32_t> ids = tokenizer.encode("police visits london");
  ids.insert(ids.begin(), kBos);
  ids.insert(ids.end(), {kEos, kPad, kPad});
  CHECK(tokenizer.decode(ids) == "police visits london");
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.encode("\xE4\xB8\xAD").back() == kUnk);
  const std::vector<int32_t> outside = {tokenizer.size()};
  CHECK_THROWS_AS(tokenizer.decode(outside), std::logic_error);
}

TEST_CASE("tokenizer: equal input gives equal bytes, and the bytes can be loaded", "[text]") {
  const SentencePiece one = SentencePiece::train(masked(), for_masked());
  const SentencePiece two = SentencePiece::train(masked(), for_masked());
  CHECK(one.bytes() == two.bytes());
  const SentencePiece loaded = SentencePiece::from_bytes(one.bytes(), "copy");
  CHECK(loaded.sha256() == one.sha256());
  CHECK(loaded.encode("the mayor wins") == one.encode("the mayor wins"));
  CHECK_THROWS_WITH(SentencePiece::from_bytes("not a model", "x.model"), Contains("x.model"));
  CHECK_THROWS_AS(SentencePiece::from_bytes(one.bytes().substr(0, 100), "x.model"), DataError);
}

TEST_CASE("tokenizer: unusable training lines are counted, and having no others is an error",
          "[text]") {
  auto lines = masked();
  lines.push_back("");
  lines.push_back(std::string(5000, 'x'));
  TokenizerTraining seen;
  const SentencePiece with = SentencePiece::train(lines, for_masked(), &seen);
  CHECK(seen.lines == 300);
  CHECK(seen.empty == 1);
  CHECK(seen.too_long == 1);
  CHECK(with.bytes() == SentencePiece::train(masked(), for_masked()).bytes());
  CHECK_THROWS_AS(SentencePiece::train({"", " "}, for_masked()), DataError);
  TokenizerOptions tiny = for_masked();
  tiny.vocab = 8;  // fewer than the number of characters
  CHECK_THROWS_WITH(SentencePiece::train(masked(), tiny), Contains("8 tokens"));
}

TEST_CASE("tokenizer: errors of SentencePiece name lvtext's options", "[text]") {
  std::vector<std::string> lines;
  for (int i = 0; i < 200; ++i) {
    std::string line;
    for (int k = 0; k < 12; ++k) line += static_cast<char>('!' + (i * 7 + k * 5) % 90);
    lines.push_back(line + " words of text");
  }
  const auto refusal = [&](const TokenizerOptions& options) {
    return message_of([&] { SentencePiece::train(lines, options); });
  };
  TokenizerOptions few;
  few.vocab = 10;
  few.character_coverage = 1;
  CHECK_THAT(refusal(few),
             Contains("the characters alone take ") && Contains("increase data.tokenizer.vocab"));
  TokenizerOptions twice;
  twice.vocab = 200;
  twice.user_defined_symbols = {"##", "##"};
  TokenizerOptions special;
  special.vocab = 200;
  special.unk_piece = "<s>";
  for (const auto& options : {few, twice, special}) {
    const std::string text = refusal(options);
    CHECK_THAT(text, Contains("data.tokenizer"));
    CHECK_THAT(text, !Contains(".cc(") && !Contains("INTERNAL") && !Contains("--") &&
                         !Contains("_spec") && !Contains("model_proto"));
  }
  CHECK_THAT(message_of([] { SentencePiece::from_bytes("no model", "x.model"); }),
             Contains("'x.model' is not a usable SentencePiece model") && !Contains(".cc(") &&
                 !Contains("INTERNAL"));
}
