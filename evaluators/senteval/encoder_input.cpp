#include "evaluators/senteval/encoder_input.h"

#include <ATen/ATen.h>

#include <string_view>
#include <unordered_map>

#include "framework/core/decoding/sentence_vectors.h"
#include "framework/core/model/capabilities.h"

namespace lvtext {
namespace {

constexpr const char* kEncoder = "encoder";

}  // namespace

InputDecl encoder_input() {
  return {.name = kEncoder,
          .help = "model that encodes the sentences",
          .type = ArtifactType::kModel,
          .by_default = reference("row.model"),
          .one_of = {Encoder::kName, SentenceEmbedder::kName}};
}

at::Tensor encoder_vectors(const Inputs& inputs, const std::vector<std::string>& texts,
                           int64_t batch) {
  const LoadedModel& model = inputs.model(kEncoder);
  std::unordered_map<std::string_view, int64_t> known;
  std::vector<TokenIds> ids;  // of different texts
  std::vector<int64_t> rows;  // the vector of each text
  for (const std::string& text : texts) {
    const auto [entry, is_new] = known.emplace(text, std::ssize(ids));
    if (is_new) ids.push_back(model.tokenizer->encode(text));
    rows.push_back(entry->second);
  }
  return sentence_vectors(model, ids, batch).index_select(0, at::tensor(rows, at::kLong));
}

std::string encoder_signature(const Inputs& inputs) {
  const LoadedModel& model = inputs.model(kEncoder);
  const auto* embedder = dynamic_cast<const SentenceEmbedder*>(model.model.get());
  return "|model:" + model.component + "|weights:" + model.identity +
         (embedder ? "|" + embedder->embedding_signature() : "");
}

}  // namespace lvtext
