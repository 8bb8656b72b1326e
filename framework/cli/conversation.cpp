#include "framework/cli/conversation.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "framework/cli/latent_text.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/policy_text.h"
#include "framework/core/options/errors.h"

namespace lvtext {
namespace {

using Lines = std::vector<std::string>;

constexpr int64_t kMaxSentences = 10000;  // per answer

const Lines& model_verbs() {
  static const Lines names = {"generate",    "complete", "reply", "reconstruct", "transfer",
                              "interpolate", "encode",   "score", "tokens"};
  return names;
}

int64_t parse_count(const std::string& name, const std::string& text, int64_t from, int64_t to) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < from || value > to) {
    throw UsageError(name + ": " + shown(text) + " is not a number from " + std::to_string(from) +
                     " to " + std::to_string(to));
  }
  return value;
}

/// The words that are commands.
const Lines& commands() {
  static const Lines words = [] {
    Lines all = model_verbs();
    all.insert(all.end(), {"new", "set", "help", "quit", "exit"});
    return all;
  }();
  return words;
}

Answer text_answer(const std::string& verb, const Lines& lines) {
  return {lines, {{"verb", verb}, {"texts", lines}}};
}

}  // namespace

Conversation::Conversation(ModelVerbs model, const VerbOptions& options, const std::string& verb,
                           const std::vector<std::string>& persona, bool shows_tokens)
    : model_(std::move(model)),
      options_(options),
      verb_(verb),
      unknown_(*model_.run().model.tokenizer),
      shows_tokens_(shows_tokens),
      persona_(persona) {
  if (!verb_.empty()) model_.require(verb_);
  if (!persona_.empty()) model_.require("reply");
}

Answer Conversation::answer(const std::string& line) {
  const std::string whole(trim(line));
  if (contains(commands(), whole)) return obey(whole, "");
  if (whole.starts_with(":")) {
    const std::string named(trim(std::string_view(whole).substr(1)));
    const std::string word = named.substr(0, named.find_first_of(" \t"));
    return obey(word, std::string(trim(std::string_view(named).substr(word.size()))));
  }
  if (!verb_.empty()) return use(verb_, whole);
  if (whole.empty()) return {{}, {{"verb", ""}}, false};
  const std::string word = whole.substr(0, whole.find_first_of(" \t"));
  throw UsageError(shown(whole) + " is text, and no verb is set; " +
                   (contains(commands(), word)
                        ? "a command with text begins with a colon: `:" + whole + "`"
                        : suggestion(word, model_.verbs()) +
                              "; a verb alone on its line applies to the lines that follow"));
}

Answer Conversation::obey(const std::string& word, const std::string& rest) {
  if (word == "quit" || word == "exit") {
    open_ = false;
    return {{}, {{"verb", "quit"}}, false};
  }
  if (word == "help") return help();
  if (word == "set") return set(rest);
  if (word == "new") {
    model_.require("reply");
    utterances_.clear();
    return {{"a new dialogue"}, {{"verb", "new"}}, false};
  }
  if (!contains(model_verbs(), word)) {
    Lines known = model_.verbs();
    if (model_.can("reply")) known.emplace_back("new");
    known.insert(known.end(), {"set", "help", "quit"});
    const std::string verb = verb_.empty() ? "VERB" : verb_;
    throw UsageError("unknown command " + shown(":" + word) + "; " + suggestion(word, known) +
                     "; text that begins with a colon: `:" + verb + " TEXT`");
  }
  if (!rest.empty()) return use(word, rest);
  model_.require(word);
  if (word == "tokens") return tokens("");
  verb_ = word;
  return word == "generate" ? generate("") : Answer{{}, {{"verb", word}}, false};
}

Answer Conversation::use(const std::string& verb, const std::string& text) {
  model_.require(verb);
  if (verb == "generate") return generate(text);
  if (verb == "complete") {
    if (text.empty() && model_.only_completes()) {
      throw UsageError("complete: there is nothing to continue");
    }
    Answer answer = text_answer(verb, {text + model_.complete({text}, asked_++, options_).front()});
    answer.json["input"] = text;
    return with_tokens(std::move(answer));
  }
  if (verb == "reply") return reply(text);
  if (verb == "tokens") return tokens(text);
  if (verb == "transfer") return transfer(text);
  if (verb == "interpolate") return interpolate(text);
  if (verb == "encode") return encode(text);
  if (verb == "score") return score(text);
  Answer answer = text_answer(verb, model_.reconstruct({text}, asked_++, options_));
  answer.json["input"] = text;
  return answer;
}

