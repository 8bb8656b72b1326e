#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/base/characters.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/datasets/batches.h"
#include "framework/core/sources/json_records.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/text/dialogue.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

enum class DialogueForm { kParlai, kTurns, kPersonaChat };

const std::vector<EnumName<DialogueForm>>& enum_names(DialogueForm) {
  static const std::vector<EnumName<DialogueForm>> names = {
      {"parlai", DialogueForm::kParlai,
       "ParlAI's text: numbered lines, from 1 in each dialogue, `your persona: ...`, then "
       "utterance, reply and, if there are any, reward and candidates (A|B|C) between tabs"},
      {"turns", DialogueForm::kTurns,
       "JSON objects with user1_persona, user2_persona and turns (`User 1: ...`), as "
       "Synthetic-Persona-Chat; the utterances of both speakers are replies"},
      {"persona_chat", DialogueForm::kPersonaChat,
       "one JSON object as personachat_self_original.json: for each of its parts a list of "
       "dialogues with personality and utterances (history, candidates, the reply last)"}};
  return names;
}

using Texts = std::vector<std::string>;

/// One reply of a dialogue.
struct Reply {
  Texts persona;  ///< persona of its speaker
  Texts history;  ///< all utterances before it, the last one by the other speaker
  std::string text;
  Texts candidates;      ///< wrong replies that are offered
  std::string location;  ///< for messages
};

/// Whether a mark of punctuation at `i` stands between two digits, as in 3:30.
bool is_in_number(const std::string& text, size_t i) {
  return i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
}

/// The text with blanks around marks of punctuation, as PersonaChat has it.
std::string with_blanks(const std::string& text) {
  std::string spaced;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_mark = std::string_view(".,!?;:\"()").find(text[i]) != std::string_view::npos;
    if (!is_mark || is_in_number(text, i)) {
      spaced += text[i];
    } else {
      spaced += std::string(" ") + text[i] + " ";
    }
  }
  return collapse_white_space(spaced);
}

/// Collects the replies of a file and gives them as records.
class Replies {
 public:
  Replies(std::filesystem::path file, const Texts& fields, int64_t history, int64_t seed)
      : file_(std::move(file)), fields_(fields), history_(history), seed_(seed) {}

  [[noreturn]] void fail(const std::string& location, const std::string& what) const {
    throw DataError("'" + file_.string() + "', " + location + ": " + what);
  }

  /// A reply without an utterance before it is none.
  void add(Reply reply) {
    if (reply.history.empty()) return;
    for (const Texts& texts : {reply.persona, reply.history, reply.candidates, {reply.text}}) {
      for (const std::string& text : texts) {
        if (text.empty()) fail(reply.location, "a text of the dialogue is empty");
        refuse_added(text, reply.location);
      }
    }
    if (wants("persona") && reply.persona.empty())
      fail(reply.location, "the speaker has no persona");
    if (wants("candidates") && reply.candidates.empty()) {
      fail(reply.location, "there are no candidates besides the reply");
    }
    replies_.push_back(std::move(reply));
  }

  void give(const std::function<void(Record)>& each) const {
    if (replies_.empty()) throw DataError("'" + file_.string() + "' has no replies");
    for (size_t i = 0; i < replies_.size(); ++i) {
      Record record;
      for (const std::string& field : fields_) record.push_back(value(field, i));
      each(std::move(record));
    }
  }

 private:
  bool wants(const std::string& field) const {
    return std::find(fields_.begin(), fields_.end(), field) != fields_.end();
  }
  void refuse_added(const std::string& text, const std::string& location) const {
    for (const std::string added : kDialogueTokens) {
      if (text.find(added) == std::string::npos) continue;
      fail(location, "the text contains '" + added + "', which marks the parts of a context");
    }
  }

  FieldValue value(const std::string& field, size_t i) const {
    const Reply& reply = replies_[i];
    if (field == "context") return dialogue_context(reply.persona, reply.history, history_);
    if (field == "distractor") return distractor(i);
    if (field == "persona") return reply.persona;
    if (field == "history") return reply.history;
    if (field == "candidates") return reply.candidates;
    return reply.text;
  }

