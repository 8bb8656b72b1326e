// Interactive use of a trained model: each input line gives an answer.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/cli/model_verbs.h"
#include "framework/cli/unknown_words.h"

namespace lvtext {

/// An answer as text, and the same content as JSON.
struct Answer {
  std::vector<std::string> lines;
  nlohmann::ordered_json json;
  bool of_model = true;  ///< false: of the prompt itself (help, set, quit)
};

/// A line is a command if it is a single command word, or begins with ':' (`:VERB TEXT`, `:set KEY
/// VALUE`). All other lines are text for the current verb. A verb alone becomes the current verb;
/// `generate` also generates a sentence, and `tokens` shows the alternatives of the last text
/// instead. The text of transfer may start with `STYLE:`. `reply` takes the lines as utterances of
/// one dialogue, until `new`.
class Conversation {
 public:
  /// `verb` is the initial current verb, or empty; `persona` has the sentences of the model's
  /// persona in dialogues. Throws UsageError if the model does not support the verb, or no dialogue
  /// if there is a persona.
  Conversation(ModelVerbs model, const VerbOptions& options, const std::string& verb,
               const std::vector<std::string>& persona = {}, bool shows_tokens = false);

  const ModelVerbs& model() const { return model_; }
  /// Prompt text, with the current verb.
  std::string prompt() const { return (verb_ == "reply" ? "you" : verb_) + "> "; }
  /// False after `quit`.
  bool open() const { return open_; }
  /// Throws UsageError or DataError for a line that cannot be answered; further calls are
  /// allowed.
  Answer answer(const std::string& line);

 private:
  Answer obey(const std::string& word, const std::string& rest);
  Answer use(const std::string& verb, const std::string& text);
  Answer generate(const std::string& text);
  Answer transfer(const std::string& text);
  Answer interpolate(const std::string& text);
  Answer encode(const std::string& text);
  Answer score(const std::string& text);
  Answer reply(const std::string& text);
  Answer tokens(const std::string& text);
  /// Adds the alternatives of the last text, if `set tokens on`.
  Answer with_tokens(Answer answer) const;
  Answer set(const std::string& text);
  Answer help() const;

  ModelVerbs model_;
  VerbOptions options_;
  std::string verb_;
  std::optional<size_t> from_, to_;  ///< styles of transfer
  UnknownWords unknown_;
  int64_t generated_ = 0;  ///< samples generated so far; the next index
  int64_t asked_ = 0;      ///< sentences answered so far; selects their random stream
  bool open_ = true;
  bool shows_tokens_;
  std::vector<std::string> persona_;     ///< persona of the model, in dialogues
  std::vector<std::string> utterances_;  ///< utterances of the dialogue so far, the user's first
};

}  // namespace lvtext
