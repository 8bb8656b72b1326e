// Inference component `dialogues`: conversations of a model with itself.
#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/decoding/text_end.h"
#include "framework/core/model/registration.h"
#include "framework/core/text/text_rows.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/dialogue_agent.h"

namespace lvtext {
namespace {

/// Draws of an utterance are those of the example `conversation * kMaxTurns + turn`.
constexpr int64_t kMaxTurns = 1024;

struct DialoguesOptions : ReplyFields {
  int64_t turns = 20, at_most = 0;
  double overlap = 0.8;

  template <class V>
  void visit(V& v) {
    v.field("turns", turns, "maximum number of utterances that a conversation adds to its opening",
            in_range(1, kMaxTurns));
    v.field("overlap", overlap,
            "a conversation ends with an utterance of which at least this share of the tokens "
            "occurs in the one before it, or in the same agent's one before that",
            Bounds{0, 1, /*low_open=*/true, false});
    v.field("at_most", at_most, "maximum number of conversations, from the first; 0: no limit",
            at_least(0));
    ReplyFields::visit(v);
    const auto read = policy.empty() ? std::nullopt : read_policy(policy);
    v.check(!read || !std::holds_alternative<BeamOptions>(*read),
            "policy must choose one token after another; beam search does not");
  }
};

/// Why a conversation ends, in the order in which the rules are applied.
enum class Ending { kEmpty, kRepeatsSelf, kRepeatsPartner, kLimit };
constexpr std::array<const char*, 4> kEndings = {"empty", "repeats_self", "repeats_partner",
                                                 "limit"};

struct Conversation {
  int64_t index = 0;                    ///< determines its draws
  std::array<size_t, 2> personas = {};  ///< indices of those of the two agents
  std::array<TokenIds, 2> persona_ids = {};
  std::vector<TokenIds> utterances = {};  ///< the opening, said by agent 2, and what follows
  std::optional<Ending> ending = {};
  bool is_cut = false;

  /// Number of utterances after the opening.
  int64_t turns() const { return std::ssize(utterances) - 1; }
  /// The agent that speaks next, 0 for agent 1, which answers the opening.
  size_t speaker() const { return static_cast<size_t>(turns() % 2); }
};

/// Lets the agents talk.
class Talks {
 public:
  Talks(const DialogueAgent& agent, const DialoguesOptions& options)
      : agent_(agent),
        options_(options),
        policy_(std::get<PolicyOptions>(agent.decoding().policy)),
        key_{static_cast<uint64_t>(options.seed), 0, 0, noise_use("use.dialogues")} {}

  /// Continues conversations until all have ended: while the agents read a whole conversation, by
  /// the tokens that they have not read yet; after that by a new prompt in each turn, because its
  /// positions have changed.
  void finish(std::span<Conversation> conversations) const {
    from_states(conversations);
    while (from_prompts(conversations)) {
    }
  }

 private:
  /// A conversation with the states of both agents, which read the same utterances.
  struct Talk {
    Conversation* conversation;
    TokenIds reply = {};            ///< the tokens of the next utterance so far
    std::vector<int32_t> unread{};  ///< tokens that both agents read next
    bool is_over = false;           ///< it has ended, or the next agent does not read all of it
  };
  static constexpr int32_t kTurn = -1;  ///< in Talk::unread: the token of the next speaker

  bool reads_all(const Conversation& c) const {
    return agent_.reads_all(c.persona_ids[0], c.utterances) &&
           agent_.reads_all(c.persona_ids[1], c.utterances);
  }

  int64_t example_of(const Conversation& c) const { return c.index * kMaxTurns + c.turns(); }

  /// Adds an utterance and applies the rules.
  void say(Conversation& c, TokenIds utterance) const {
    const auto repeats = [&](int64_t index) {
      return index > 0 && utterance_overlap(utterance, c.utterances[index]) >= options_.overlap;
    };
    const int64_t turn = std::ssize(c.utterances);  // 1 for the answer to the opening
    if (utterance.empty()) {
      c.ending = Ending::kEmpty;
    } else if (repeats(turn - 2)) {
      c.ending = Ending::kRepeatsSelf;
    } else if (repeats(turn - 1)) {
      c.ending = Ending::kRepeatsPartner;
    } else if (turn == options_.turns) {
      c.ending = Ending::kLimit;
    }
    c.utterances.push_back(std::move(utterance));
  }

