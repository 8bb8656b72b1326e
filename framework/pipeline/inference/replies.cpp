// Inference component `replies`: the next utterances of dialogues.
#include <ATen/ATen.h>

#include <algorithm>
#include <span>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/decoding/precision.h"
#include "framework/core/model/registration.h"
#include "framework/core/text/text_rows.h"
#include "framework/pipeline/inference/inference.h"
#include "framework/pipeline/inference/shared/dialogue_agent.h"

namespace lvtext {
namespace {

/// The reply of a model to each history of a dialogue, the last utterance of which is its
/// partner's, given its persona. The result has the replies, and in the column "prompt" the tokens
/// that the model read. A reply is a function of what was read, the seed and the index of the row.
class Replies : public Inference {
 public:
  static constexpr int kRevision = 1;
  static constexpr ArtifactType kGives = ArtifactType::kText;
  static constexpr const char* kRowsOf = "history";
  explicit Replies(const ReplyFields& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {model_input("model of dialogues", {NextTokenModel::kName},
                        {Encoder::kName, StyleTransfer::kName, VectorDecoder::kName}),
            {.name = "history", .help = "utterances of each dialogue, the earliest first"},
            {.name = "persona",
             .help = "sentences of the persona of who replies",
             .arity = InputDecl::Arity::kOptional}};
  }

  Inferred run(const Inputs& inputs, const Notify& progress) const override {
    const LoadedModel& model = inputs.model("model");
    std::optional<PrecisionScope> precision;
    if (options_.precision) precision.emplace(*options_.precision);
    const DialogueAgent agent(model, options_, "replies");
    int64_t cut_histories = 0, cut_off = 0;
    const std::vector<TokenIds> prompts = prompts_of(inputs, agent, cut_histories);
    const NoiseKey key{static_cast<uint64_t>(options_.seed), 0, 0, noise_use("use.replies")};
    const auto count = std::ssize(prompts);
    const at::Tensor ids = at::arange(options_.first, options_.first + count, at::kLong);
    std::vector<TokenIds> replies;
    for (int64_t done = 0; done < count;) {
      const int64_t rows = std::min(agent.decoding().batch, count - done);
      Decoded part = decode(agent.model(), {}, ids.narrow(0, done, rows), key, agent.decoding(),
                            std::span(prompts).subspan(done, rows));
      for (TokenIds& reply : part.sentences) replies.push_back(std::move(reply));
      cut_off += part.cut_off;
      done += rows;
      progress(std::to_string(done) + "/" + format_count(count, "dialogue"));
    }
    return {.text = Text(std::move(replies), model.tokenizer),
            .columns = {{.decl = {.name = "prompt"}, .text = Text(prompts, model.tokenizer)}},
            .metadata = {{"count", count}, {"cut_histories", cut_histories}, {"cut_off", cut_off}}};
  }

 private:
  static std::vector<TokenIds> prompts_of(const Inputs& inputs, const DialogueAgent& agent,
                                          int64_t& cut) {
    const auto histories = row_items(inputs.text("history"), inputs.rows("history"));
    std::vector<std::span<const std::string>> personas(histories.size());
    if (inputs.has("persona")) {
      personas = row_items(inputs.text("persona"), inputs.rows("persona"));
      if (personas.size() != histories.size()) {
        throw DataError("replies: there are " + format_count(std::ssize(histories), "dialogue") +
                        ", but " + format_count(std::ssize(personas), "persona"));
      }
    }
    std::vector<TokenIds> prompts;
    for (size_t i = 0; i < histories.size(); ++i) {
      if (histories[i].empty()) {
        throw DataError("replies: row " + std::to_string(i) +
                        " has no utterance to reply to (rows are counted from 0)");
      }
      std::vector<TokenIds> said;
      for (const std::string& text : histories[i]) said.push_back(agent.utterance(text));
      auto reading = agent.reading(agent.persona(personas[i]), said);
      prompts.push_back(std::move(reading.prompt));
      cut += reading.is_cut;
    }
    return prompts;
  }

  ReplyFields options_;
};

}  // namespace

void register_replies(Registries& registries) {
  add_inference<Replies, ReplyFields>(
      registries, "replies", "Replies of a model of dialogues to given histories",
      {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"});
}

}  // namespace lvtext