Answer Conversation::generate(const std::string& text) {
  const int64_t count =
      text.empty() ? 1 : parse_count("generate: the number of sentences", text, 1, kMaxSentences);
  const Lines lines = model_.generate(generated_, count, options_);
  generated_ += count;
  return with_tokens(text_answer("generate", lines));
}

Answer Conversation::reply(const std::string& text) {
  if (text.empty()) throw UsageError("reply: there is nothing to reply to");
  std::vector<std::string> said = utterances_;
  said.push_back(text);
  said.push_back(model_.reply(said, persona_, asked_++, options_));
  const std::string& reply = said.back();
  Answer answer = text_answer("reply", {reply.empty() ? "(no reply)" : reply});
  answer.json["texts"] = Lines{reply};
  answer.json["input"] = text;
  answer.json["turn"] = said.size() / 2;
  // Trained dialogues have no empty utterances.
  if (!reply.empty()) utterances_ = said;
  return with_tokens(std::move(answer));
}

Answer Conversation::tokens(const std::string& text) {
  const auto written = text.empty() ? model_.last_written() : std::optional(model_.tokens_of(text));
  if (!written) {
    throw UsageError("tokens: nothing has been written yet; `:tokens TEXT` shows those of a text");
  }
  const TokenTable table = model_.token_table(*written, options_);
  Answer answer{lines_of(table), {{"verb", "tokens"}}};
  if (!text.empty()) answer.json["input"] = text;
  answer.json.update(to_json(table));
  return answer;
}

Answer Conversation::with_tokens(Answer answer) const {
  if (!shows_tokens_ || !model_.last_written() || !model_.can("tokens")) return answer;
  const TokenTable table = model_.token_table(*model_.last_written(), options_);
  const Lines lines = lines_of(table);
  answer.lines.insert(answer.lines.end(), lines.begin(), lines.end());
  answer.json.update(to_json(table));
  return answer;
}

Answer Conversation::transfer(const std::string& text) {
  std::string sentence = text;
  std::optional<size_t> to = to_;
  const auto& styles = model_.styles();
  const size_t colon = text.find(':');
  const auto named = std::find(styles.begin(), styles.end(), trim(text.substr(0, colon)));
  if (colon != std::string::npos && named != styles.end()) {
    to = static_cast<size_t>(named - styles.begin());
    sentence = trim(std::string_view(text).substr(colon + 1));
  }
  if (!from_ && !to) {
    throw UsageError(
        "transfer: no style is set; use `:set to STYLE` or `STYLE: TEXT`; "
        "the styles are " +
        join(styles));
  }
  const StylePair pair = model_.style_pair(from_, to);
  unknown_.add({sentence});
  unknown_.log();
  Answer answer = text_answer("transfer", model_.transfer({sentence}, pair, asked_++, options_));
  answer.json.update({{"input", sentence}, {"from", styles[pair.from]}, {"to", styles[pair.to]}});
  return answer;
}

Answer Conversation::interpolate(const std::string& text) {
  const auto [from, to] = two_sentences(text, "interpolate");
  const Lines texts = model_.interpolate(from, to, asked_++, options_);
  Lines lines;
  char position[16];
  for (size_t i = 0; i < texts.size(); ++i) {
    std::snprintf(position, sizeof position, "%.2f  ",
                  static_cast<double>(i) / static_cast<double>(texts.size() - 1));
    lines.push_back(position + texts[i]);
  }
  return {lines, {{"verb", "interpolate"}, {"from", from}, {"to", to}, {"texts", texts}}};
}

Answer Conversation::encode(const std::string& text) {
  const at::Tensor latent = model_.encode({text})[0];
  return {{latent_text(latent)},
          {{"verb", "encode"}, {"input", text}, {"latent", latent_values(latent)}}};
}

Answer Conversation::score(const std::string& text) {
  const auto score = model_.score({text}).at(0);
  if (score.tokens == 0) {
    throw UsageError("score: the first token is given to a model of running text, and " +
                     shown(text) + " has no other");
  }
  // Given its own latent vector, a sentence is more likely than under the model.
  const bool is_given = model_.can("encode");
  char line[192];
  std::snprintf(line, sizeof line, "%.3f nats, %.3f per token (%lld tokens, %s)%s", score.nats,
                score.nats / static_cast<double>(score.tokens),
                static_cast<long long>(score.tokens),
                model_.only_completes() ? "the first one is given" : "EOS included",
                is_given ? ": reconstruction from its posterior mean, no likelihood" : "");
  return {{line},
          {{"verb", "score"},
           {"input", text},
           {"nats", score.nats},
           {"tokens", score.tokens},
           {"of", is_given ? "reconstruction" : "likelihood"}}};
}

