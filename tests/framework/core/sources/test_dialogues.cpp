// Readers of dialogues.
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/options/yaml.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/text/dialogue.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Strings = std::vector<std::string>;

namespace {

const Strings kAll = {"context", "reply", "distractor", "persona", "history"};

struct Read {
  std::vector<Record> records;
  int64_t count = 0;

  std::string text(size_t i, size_t field) const { return text_of(records.at(i).at(field)); }
  Strings texts(size_t i, size_t field) const { return std::get<Strings>(records.at(i).at(field)); }
};

Read read(const std::string& text, const std::string& options = "{}",
          const Strings& fields = kAll) {
  const TemporaryFolder folder;
  write_file_synced(folder / "file", text);
  Read result;
  result.count = Choice<RecordReader>("dialogues", parse_yaml_or_throw(options))
                     ->read(folder / "file", fields,
                            [&](Record record) { result.records.push_back(std::move(record)); });
  return result;
}

const char* kTwo =
    "1 your persona: i read.\n2 partner's persona: i run.\n3 your persona: i cook.\n"
    "4 hi .\thello !\n5 what now ?\tbye .\n"
    "1 your persona: i am.\n2 __SILENCE__\twho ?\n3 me .\tah .\n";

}  // namespace

TEST_CASE("dialogues: a reply has the utterances before it and its speaker's persona", "[data]") {
  const Read two = read(kTwo);
  CHECK(two.count == 8);
  REQUIRE(two.records.size() == 3);  // nothing precedes "who ?"
  CHECK(two.text(0, 0) == "<bos>i read.i cook.<speaker2>hi .<speaker1>");
  CHECK(two.text(1, 0) ==
        "<bos>i read.i cook.<speaker2>hi .<speaker1>hello !<speaker2>what now ?<speaker1>");
  CHECK(two.text(2, 0) == "<bos>i am.<speaker1>who ?<speaker2>me .<speaker1>");
  CHECK(two.text(1, 1) == "bye .");
  CHECK(two.texts(0, 3) == Strings{"i read.", "i cook."});
  CHECK(two.texts(1, 4) == Strings{"hi .", "hello !", "what now ?"});
  for (size_t i = 0; i < 3; ++i) {
    const std::string other = two.text(i, 2);
    CHECK(other != two.text(i, 1));
    CHECK((other == "hello !" || other == "bye ." || other == "ah ."));
  }
  CHECK(read(kTwo, "{history: 1}").text(1, 0) ==
        "<bos>i read.i cook.<speaker2>what now ?<speaker1>");
  CHECK(read(kTwo, "{}", {"reply"}).records[1] == Record{"bye ."});
}

TEST_CASE("dialogues: the last wrong candidate is the distractor", "[data]") {
  const Read one = read("1 your persona: a.\n2 hi\tyes\t\tno|yes|maybe|yes\n", "{}",
                        {"distractor", "candidates"});
  CHECK(one.text(0, 0) == "maybe");
  CHECK(one.texts(0, 1) == Strings{"no", "maybe"});
}

TEST_CASE("dialogues: mistakes are named with their line", "[data]") {
  const auto fails = [](const std::string& text, const std::string& message) {
    INFO(text);
    CHECK_THROWS_WITH(read(text), Contains(message));
  };
  fails("1 your persona: a.\n3 hi\tyes\n", "line 2: the number is 3, but 2 or 1 (a new dialogue)");
  fails("your persona: a.\n", "line 1: a line must begin with its number");
  fails("1", "line 1: a line must begin with its number");
  fails("2 hi\tyes\n", "line 1: the number is 2, but 1 or 1");
  fails("1 hi there\n", "line 1: 1 column between tabs");
  fails("1 hi\ta\tb\tc\td\n", "line 1: 5 columns between tabs");
  fails("1 hi\t \n", "line 1: the utterance or the reply is empty");
  fails("1 your persona: a.\n2 hi\tyes\n3 your persona: b.\n", "line 3: a persona after");
  fails("1 hi\tyes\t\tno|maybe\n", "line 1: the reply is not among the candidates");
  fails("1 hi\tyes\n", "line 1: the speaker has no persona");
  fails("1 your persona:\n2 hi\tyes\n", "line 2: a text of the dialogue is empty");
  fails("1 your persona: a.\n2 hi\tyes\t\tno||yes\n", "line 2: a text of the dialogue is empty");
  fails("1 your persona: a.\n2 <eos>\tyes\n", "line 2: the text contains '<eos>'");
  fails("1 your persona: a.\n2 hi\tyes\n3 hi\tyes\n", "there is no other reply in the file");
  fails("1 your persona: a.\n", "has no replies");
  CHECK_THROWS_WITH(read(kTwo, "{}", {"candidates"}), Contains("line 4: there are no candidates"));
  CHECK_THROWS_WITH(read("{\"turns\": []}", "{form: turns}"),
                    Contains("line 1: expected an object with a list 'user1_persona'"));
  CHECK_THROWS_WITH(read("{}", "{form: persona_chat, part: valid}"),
                    Contains("the file: expected an object with a list 'valid'"));
  const auto fails_json = [](const std::string& dialogue, const std::string& message) {
    INFO(dialogue);
    CHECK_THROWS_WITH(read("{\"valid\": [" + dialogue + "]}", "{form: persona_chat, part: valid}"),
                      Contains("valid, dialogue 1: " + message));
  };
  fails_json("{\"personality\": [1], \"utterances\": []}", "'personality' must be texts");
  fails_json("{\"personality\": []}", "expected an object with a list 'utterances'");
  fails_json("{\"personality\": [], \"utterances\": [\"hi\"]}",
             "expected an object with a list 'candidates'");
  fails_json("{\"personality\": [], \"utterances\": [{\"history\": [\"hi\"], \"candidates\": []}]}",
             "'candidates' is empty");
  fails_json(
      "{\"personality\": [], \"utterances\": [{\"history\": [\" \"], \"candidates\": [\"yes\"]}]}",
      "a text of the dialogue is empty");
  CHECK_THROWS_WITH(read("{", "{form: persona_chat, part: valid}"), Contains("not valid JSON"));
  CHECK_THROWS_WITH(read(kTwo, "{part: valid}"), Contains("part is required by form=persona_chat"));
  CHECK_THROWS_WITH(read("{}", "{form: persona_chat}"),
                    Contains("part is required by form=persona_chat"));
  CHECK_THROWS_WITH(read(kTwo, "{spaced: true}"), Contains("spaced is an option of form=turns"));
}

