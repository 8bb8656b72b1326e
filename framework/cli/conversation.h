// One line in, an answer out: the verbs of a trained model.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/cli/model_verbs.h"

namespace lvtext {

/// An answer, as text and as the same in JSON.
struct Answer {
  std::vector<std::string> lines;
  nlohmann::ordered_json json;
};

/// Lines are `VERB [TEXT]`. A verb without text stays: plain lines that follow are meant for it.
class Conversation {
 public:
  /// `verb` is the standing verb at the start, or empty. Throws UsageError if the model cannot do
  /// it.
  Conversation(ModelVerbs model, const VerbOptions& options, const std::string& verb);

  const ModelVerbs& model() const { return model_; }
  /// What a prompt shows: the standing verb.
  std::string prompt() const { return verb_ + "> "; }
  /// False after `quit`.
  bool open() const { return open_; }
  /// Throws UsageError or DataError for a line that cannot be answered; the next one can.
  Answer answer(const std::string& line);

 private:
  Answer use(const std::string& verb, const std::string& text);
  Answer generate(const std::string& text);
  Answer interpolate(const std::string& text);
  Answer encode(const std::string& text);
  Answer score(const std::string& text);
  Answer set(const std::string& text);
  Answer help() const;

  ModelVerbs model_;
  VerbOptions options_;
  std::string verb_;
  int64_t generated_ = 0;  ///< samples shown: the next ones are new
  int64_t asked_ = 0;      ///< sentences answered: what is drawn for them differs
  bool open_ = true;
};

}  // namespace lvtext