  /// Both agents of all conversations read a token at a time, side by side: what one says is what
  /// the other hears.
  void from_states(std::span<Conversation> conversations) const {
    NextTokenModel& model = agent_.model();
    std::vector<Talk> talks;
    std::vector<TokenIds> prompts;
    for (Conversation& c : conversations) {
      if (!reads_all(c)) continue;
      // start() leaves the last token of a prompt unread.
      talks.push_back({.conversation = &c, .unread = {kTurn}});
      for (size_t a = 0; a < 2; ++a) {
        prompts.push_back(agent_.whole(c.persona_ids[a], c.utterances, a == c.speaker()));
      }
    }
    if (talks.empty()) return;
    const auto state = model.start({std::ssize(prompts), {}, pad_sentences(prompts)});
    const TextEnd end = end_of(model, agent_.decoding().stop_ids);
    while (!talks.empty()) {
      throw_if_stopped();
      const at::Tensor scores = model.step(*state, next_tokens(talks));
      choose(scores, end, talks);
      std::vector<int64_t> rows;
      std::vector<Talk> open;
      for (size_t i = 0; i < talks.size(); ++i) {
        if (talks[i].is_over) continue;
        for (size_t a = 0; a < 2; ++a) rows.push_back(static_cast<int64_t>(2 * i + a));
        open.push_back(std::move(talks[i]));
      }
      const bool are_fewer = open.size() < talks.size();
      talks = std::move(open);
      if (are_fewer && !talks.empty()) {
        state->select_rows(at::tensor(rows, at::kLong).to(scores.device()));
      }
    }
  }

  /// The next token of both agents of all talks, [2 N].
  at::Tensor next_tokens(std::vector<Talk>& talks) const {
    std::vector<int64_t> ids;
    for (Talk& talk : talks) {
      const int32_t token = talk.unread.front();
      talk.unread.erase(talk.unread.begin());
      const size_t speaker = talk.conversation->speaker();
      for (size_t a = 0; a < 2; ++a) {
        const int32_t mark = a == speaker ? agent_.tokens().own : agent_.tokens().partner;
        ids.push_back(token == kTurn ? mark : token);
      }
    }
    return at::tensor(ids, at::kLong);
  }

  /// Chooses a token of each talk whose speaker has read everything, from `scores` [2 N, V].
  void choose(const at::Tensor& scores, const TextEnd& end, std::vector<Talk>& talks) const {
    std::map<int64_t, std::vector<size_t>> by_position;
    for (size_t i = 0; i < talks.size(); ++i) {
      if (talks[i].unread.empty()) by_position[std::ssize(talks[i].reply)].push_back(i);
    }
    for (const auto& [position, indices] : by_position) {
      std::vector<int64_t> rows, examples;
      for (const size_t i : indices) {
        const Conversation& c = *talks[i].conversation;
        rows.push_back(static_cast<int64_t>(2 * i + c.speaker()));
        examples.push_back(example_of(c));
      }
      const at::Tensor of_speakers =
          scores.index_select(0, at::tensor(rows, at::kLong).to(scores.device()));
      const at::Tensor chosen =
          choose_tokens(policy_, agent_.model().output_map(), end.excluded, of_speakers,
                        at::tensor(examples, at::kLong), key_, position)
              .to(at::kCPU);
      for (size_t k = 0; k < indices.size(); ++k) {
        const auto id = chosen[static_cast<int64_t>(k)].item<int64_t>();
        if (id < 0) throw nonfinite_scores();
        add(static_cast<int32_t>(id), end, talks[indices[k]]);
      }
    }
  }

  void add(int32_t token, const TextEnd& end, Talk& talk) const {
    bool has_ended = end.is(token);
    if (!has_ended) {
      talk.reply.push_back(token);
      talk.unread.push_back(token);
      has_ended = std::ssize(talk.reply) == options_.max_length;
    }
    if (!has_ended) return;
    say(*talk.conversation, std::exchange(talk.reply, {}));
    talk.unread.push_back(kTurn);
    talk.is_over = talk.conversation->ending || !reads_all(*talk.conversation);
  }

  /// One turn of each conversation that has not ended. Returns whether there was one.
  bool from_prompts(std::span<Conversation> conversations) const {
    std::vector<Conversation*> open;
    std::vector<TokenIds> prompts;
    std::vector<int64_t> examples;
    for (Conversation& c : conversations) {
      if (c.ending) continue;
      auto reading = agent_.reading(c.persona_ids[c.speaker()], c.utterances);
      c.is_cut = c.is_cut || reading.is_cut;
      open.push_back(&c);
      prompts.push_back(std::move(reading.prompt));
      examples.push_back(example_of(c));
    }
    if (open.empty()) return false;
    Decoded decoded = decode(agent_.model(), {}, at::tensor(examples, at::kLong), key_,
                             agent_.decoding(), prompts);
    for (size_t i = 0; i < open.size(); ++i) say(*open[i], std::move(decoded.sentences[i]));
    return true;
  }

