// Conversations of a model with itself.
#include <ATen/ATen.h>

#include <array>
#include <functional>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/decoding/decoder.h"
#include "framework/core/model/registration.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/core/text/dialogue.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/register.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

constexpr int32_t kPad = 0, kBos = 1, kEos = 2, kSpeaker1 = 4, kSpeaker2 = 5, kFirstLetter = 6;
constexpr int64_t kVocabulary = kFirstLetter + 26;

std::shared_ptr<const Tokenizer> letters() {
  static const std::vector<std::pair<std::string, int32_t>> added = {{"<pad>", kPad},
                                                                     {"<bos>", kBos},
                                                                     {"<eos>", kEos},
                                                                     {"<speaker1>", kSpeaker1},
                                                                     {"<speaker2>", kSpeaker2}};
  return testing::fixed_tokenizer(
      [](std::span<const int32_t> ids) {
        std::string text;
        for (const int32_t id : ids) text += static_cast<char>('a' + id - kFirstLetter);
        return text;
      },
      [](std::string_view text) {
        for (const auto& [token, id] : added) {
          if (text == token) return TokenIds{id};
        }
        TokenIds ids;
        for (const char c : text) ids.push_back(c - 'a' + kFirstLetter);
        return ids;
      });
}

/// Scores are a function of all tokens that a text has read.
class Reader : public Model, public NextTokenModel {
 public:
  using Scores = std::function<at::Tensor(const TokenIds&)>;
  struct State : DecodeState {
    std::vector<TokenIds> read;
    void select_rows(const at::Tensor& index) override {
      std::vector<TokenIds> selected;
      for (int64_t i = 0; i < index.size(0); ++i)
        selected.push_back(read[index[i].item<int64_t>()]);
      read = std::move(selected);
    }
  };
  Reader(Scores scores, std::optional<int64_t> positions)
      : scores_(std::move(scores)), positions_(positions) {}
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<int32_t> start_symbol() const override { return std::nullopt; }
  bool ends() const override { return false; }
  std::optional<int64_t> max_positions() const override { return positions_; }
  std::unique_ptr<DecodeState> start(const Start& start) override {
    auto state = std::make_unique<State>();
    ++starts;
    for (int64_t i = 0; i < start.rows; ++i) {
      TokenIds& read = state->read.emplace_back();
      for (int64_t t = 0; t + 1 < start.prompt->lengths[i].item<int64_t>(); ++t) {
        read.push_back(static_cast<int32_t>(start.prompt->ids[i][t].item<int64_t>()));
      }
    }
    return state;
  }
  at::Tensor step(DecodeState& state, const at::Tensor& ids) override {
    auto& read = dynamic_cast<State&>(state).read;
    std::vector<at::Tensor> rows;
    for (size_t i = 0; i < read.size(); ++i) {
      read[i].push_back(static_cast<int32_t>(ids[static_cast<int64_t>(i)].item<int64_t>()));
      if (positions_) REQUIRE(std::ssize(read[i]) <= *positions_);
      rows.push_back(scores_(read[i]));
    }
    ++steps;
    return at::stack(rows);
  }
  int64_t starts = 0, steps = 0;

 private:
  Scores scores_;
  std::optional<int64_t> positions_;
  Vocabulary vocabulary_{.size = kVocabulary, .bos = kBos, .eos = kEos, .pad = kPad};
};

/// Different scores after different tokens; replies have about seven letters.
at::Tensor hashed_scores(const TokenIds& read) {
  uint64_t hash = 1469598103934665603u;
  for (const int32_t id : read) hash = (hash ^ static_cast<uint64_t>(id)) * 1099511628211u;
  at::Tensor scores =
      normal({.seed = hash, .use = 1}, at::zeros({1}, at::kLong), {kVocabulary}, at::kFloat)[0];
  scores[kPad] = scores[kBos] = -30;
  return scores;
}