  std::string distractor(size_t i) const {
    const Reply& reply = replies_[i];
    if (!reply.candidates.empty()) return reply.candidates.back();
    for (uint64_t draw = 0; draw < 1000; ++draw) {
      const uint64_t bits = mix_bits(static_cast<uint64_t>(seed_), i, draw);
      const std::string& other = replies_[bits % replies_.size()].text;
      if (other != reply.text) return other;
    }
    fail(reply.location, "there is no other reply in the file that could be the distractor");
  }

  std::filesystem::path file_;
  const Texts& fields_;
  int64_t history_, seed_;
  std::vector<Reply> replies_;
};

/// ParlAI's text, line by line.
class ParlaiLines {
 public:
  explicit ParlaiLines(Replies& replies) : replies_(replies) {}

  void add(const std::string& line, int64_t number) {
    location_ = "line " + format_count(number);
    int64_t turn = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), turn);
    if (error != std::errc() || end == line.data() + line.size() || *end != ' ') {
      replies_.fail(location_, "a line must begin with its number in the dialogue and a blank");
    }
    if (turn == 1) {
      persona_.clear();
      utterances_.clear();
    } else if (turn != last_ + 1) {
      replies_.fail(location_, "the number is " + std::to_string(turn) + ", but " +
                                   std::to_string(last_ + 1) + " or 1 (a new dialogue) follows " +
                                   std::to_string(last_));
    }
    last_ = turn;
    const std::string text(end + 1, line.data() + line.size());
    if (text.starts_with(kYours)) {
      if (!utterances_.empty()) {
        replies_.fail(location_,
                      "a persona after the first utterance; a dialogue begins with line 1");
      }
      persona_.emplace_back(trim(std::string_view(text).substr(kYours.size())));
    } else if (!text.starts_with(kPartners)) {
      add_turn(split(text, '\t'));
    }
  }

 private:
  static constexpr std::string_view kYours = "your persona:", kPartners = "partner's persona:";

  void add_turn(const Texts& columns) {
    if (columns.size() < 2 || columns.size() > 4) {
      replies_.fail(location_, format_count(std::ssize(columns), "column") +
                                   " between tabs; there must be utterance and reply and, at most, "
                                   "reward and candidates");
    }
    if (is_blank(columns[0]) || is_blank(columns[1])) {
      replies_.fail(location_, "the utterance or the reply is empty");
    }
    if (columns[0] != "__SILENCE__") utterances_.push_back(columns[0]);
    Texts candidates;
    if (columns.size() == 4) {
      candidates = split(columns[3], '|');
      if (std::erase(candidates, columns[1]) == 0) {
        replies_.fail(location_, "the reply is not among the candidates");
      }
    }
    replies_.add({persona_, utterances_, columns[1], std::move(candidates), location_});
    utterances_.push_back(columns[1]);
  }

  Replies& replies_;
  std::string location_;
  Texts persona_, utterances_;
  int64_t last_ = 0;
};

/// Reads JSON of dialogues. Throws DataError naming the location.
class JsonDialogue {
 public:
  JsonDialogue(Replies& replies, const nlohmann::json& value, std::string location)
      : replies_(replies), value_(value), location_(std::move(location)) {}

  /// An object with personas of both users and turns.
  void add_turns(bool spaced) const {
    const Texts personas[] = {texts(value_, "user1_persona"), texts(value_, "user2_persona")};
    Texts utterances;
    std::vector<size_t> speakers;
    for (const std::string& turn : texts(value_, "turns")) {
      const std::optional<size_t> speaker = speaker_of(turn);
      if (!speaker) continue;
      std::string text(trim(std::string_view(turn).substr(7)));
      if (spaced) text = with_blanks(text);
      if (is_blank(text)) continue;
      if (!speakers.empty() && speakers.back() == *speaker) {
        utterances.back() += " " + text;
      } else {
        speakers.push_back(*speaker);
        utterances.push_back(std::move(text));
      }
    }
    for (size_t k = 1; k < utterances.size(); ++k) {
      replies_.add({personas[speakers[k]],
                    {utterances.begin(), utterances.begin() + static_cast<long>(k)},
                    utterances[k],
                    {},
                    location_});
    }
  }

  /// An object with personality and utterances.
  void add_utterances() const {
    const Texts persona = texts(value_, "personality");
    for (const nlohmann::json& each : list(value_, "utterances")) {
      Texts candidates = texts(each, "candidates");
      if (candidates.empty()) replies_.fail(location_, "'candidates' is empty");
      std::string reply = std::move(candidates.back());
      candidates.pop_back();
      std::erase(candidates, reply);
      replies_.add(
          {persona, texts(each, "history"), std::move(reply), std::move(candidates), location_});
    }
  }