  const DialogueAgent& agent_;
  const DialoguesOptions& options_;
  PolicyOptions policy_;
  NoiseKey key_;
};

/// A text on one line.
std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\r', ' ');
  return text;
}

/// Conversations of two agents, which are the same model with a persona each (Martins, Marinho and
/// Martins 2020, section 5.3 and their released script with correct states): agent 1 answers the
/// opening, which counts as said by agent 2, and so on in turn. Each agent reads its own persona,
/// and its own utterances after <speaker1>, its partner's after <speaker2>. The personas are drawn
/// uniformly and independently from the different ones of the input. A conversation ends with the
/// first utterance that is empty ("empty"), repeats the same agent's last one ("repeats_self") or
/// the partner's last one ("repeats_partner"), see `overlap`, or is the last one ("limit"); of
/// several rules the first is named. The opening is not compared. All these utterances, also an
/// empty one, count as turns.
///
/// A row of the result is a conversation: its text has what the agents said, without the opening,
/// joined by blanks. Columns: "turns" (texts, what they said), "conversation" (texts, the opening
/// and the turns, which begin with "1: " or "2: "), "personas" (texts, of agent 1 and agent 2),
/// "length" (number of turns) and "ending" (label: empty, repeats_self, repeats_partner, limit).
/// A conversation is a function of its opening, its index, the personas and the seed.
class Dialogues : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  explicit Dialogues(const DialoguesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model of dialogues, both agents", {NextTokenModel::kName},
                        {Encoder::kName, StyleTransfer::kName, VectorDecoder::kName}),
            {.name = "openings",
             .help = "first utterances: of a column of several texts the first one of each row, "
                     "except of rows that continue the row before"},
            {.name = "personas", .help = "personas, of one or several sentences each"}};
  }

  Inferred run(const Inputs& inputs, const Notify& progress) const override {
    const LoadedModel& model = inputs.model("model");
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);
    const DialogueAgent agent(model, options_, "dialogues");
    const auto personas = different_personas(inputs);
    std::vector<Conversation> conversations = openings(inputs, agent);
    draw_personas(personas, agent, conversations);
    const Talks talks(agent, options_);
    const auto count = std::ssize(conversations);
    const int64_t at_once = std::max<int64_t>(1, agent.decoding().batch / 2);
    for (int64_t done = 0; done < count;) {
      const int64_t part = std::min(at_once, count - done);
      talks.finish(std::span(conversations).subspan(done, part));
      done += part;
      progress(std::to_string(done) + "/" + format_count(count, "conversation"));
    }
    return result(conversations, personas, agent.tokens(), model.tokenizer);
  }

 private:
  using Persona = std::vector<std::string>;

  static std::vector<Persona> different_personas(const Inputs& inputs) {
    std::vector<Persona> personas;
    std::set<Persona> known;
    for (const auto& items : row_items(inputs.text("personas"), inputs.rows("personas"))) {
      Persona persona(items.begin(), items.end());
      if (known.insert(persona).second) personas.push_back(std::move(persona));
    }
    if (personas.empty()) throw DataError("dialogues: there are no personas");
    return personas;
  }

  std::vector<Conversation> openings(const Inputs& inputs, const DialogueAgent& agent) const {
    std::vector<Conversation> conversations;
    std::span<const std::string> before;
    for (const auto& said : row_items(inputs.text("openings"), inputs.rows("openings"))) {
      if (options_.at_most > 0 && std::ssize(conversations) == options_.at_most) break;
      const bool continues = !before.empty() && said.size() > before.size() &&
                             std::equal(before.begin(), before.end(), said.begin());
      before = said;
      if (said.empty() || continues) continue;
      conversations.push_back({.index = options_.first + std::ssize(conversations),
                               .utterances = {agent.utterance(said.front())}});
    }
    return conversations;
  }

  void draw_personas(const std::vector<Persona>& personas, const DialogueAgent& agent,
                     std::vector<Conversation>& conversations) const {
    const auto count = std::ssize(personas);
    std::vector<TokenIds> ids;
    for (const Persona& persona : personas) ids.push_back(agent.persona(persona));
    const at::Tensor examples =
        at::arange(options_.first, options_.first + std::ssize(conversations), at::kLong);
    const at::Tensor drawn =
        uniform({static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.dialogues.personas")},
                examples, {2}, at::kDouble);
    for (size_t i = 0; i < conversations.size(); ++i) {
      for (size_t a = 0; a < 2; ++a) {
        const auto u = drawn[static_cast<int64_t>(i)][static_cast<int64_t>(a)].item<double>();
        const auto persona = static_cast<int64_t>(u * static_cast<double>(count));
        conversations[i].personas[a] = static_cast<size_t>(std::min(persona, count - 1));
        conversations[i].persona_ids[a] = ids[conversations[i].personas[a]];
      }
    }
  }

  struct Texts {
    std::vector<std::string> lines = {};
    std::vector<TokenIds> ids = {};
    void add(std::string line, TokenIds of_line) {
      lines.push_back(on_one_line(std::move(line)));
      ids.push_back(std::move(of_line));
    }
  };

  /// Adds the utterances of a conversation: all with their speakers, and those after the first,
  /// which is given, one by one and as one text.
  static void add_utterances(const Conversation& c, const DialogueTokens& tokens,
                             const Tokenizer& tokenizer, Texts& spoken, Texts& turns, Texts& all) {
    std::vector<std::string> said;
    TokenIds ids;
    for (size_t i = 0; i < c.utterances.size(); ++i) {
      const std::string text = tokenizer.decode(c.utterances[i]);
      const bool of_first = i % 2 == 1;
      TokenIds marked = {of_first ? tokens.own : tokens.partner};
      marked.insert(marked.end(), c.utterances[i].begin(), c.utterances[i].end());
      spoken.add((of_first ? "1: " : "2: ") + text, std::move(marked));
      if (i == 0) continue;
      turns.add(text, c.utterances[i]);
      said.push_back(text);
      ids.insert(ids.end(), c.utterances[i].begin(), c.utterances[i].end());
    }
    all.add(join(said, " "), std::move(ids));
  }

  static Inferred result(const std::vector<Conversation>& conversations,
                         const std::vector<Persona>& personas, const DialogueTokens& tokens,
                         const std::shared_ptr<const Tokenizer>& tokenizer) {
    Texts all, turns, spoken, shown_personas;
    std::vector<int64_t> turn_rows = {0}, spoken_rows = {0}, persona_rows = {0};
    std::vector<float> lengths;
    std::vector<int64_t> endings;
    std::array<int64_t, kEndings.size()> counts{};
    int64_t cut = 0;
    for (const Conversation& c : conversations) {
      add_utterances(c, tokens, *tokenizer, spoken, turns, all);
      for (size_t a = 0; a < 2; ++a) {
        shown_personas.add(join(personas[c.personas[a]], " "), c.persona_ids[a]);
      }
      turn_rows.push_back(std::ssize(turns.lines));
      spoken_rows.push_back(std::ssize(spoken.lines));
      persona_rows.push_back(std::ssize(shown_personas.lines));
      lengths.push_back(static_cast<float>(c.turns()));
      const auto ending = static_cast<size_t>(c.ending.value());
      endings.push_back(static_cast<int64_t>(ending));
      ++counts[ending];
      cut += c.is_cut;
    }
    const auto texts = [&](const char* name, Texts& of, std::vector<int64_t> rows) {
      return text_column(name, Text(std::move(of.lines), std::move(of.ids), tokenizer),
                         std::move(rows));
    };
    Inferred made{.text = Text(std::move(all.lines), std::move(all.ids), tokenizer),
                  .columns = {texts("turns", turns, std::move(turn_rows)),
                              texts("conversation", spoken, std::move(spoken_rows)),
                              texts("personas", shown_personas, std::move(persona_rows)),
                              number_column("length", at::tensor(lengths)),
                              {.decl = {.name = "ending",
                                        .kind = ColumnKind::kLabel,
                                        .classes = static_cast<int32_t>(kEndings.size())},
                               .values = at::tensor(endings, at::kLong)}},
                  .metadata = {{"count", conversations.size()},
                               {"personas", personas.size()},
                               {"cut_histories", cut}}};
    for (size_t i = 0; i < kEndings.size(); ++i) made.metadata["endings"][kEndings[i]] = counts[i];
    return made;
  }

  DialoguesOptions options_;
};

}  // namespace

void register_dialogues(Registries& registries) {
  add_inference<Dialogues, DialoguesOptions>(
      registries, "dialogues", "Conversations of a model of dialogues with itself",
      {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"});
}

}  // namespace lvtext