std::shared_ptr<Reader> reader(Reader::Scores scores = hashed_scores,
                               std::optional<int64_t> positions = std::nullopt) {
  return std::make_shared<Reader>(std::move(scores), positions);
}

const std::vector<std::string> kOpenings = {"hello", "goodmorning", "who", "areyou", "hey"};
const std::vector<std::string> kPersonaLines = {"ilike", "cats", "iam", "iama", "singer", "from"};
const std::vector<int64_t> kPersonaRows = {0, 2, 3, 6, 8};  // the last one repeats the first

Inferred run(const std::string& component, const std::string& options, const Inputs& inputs) {
  static const Registries registries = [] {
    Registries all;
    register_all_inference(all);
    return all;
  }();
  const at::NoGradGuard no_grad;
  return registries.inference.get(component)
      .configure(parse_yaml_or_throw(options, "test"))
      .inference->run(inputs, [](const std::string&) {});
}

Inferred conversations(const std::shared_ptr<Reader>& model, const std::string& options,
                       const std::vector<std::string>& openings = kOpenings,
                       const std::vector<int64_t>& opening_rows = {}) {
  std::vector<std::string> personas = kPersonaLines;
  personas.insert(personas.end(), {"ilike", "cats"});
  Inputs inputs;
  inputs.add("model", LoadedModel{.component = "reader", .model = model, .tokenizer = letters()});
  inputs.add("openings", Text(openings));
  if (!opening_rows.empty()) inputs.add_rows("openings", opening_rows);
  inputs.add("personas", Text(personas));
  inputs.add_rows("personas", kPersonaRows);
  return run("dialogues", options, inputs);
}

const InferredColumn& column(const Inferred& made, const std::string& name) {
  for (const InferredColumn& each : made.columns) {
    if (each.decl.name == name) return each;
  }
  throw std::logic_error("no column " + name);
}

using Lines = std::vector<std::string>;

/// The texts of each row of a ragged column.
std::vector<Lines> rows_of(const Inferred& made, const std::string& name) {
  const InferredColumn& texts = column(made, name);
  std::vector<Lines> rows;
  for (size_t i = 0; i + 1 < texts.rows.size(); ++i) {
    const auto lines = texts.text.lines();
    rows.emplace_back(lines.begin() + texts.rows[i], lines.begin() + texts.rows[i + 1]);
  }
  return rows;
}

Lines lines_of(const Text& text) {
  return {text.lines().begin(), text.lines().end()};
}

std::vector<int64_t> endings_of(const Inferred& made) {
  std::vector<int64_t> endings;
  for (int64_t i = 0; i < column(made, "ending").values.size(0); ++i) {
    endings.push_back(column(made, "ending").values[i].item<int64_t>());
  }
  return endings;
}

/// What the agents say if every utterance is decoded by itself from a prompt of the last `history`
/// utterances: `persona` of each agent, agent 1 first, as in the result.
Lines said_from_prompts(Reader& model, int64_t index, const std::string& opening,
                        const Lines& personas, int64_t turns, size_t history) {
  const auto ids = [](const std::string& text) { return letters()->encode(text); };
  std::vector<TokenIds> said = {ids(opening)};
  Lines texts;
  for (int64_t turn = 0; turn < turns; ++turn) {
    TokenIds prompt = {kBos};
    std::string persona = personas[static_cast<size_t>(turn % 2)];
    std::erase(persona, ' ');
    for (const int32_t id : ids(persona)) prompt.push_back(id);
    const size_t first = said.size() > history ? said.size() - history : 0;
    for (size_t i = first; i < said.size(); ++i) {
      // The agent of this turn said the utterances of the same parity.
      prompt.push_back(static_cast<int64_t>(i) % 2 == (turn + 1) % 2 ? kSpeaker1 : kSpeaker2);
      prompt.insert(prompt.end(), said[i].begin(), said[i].end());
    }
    prompt.push_back(kSpeaker1);
    const Decoded reply = decode(model, {}, at::full({1}, index * 1024 + turn, at::kLong),
                                 {.seed = 3, .use = noise_use("use.dialogues")},
                                 {.policy = PolicyOptions{.type = Policy::kTemperature},
                                  .max_length = 9,
                                  .stop_ids = {kPad, kBos, kEos, kSpeaker1, kSpeaker2}},
                                 std::vector<TokenIds>{prompt});
    said.push_back(reply.sentences[0]);
    texts.push_back(letters()->decode(said.back()));
  }
  return texts;
}