Answer Conversation::set(const std::string& text) {
  const std::string key = text.substr(0, text.find_first_of(" \t"));
  const std::string value(trim(std::string_view(text).substr(key.size())));
  Lines keys = {"policy", "seed", "steps", "max_length"};
  if (model_.can("transfer")) keys.insert(keys.end(), {"from", "to"});
  if (model_.can("reply")) keys.insert(keys.end(), {"history", "persona"});
  if (model_.can("tokens")) keys.emplace_back("tokens");
  if (!key.empty()) {
    if (!contains(keys, key)) {
      throw UsageError("set: unknown key " + shown(key) + "; " + suggestion(key, keys));
    }
    if (key == "policy") options_.policy = parse_policy(value);
    if (key == "seed") options_.seed = parse_count("seed", value, 0, INT64_MAX);
    if (key == "steps") options_.steps = parse_count("steps", value, 2, kMaxSentences);
    if (key == "max_length") options_.max_length = parse_count(key, value, 1, 100000);
    if (key == "history") options_.history = parse_count(key, value, 0, 100000);
    if (key == "persona") persona_ = value.empty() ? Lines{} : Lines{value};
    if (key == "tokens") {
      if (value != "on" && value != "off") {
        throw UsageError("set: tokens must be on or off, not " + shown(value));
      }
      shows_tokens_ = value == "on";
    }
    if (key == "from") from_ = model_.style(value, "set from");
    if (key == "to") to_ = model_.style(value, "set to");
  }
  const std::string policy = options_.policy ? policy_text(*options_.policy) : "default";
  Answer answer = {
      {"policy " + policy + ", seed " + std::to_string(options_.seed) + ", steps " +
       std::to_string(options_.steps) + ", max_length " + std::to_string(options_.max_length)},
      {{"verb", "set"},
       {"policy", policy},
       {"seed", options_.seed},
       {"steps", options_.steps},
       {"max_length", options_.max_length}},
      false};
  for (const auto& [name, style] : {std::pair{"from", from_}, {"to", to_}}) {
    if (!style) continue;
    answer.lines.front() += std::string(", ") + name + " " + model_.styles()[*style];
    answer.json[name] = model_.styles()[*style];
  }
  const auto add = [&](const char* name, const std::string& text, nlohmann::ordered_json value) {
    if (!model_.can(name == std::string("tokens") ? "tokens" : "reply")) return;
    answer.lines.front() += std::string(", ") + name + " " + text;
    answer.json[name] = std::move(value);
  };
  add("history", options_.history == 0 ? "all" : std::to_string(options_.history),
      options_.history);
  add("persona", persona_.empty() ? "none" : shown(join(persona_, " ")), persona_);
  add("tokens", shows_tokens_ ? "on" : "off", shows_tokens_);
  return answer;
}

Answer Conversation::help() const {
  Lines lines;
  const auto add = [&](const char* verb, const std::string& text) {
    if (model_.can(verb)) lines.push_back(text);
  };
  add("generate", "generate            a new sentence; `:generate N`: N sentences");
  add("complete", "complete            the text and its continuation");
  add("reply", "reply               the model's answer in a dialogue; `new` begins another one");
  add("reconstruct", "reconstruct         encode the text and decode it again");
  add("transfer", "transfer            transfer the text to the style of `:set to STYLE` (" +
                      join(model_.styles()) + "), or `STYLE: TEXT`");
  add("interpolate", "interpolate         interpolate in latent space: `A | B`");
  add("encode", "encode              latent vector of the text");
  add("score", model_.can("encode")
                   ? "score               NLL in nats of the text given its own posterior mean"
                   : "score               negative log-likelihood of the text in nats");
  add("tokens",
      "tokens              alternatives of each token that the model wrote last; `:tokens TEXT`: of TEXT");
  lines.push_back("A verb alone on its line applies to the lines that follow, which are text.");
  lines.push_back(":VERB TEXT          apply VERB to TEXT only");
  Lines keys = {"policy", "seed", "steps", "max_length"};
  if (model_.can("transfer")) keys.insert(keys.end(), {"from", "to"});
  if (model_.can("reply")) keys.insert(keys.end(), {"history", "persona"});
  if (model_.can("tokens")) keys.emplace_back("tokens");
  lines.push_back(":set KEY VALUE      set " + join(keys) + "; `set` shows all");
  lines.push_back("help, quit");
  return {lines, {{"verb", "help"}, {"texts", lines}}, false};
}

}  // namespace lvtext