TEST_CASE("dialogues: turns of two users are replies of both", "[data]") {
  const char* turns =
      "{\"user1_persona\": [\"I am A.\"], \"user2_persona\": [\"I am B.\"], \"turns\": [\"User 1: "
      "Hi!\", \"[Later]\", \"User 2: It's 3:30.\", \"User 2: Or 4...\", \"User 1: Oh, no?\"]}\n";
  const Read one = read(turns, "{form: turns}");
  CHECK(one.count == 1);
  REQUIRE(one.records.size() == 2);
  CHECK(one.text(0, 0) == "<bos>I am B.<speaker2>Hi!<speaker1>");
  CHECK(one.text(0, 1) == "It's 3:30. Or 4...");
  CHECK(one.text(1, 0) == "<bos>I am A.<speaker1>Hi!<speaker2>It's 3:30. Or 4...<speaker1>");
  const Read spaced = read(turns, "{form: turns, spaced: true}");
  CHECK(spaced.text(0, 1) == "It's 3:30 . Or 4 . . .");
  CHECK(spaced.text(1, 1) == "Oh , no ?");
  CHECK(spaced.texts(0, 3) == Strings{"I am B."});
}

TEST_CASE("dialogues: the published file of PersonaChat has parts", "[data]") {
  const Read one = read(
      "{\"train\": [], \"valid\": [{\"personality\": [\"i am.\"], \"utterances\": [{\"history\": "
      "[\"hi\"], \"candidates\": [\"x\", \"y\", \"gold\"]}, {\"history\": [\"hi\", \"gold\", "
      "\"so\"], \"candidates\": [\"z\", \"end\", \"end\"]}]}]}\n",
      "{form: persona_chat, part: valid}");
  CHECK(one.count == 1);
  REQUIRE(one.records.size() == 2);
  CHECK(one.text(0, 1) == "gold");
  CHECK(one.text(0, 2) == "y");
  CHECK(one.text(1, 0) == "<bos>i am.<speaker2>hi<speaker1>gold<speaker2>so<speaker1>");
  CHECK(one.text(1, 2) == "z");
}

TEST_CASE("template dialogues: the reply is what the persona says, the distractor is not",
          "[data]") {
  const Choice<RecordReader> reader("template_dialogues");
  CHECK(reader->fields() == kAll);
  int differs = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    const Record record = reader->draw(5, i);
    CHECK(record == reader->draw(5, i));
    const std::string& context = text_of(record[0]);
    const auto thing = [](const std::string& reply) {
      const size_t end = reply.rfind(" .");
      return reply.substr(reply.rfind(' ', end - 1) + 1, end - reply.rfind(' ', end - 1) - 1);
    };
    CHECK(context.find(thing(text_of(record[1])) + ".") != std::string::npos);
    CHECK(text_of(record[1]) != text_of(record[2]));
    CHECK(context ==
          dialogue_context(std::get<Strings>(record[3]), std::get<Strings>(record[4]), 5));
    differs += record != reader->draw(5, i + 1);
  }
  CHECK(differs > 190);
}