/// Writes the texts in turn, whatever is read: the next letter after `<speaker1>` and the letters
/// that follow it.
Reader::Scores script(const Lines& texts) {
  return [texts](const TokenIds& read) {
    size_t turn = 0, at = 0;
    for (size_t i = 0; i < read.size(); ++i) {
      if (read[i] == kSpeaker1 || read[i] == kSpeaker2) {
        ++turn;
        at = i + 1;
      }
    }
    // The opening is the first utterance after a speaker's token.
    const std::string& text = texts.at(turn - 2);
    const size_t letter = read.size() - at;
    at::Tensor scores = at::zeros({kVocabulary});
    scores[letter < text.size() ? text[letter] - 'a' + kFirstLetter : kEos] = 50;
    return scores;
  };
}

}  // namespace

TEST_CASE("dialogues: both agents read what a prompt of the whole conversation has",
          "[inference]") {
  const auto model = reader();
  const Inferred made = conversations(model, "{max_length: 9, turns: 7, seed: 3}");
  CHECK(model->starts == 1);  // the states are kept from turn to turn
  const auto turns = rows_of(made, "turns"), personas = rows_of(made, "personas");
  REQUIRE(turns.size() == kOpenings.size());
  int64_t total = 0;
  for (size_t i = 0; i < turns.size(); ++i) {
    total += std::ssize(turns[i]);
    CHECK(turns[i] == said_from_prompts(*model, static_cast<int64_t>(i), kOpenings[i], personas[i],
                                        std::ssize(turns[i]), 100));
  }
  CHECK(total > 15);
  CHECK(personas[0].size() == 2);
}

TEST_CASE("dialogues: a window of the last utterances", "[inference]") {
  const auto model = reader();
  const Inferred made = conversations(model, "{max_length: 9, turns: 9, seed: 3, history: 3}");
  const auto turns = rows_of(made, "turns"), personas = rows_of(made, "personas");
  bool is_long = false;
  for (size_t i = 0; i < turns.size(); ++i) {
    is_long = is_long || turns[i].size() > 5;
    CHECK(turns[i] == said_from_prompts(*model, static_cast<int64_t>(i), kOpenings[i], personas[i],
                                        std::ssize(turns[i]), 3));
  }
  CHECK(is_long);
  CHECK(made.metadata.at("cut_histories") == 0);
}

TEST_CASE("dialogues: without positions for the whole history its beginning is left out",
          "[inference]") {
  const Inferred made =
      conversations(reader(hashed_scores, 45), "{max_length: 9, turns: 9, seed: 3}");
  CHECK(made.metadata.at("cut_histories") > 0);
  const Inferred all = conversations(reader(), "{max_length: 9, turns: 9, seed: 3}");
  const auto cut = rows_of(made, "turns"), whole = rows_of(all, "turns");
  for (size_t i = 0; i < cut.size(); ++i) CHECK(cut[i].front() == whole[i].front());
  CHECK(cut != whole);
  CHECK_THROWS_WITH(conversations(reader(hashed_scores, 8), "{max_length: 9}"),
                    Contains("but the model has 8"));
}

