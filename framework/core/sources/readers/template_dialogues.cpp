#include <array>
#include <string>
#include <vector>

#include "framework/core/datasets/batches.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/text/dialogue.h"

namespace lvtext {
namespace {

/// A topic of a persona: % means one of the things.
struct Topic {
  const char *sentence, *question, *answer;
  std::array<const char*, 4> things;
};
constexpr std::array<Topic, 4> kTopics = {{
    {"i have a %.", "do you have a pet ?", "yes , i have a % .", {"dog", "cat", "turtle", "horse"}},
    {"i work as a %.", "what is your job ?", "i am a % .", {"nurse", "cook", "driver", "teacher"}},
    {"i like %.", "what do you like ?", "i really like % .", {"tea", "music", "books", "cake"}},
    {"i live near the %.",
     "where is your home ?",
     "it is near the % .",
     {"sea", "lake", "park", "zoo"}},
}};
constexpr std::array kGreetings = {"hello !", "hi , how are you ?", "good morning ."};

std::string with(const char* text, const char* thing) {
  std::string filled = text;
  return filled.replace(filled.find('%'), 1, thing);
}

/// Draws a reply of a short dialogue: a question about one of the two sentences of the speaker's
/// persona, and the answer that the sentence gives; the distractor is another answer to it.
struct TemplateDialoguesReader : RecordReader {
  int64_t history = 5;

  template <class V>
  void visit(V& v) {
    v.field("history", history, "number of utterances in a context, the last ones", at_least(1));
  }

  std::vector<std::string> fields() const override {
    return {"context", "reply", "distractor", "persona", "history"};
  }
  FieldTypes types() const override {
    return {{"persona", {.ragged = true}}, {"history", {.ragged = true}}};
  }
  bool generates() const override { return true; }
  Record draw(uint64_t seed, uint64_t index) const override {
    uint64_t draws = 0;
    const auto below = [&](size_t count) { return mix_bits(seed, index, draws++) % count; };
    const size_t first = below(kTopics.size());
    const size_t topics[] = {first, (first + 1 + below(kTopics.size() - 1)) % kTopics.size()};
    const size_t things[] = {below(4), below(4)};
    std::vector<std::string> persona, said;
    for (const size_t k : {0, 1}) {
      persona.push_back(with(kTopics[topics[k]].sentence, kTopics[topics[k]].things[things[k]]));
    }
    const size_t asked = below(2);
    const Topic &topic = kTopics[topics[asked]], &other = kTopics[topics[1 - asked]];
    if (below(2) == 0) {
      said = {other.question, with(other.answer, other.things[things[1 - asked]])};
    } else {
      said = {kGreetings[below(kGreetings.size())], kGreetings[below(kGreetings.size())]};
    }
    said.emplace_back(topic.question);
    const size_t wrong = (things[asked] + 1 + below(3)) % 4;
    return {dialogue_context(persona, said, history),
            with(topic.answer, topic.things[things[asked]]),
            with(topic.answer, topic.things[wrong]), persona, said};
  }
};

}  // namespace

void add_template_dialogues(Choices<RecordReader>& readers) {
  add_component<TemplateDialoguesReader>(
      readers, "template_dialogues",
      "draws replies of short dialogues about personas, from templates");
}

}  // namespace lvtext