  const nlohmann::json& list(const nlohmann::json& from, const char* key) const {
    const bool is_list = from.is_object() && from.contains(key) && from.at(key).is_array();
    if (!is_list)
      replies_.fail(location_, "expected an object with a list '" + std::string(key) + "'");
    return from.at(key);
  }

 private:
  Texts texts(const nlohmann::json& from, const char* key) const {
    Texts all;
    for (const nlohmann::json& each : list(from, key)) {
      if (!each.is_string()) replies_.fail(location_, "'" + std::string(key) + "' must be texts");
      all.push_back(collapse_white_space(each.get<std::string>()));
    }
    return all;
  }
  /// None for lines without a speaker, such as descriptions of scenes.
  static std::optional<size_t> speaker_of(const std::string& turn) {
    if (turn.starts_with("User 1:")) return 0;
    if (turn.starts_with("User 2:")) return 1;
    return std::nullopt;
  }

  Replies& replies_;
  const nlohmann::json& value_;
  std::string location_;
};

/// Reads one record per reply: the reply, its dialogue_context(), a wrong reply, and what the
/// context was made of.
struct DialoguesReader : RecordReader {
  DialogueForm form = DialogueForm::kParlai;
  int64_t history = 5;
  int64_t seed = 0;
  bool spaced = false;
  std::string part;

  template <class V>
  void visit(V& v) {
    v.field("form", form, "form of the file");
    v.field("history", history, "number of utterances in a context, the last ones", at_least(1));
    v.field("seed", seed,
            "seed by which another reply of the file is drawn as the distractor; not used for a "
            "reply with candidates, the last of which is the distractor",
            at_least(0));
    v.field("spaced", spaced,
            "form=turns: puts blanks around punctuation in utterances, as PersonaChat has them");
    v.field("part", part, "form=persona_chat: the part that is read, such as train or valid");
    v.check((form == DialogueForm::kPersonaChat) == !part.empty(),
            "part is required by form=persona_chat and not an option of other forms");
    v.check(!spaced || form == DialogueForm::kTurns, "spaced is an option of form=turns");
  }

  std::vector<std::string> fields() const override {
    return {"context", "reply", "distractor", "persona", "history", "candidates"};
  }
  FieldTypes types() const override {
    const FieldType several{.ragged = true};
    return {{"persona", several}, {"history", several}, {"candidates", several}};
  }

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>& requested,
               const std::function<void(Record)>& each) const override {
    Replies replies(file, requested, history, seed);
    int64_t count = 0;
    if (form == DialogueForm::kParlai) {
      ParlaiLines lines(replies);
      count = for_each_line(file, [&](std::string& line) { lines.add(line, ++count); }).lines;
    } else if (form == DialogueForm::kTurns) {
      JsonRecords dialogues(file);
      for (JsonRecord dialogue; dialogues.next(dialogue); ++count) {
        JsonDialogue(replies, dialogue.value, "line " + format_count(dialogue.line))
            .add_turns(spaced);
      }
    } else {
      count = read_parts(file, replies);
    }
    replies.give(each);
    return count;
  }

 private:
  int64_t read_parts(const std::filesystem::path& file, Replies& replies) const {
    std::string text;
    int64_t lines = 0;
    LineReader reader(file, {.max_bytes = size_t{1} << 32});
    for (std::string line; reader.next(line); ++lines) text += line + "\n";
    const nlohmann::json all = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (all.is_discarded()) throw DataError("'" + file.string() + "' is not valid JSON");
    int64_t number = 0;
    for (const nlohmann::json& dialogue :
         JsonDialogue(replies, all, "the file").list(all, part.c_str())) {
      JsonDialogue(replies, dialogue, part + ", dialogue " + format_count(++number))
          .add_utterances();
    }
    return lines;
  }
};

}  // namespace

void add_dialogues(Choices<RecordReader>& readers) {
  add_component<DialoguesReader>(
      readers, "dialogues",
      "replies of dialogues between two speakers with personas, each with its context and a wrong "
      "reply");
}

}  // namespace lvtext