TEST_CASE("dialogues: a conversation is the same alone and among others", "[inference]") {
  const std::string options = "{max_length: 9, turns: 9, seed: 5, history: 5";
  const Inferred all = conversations(reader(), options + "}");
  const Inferred alone = conversations(reader(), options + ", first: 3}", {kOpenings[3]});
  for (const char* name : {"turns", "conversation", "personas"}) {
    CHECK(rows_of(alone, name)[0] == rows_of(all, name)[3]);
  }
  CHECK(rows_of(conversations(reader(), options + ", at_most: 2}"), "turns") ==
        std::vector<Lines>{rows_of(all, "turns")[0], rows_of(all, "turns")[1]});
  CHECK(rows_of(conversations(reader(), "{max_length: 9, turns: 9, seed: 6, history: 5}"),
                "turns") != rows_of(all, "turns"));
}

TEST_CASE("dialogues: the rules that end a conversation", "[inference]") {
  struct Case {
    Lines texts;
    int64_t turns, ending;
  };
  const std::vector<Case> cases = {
      {{"abc", "", "x"}, 2, 0},                   // empty; it counts
      {{"abcde", "vw", "abcdx"}, 3, 1},           // four of five letters of the agent's last one
      {{"abcde", "vw", "abcxy", "abcxz"}, 4, 2},  // four of five letters of the partner's
      {{"hello", "xy", "cd", "ef", "gh", "ij"}, 6, 3},  // the opening is not compared
      {{"aaab", "cd", "aef", "gh", "ik", "lm"}, 6, 3},  // a third
      {{"a", "a", "b"}, 2, 2}};
  for (const Case& each : cases) {
    Lines texts = each.texts;
    texts.resize(6, "zzzz");
    const Inferred made =
        conversations(reader(script(texts)), "{policy: greedy, turns: 6}", {"hello"});
    INFO(each.texts[0] + " " + each.texts[1]);
    CHECK(endings_of(made) == std::vector<int64_t>{each.ending});
    CHECK(rows_of(made, "turns")[0] == Lines(texts.begin(), texts.begin() + each.turns));
    CHECK(column(made, "length").values[0].item<float>() == static_cast<float>(each.turns));
  }
}

TEST_CASE("dialogues: texts, columns and counts of the result", "[inference]") {
  const Inferred made = conversations(reader(script({"ab", "cdefg", "", "x"})),
                                      "{policy: greedy, max_length: 4}", {"hi", "ho"});
  // The second utterance has reached max_length.
  CHECK(lines_of(made.text) == Lines{"ab cdef ", "ab cdef "});
  CHECK(rows_of(made, "conversation")[1] == Lines{"2: ho", "1: ab", "2: cdef", "1: "});
  CHECK(made.text.ids()[0] == letters()->encode("abcdef"));
  CHECK(made.metadata.at("endings").dump() ==
        R"({"empty":2,"repeats_self":0,"repeats_partner":0,"limit":0})");
  CHECK(made.metadata.at("personas") == 3);
  CHECK(column(made, "conversation").text.ids()[1] == TokenIds{kSpeaker1, 6, 7});
}

TEST_CASE("dialogues: openings of a column of histories", "[inference]") {
  // Rows of one dialogue repeat its history; a new dialogue begins with another utterance.
  const Inferred made =
      conversations(reader(script({"", ""})), "{policy: greedy}",
                    {"hi", "hi", "you", "why", "ho", "hi", "so", "and"}, {0, 1, 4, 5, 8});
  const auto talks = rows_of(made, "conversation");
  REQUIRE(talks.size() == 3);
  CHECK(talks[0] == Lines{"2: hi", "1: "});
  CHECK(talks[1] == Lines{"2: ho", "1: "});
  CHECK(talks[2] == Lines{"2: hi", "1: "});
}

TEST_CASE("dialogues: mistakes", "[inference]") {
  CHECK_THROWS_WITH(conversations(reader(), "{policy: \"beam:2\"}"), Contains("beam search"));
  CHECK_THROWS_AS(conversations(reader(), "{turns: 0}"), ConfigError);
}

