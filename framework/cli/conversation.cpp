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

constexpr int64_t kMostSentences = 10000;  // per answer

const Lines& model_verbs() {
  static const Lines names = {"generate",    "reconstruct", "transfer",
                              "interpolate", "encode",      "score"};
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

Answer text_answer(const std::string& verb, const Lines& lines) {
  return {lines, {{"verb", verb}, {"texts", lines}}};
}

}  // namespace

Conversation::Conversation(ModelVerbs model, const VerbOptions& options, const std::string& verb)
    : model_(std::move(model)),
      options_(options),
      verb_(verb),
      unknown_(*model_.run().model.tokenizer) {
  if (!verb_.empty()) model_.require(verb_);
}

Answer Conversation::answer(const std::string& line) {
  const std::string whole(trim(line));
  const std::string word = whole.substr(0, whole.find_first_of(" \t"));
  const std::string rest(trim(std::string_view(whole).substr(word.size())));
  if (word == "quit" || word == "exit") {
    open_ = false;
    return {{}, {{"verb", "quit"}}};
  }
  if (word == "help") return help();
  if (word == "set") return set(rest);
  const bool is_verb =
      std::find(model_verbs().begin(), model_verbs().end(), word) != model_verbs().end();
  if (is_verb && rest.empty() && word != "generate") {
    model_.require(word);
    verb_ = word;
    return {{}, {{"verb", word}}};
  }
  if (is_verb) return use(word, rest);
  if (!verb_.empty()) return use(verb_, whole);
  if (whole.empty()) return {{}, {{"verb", ""}}};
  Lines known = model_.verbs();
  for (const char* each : {"set", "help", "quit"}) known.push_back(each);
  throw UsageError("unknown verb " + shown(word) + "; " + suggestion(word, known));
}

Answer Conversation::use(const std::string& verb, const std::string& text) {
  model_.require(verb);
  if (verb == "generate") return generate(text);
  if (verb == "transfer") return transfer(text);
  if (verb == "interpolate") return interpolate(text);
  if (verb == "encode") return encode(text);
  if (verb == "score") return score(text);
  Answer answer = text_answer(verb, model_.reconstruct({text}, asked_++, options_));
  answer.json["input"] = text;
  return answer;
}

Answer Conversation::generate(const std::string& text) {
  const int64_t count = text.empty() ? 1 : parse_count("generate", text, 1, kMostSentences);
  const Lines lines = model_.generate(generated_, count, options_);
  generated_ += count;
  return text_answer("generate", lines);
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
        "transfer: no style is set; use `set to STYLE` or `transfer STYLE: TEXT`; "
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
  // Given its own latent vector, a sentence is more likely than under the model.
  const bool is_given = model_.can("encode");
  char line[192];
  std::snprintf(line, sizeof line, "%.3f nats, %.3f per token (%lld tokens, EOS included)%s",
                score.nats, score.nats / static_cast<double>(score.tokens),
                static_cast<long long>(score.tokens),
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
  if (!key.empty()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw UsageError("set: unknown key " + shown(key) + "; " + suggestion(key, keys));
    }
    if (key == "policy") options_.policy = parse_policy(value);
    if (key == "seed") options_.seed = parse_count("seed", value, 0, INT64_MAX);
    if (key == "steps") options_.steps = parse_count("steps", value, 2, kMostSentences);
    if (key == "max_length") options_.max_length = parse_count(key, value, 1, 100000);
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
       {"max_length", options_.max_length}}};
  for (const auto& [name, style] : {std::pair{"from", from_}, {"to", to_}}) {
    if (!style) continue;
    answer.lines.front() += std::string(", ") + name + " " + model_.styles()[*style];
    answer.json[name] = model_.styles()[*style];
  }
  return answer;
}

Answer Conversation::help() const {
  Lines lines;
  const auto add = [&](const char* verb, const char* text) {
    if (model_.can(verb)) lines.push_back(text);
  };
  add("generate", "generate [N]        N new sentences (default: 1)");
  add("reconstruct", "reconstruct TEXT    encode TEXT and decode it again");
  add("transfer", ("transfer S: TEXT    transfer TEXT to the style S (" + join(model_.styles()) +
                   "); without `S:`, to that of `set to`")
                      .c_str());
  add("interpolate", "interpolate A | B   interpolate between A and B in latent space");
  add("encode", "encode TEXT         latent vector of TEXT");
  add("score", model_.can("encode")
                   ? "score TEXT          NLL in nats of TEXT given its own posterior mean"
                   : "score TEXT          negative log-likelihood of TEXT in nats");
  lines.push_back("VERB                apply VERB to the lines that follow");
  lines.push_back(
      "set [KEY VALUE]     set policy, seed, steps" +
      std::string(model_.can("transfer") ? ", max_length, from or to" : " or max_length") +
      "; without KEY: show all");
  lines.push_back("help, quit");
  return {lines, {{"verb", "help"}, {"texts", lines}}};
}

}  // namespace lvtext
