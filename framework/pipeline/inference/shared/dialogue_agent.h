// How a model takes part in a dialogue: what it reads before a reply.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/core/decoding/decoder.h"
#include "framework/core/model/model.h"
#include "framework/core/options/options.h"
#include "framework/core/text/dialogue.h"
#include "framework/pipeline/inference/decoding_options.h"

namespace lvtext {

/// Options of components that write replies, of at most 20 tokens unless set otherwise.
struct ReplyFields : DecodingFields {
  int64_t history = 0;

  ReplyFields() { max_length = 20; }

  template <class V>
  void visit(V& v) {
    v.field("history", history,
            "number of utterances that are read before a reply, the latest ones; 0: all",
            at_least(0));
    DecodingFields::visit(v);
  }
};

/// A trained model as an agent of dialogues. A reply ends with any special token of dialogues, or
/// after `max_length` tokens.
class DialogueAgent {
 public:
  /// `component` is named in messages. Throws ConfigError for a model without the tokens of
  /// dialogues.
  DialogueAgent(const LoadedModel& model, const ReplyFields& options, const std::string& component);

  const DialogueTokens& tokens() const { return tokens_; }
  NextTokenModel& model() const { return model_; }
  const DecodeOptions& decoding() const { return decoding_; }
  /// The ids of a persona; of an utterance.
  TokenIds persona(std::span<const std::string> sentences) const;
  TokenIds utterance(const std::string& text) const { return tokenizer_.encode(text); }

  /// What is read of a dialogue before a reply.
  struct Reading {
    TokenIds prompt;
    bool is_cut = false;  ///< something is left out for which the model has no positions
  };
  /// The persona and the last utterances: as many as `history` allows, and of these as many as the
  /// model's positions leave room for. If there is no room for persona and last utterance, their
  /// last tokens. The last utterance is the partner's.
  Reading reading(const TokenIds& persona, std::span<const TokenIds> utterances) const;
  /// Whether the next utterance of either agent can be read together with all before it.
  bool reads_all(const TokenIds& persona, std::span<const TokenIds> utterances) const;
  /// The whole dialogue with the token of its next speaker; see dialogue_context().
  TokenIds whole(const TokenIds& persona, std::span<const TokenIds> utterances,
                 bool own_turn) const;

 private:
  NextTokenModel& model_;
  const Tokenizer& tokenizer_;
  DialogueTokens tokens_;
  int64_t history_;
  DecodeOptions decoding_;
};

}  // namespace lvtext