namespace {

/// The replies to three histories; the second speaker has no persona.
Inferred replies(const std::shared_ptr<Reader>& model, const std::string& options,
                 const std::vector<int64_t>& history_rows = {0, 1, 4, 6}) {
  Inputs inputs;
  inputs.add("model", LoadedModel{.component = "reader", .model = model, .tokenizer = letters()});
  inputs.add("history", Text({"hi", "whoareyoutoday", "me", "you", "so", "what"}));
  inputs.add_rows("history", history_rows);
  inputs.add("persona", Text({"ilike", "cats", "iam"}));
  inputs.add_rows("persona", {0, 2, 2, 3});
  return run("replies", options, inputs);
}

TokenIds prompt_ids(const std::string& persona, const std::vector<std::string>& history) {
  TokenIds ids = {kBos};
  const auto add = [&](const std::string& text) {
    for (const int32_t id : letters()->encode(text)) ids.push_back(id);
  };
  add(persona);
  for (size_t i = 0; i < history.size(); ++i) {
    ids.push_back((history.size() - i) % 2 == 1 ? kSpeaker2 : kSpeaker1);
    add(history[i]);
  }
  ids.push_back(kSpeaker1);
  return ids;
}

}  // namespace

TEST_CASE("replies: what is read before a reply", "[inference]") {
  const auto prompts = [](const Inferred& made) {
    const auto ids = column(made, "prompt").text.ids();
    return std::vector<TokenIds>(ids.begin(), ids.end());
  };
  const Inferred whole = replies(reader(), "{seed: 2}");
  CHECK(prompts(whole) == std::vector<TokenIds>{prompt_ids("ilikecats", {"hi"}),
                                                prompt_ids("", {"whoareyoutoday", "me", "you"}),
                                                prompt_ids("iam", {"so", "what"})});
  CHECK(whole.metadata.at("count") == 3);
  CHECK(prompts(replies(reader(), "{history: 2}"))[1] == prompt_ids("", {"me", "you"}));
  // Of the second history only the last two utterances fit, with three of four tokens.
  const Inferred cut = replies(reader(hashed_scores, 17), "{max_length: 4}");
  CHECK(prompts(cut)[0] == prompt_ids("ilikecats", {"hi"}));
  CHECK(prompts(cut)[1] == prompt_ids("", {"me", "you"}));
  CHECK(cut.metadata.at("cut_histories") == 1);
  // Without room for the persona, the last tokens.
  const Inferred short_prompts = replies(reader(hashed_scores, 10), "{max_length: 4}");
  const TokenIds all = prompt_ids("ilikecats", {"hi"});
  CHECK(prompts(short_prompts)[0] == TokenIds(all.end() - 7, all.end()));
}

TEST_CASE("replies: a reply is the same alone, and ends with any special token", "[inference]") {
  const Inferred all = replies(reader(), "{seed: 2}");
  Inputs alone;
  alone.add("model", LoadedModel{.component = "reader", .model = reader(), .tokenizer = letters()});
  alone.add("history", Text({"so", "what"}));
  alone.add_rows("history", {0, 2});
  alone.add("persona", Text({"iam"}));
  CHECK(run("replies", "{seed: 2, first: 2}", alone).text.ids()[0] == all.text.ids()[2]);
  for (const int32_t end : {kPad, kBos, kEos, kSpeaker1, kSpeaker2}) {
    const Inferred made = replies(reader([end](const TokenIds& read) {
                                    at::Tensor scores = at::zeros({kVocabulary});
                                    scores[read.back() == kSpeaker1 ? kFirstLetter : end] = 50;
                                    return scores;
                                  }),
                                  "{policy: greedy}");
    CHECK(lines_of(made.text) == Lines{"a", "a", "a"});
  }
}

TEST_CASE("replies: mistakes", "[inference]") {
  CHECK_THROWS_WITH(replies(reader(), "{}", {0, 0, 4, 6}), Contains("row 0 has no utterance"));
  CHECK_THROWS_WITH(replies(reader(), "{}", {0, 1, 6}), Contains("2 dialogues, but 3 personas"));
}
