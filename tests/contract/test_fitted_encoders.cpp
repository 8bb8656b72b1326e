// Requirements on every registered fit that has vectors of sentences.
#include "framework/core/model/fitted.h"
#include "framework/core/model/inputs.h"
#include "framework/core/text/words.h"
#include "models/register.h"
#include "tests/contract/contract_parts.h"
#include "tests/contract/sentence_vectors.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

class SineVectors : public Model, public WordVectors {
 public:
  /// Zero for the four special ids.
  at::Tensor vectors() const override {
    const at::Tensor ids = at::arange(10, at::kFloat).unsqueeze(1);
    return at::sin(ids * at::arange(1, 5, at::kFloat)) * ids.ge(4);
  }
};

/// A fit on sentences of six words, with word vectors of width 4.
std::shared_ptr<Fitted> fitted_encoder(const Configured& configured) {
  const auto words = std::make_shared<Words>(std::vector<std::string>{"a", "b", "c", "d", "e", "f"},
                                             WordEncoding{});
  std::vector<TokenIds> sentences;
  for (int32_t i = 0; i < 30; ++i) sentences.push_back({4 + i % 6, 5 + i % 5, 4 + i / 6, 9});
  ModelInputs shapes{.seed = 3};
  Inputs inputs;
  for (const InputDecl& input : configured.inputs) {
    if (input.type == ArtifactType::kModel) {
      inputs.add(input.name, LoadedModel{.component = "vectors",
                                         .model = std::make_shared<SineVectors>(),
                                         .tokenizer = words});
      continue;
    }
    shapes.streams[input.name] = {{.name = "text", .vocabulary = words->vocabulary()}};
    inputs.add(input.name, Text(sentences, words));
  }
  auto model = configured.fit(shapes);
  model->fit(inputs, [](const std::string&) {});
  return model;
}

}  // namespace

TEST_CASE("contract: vectors of every fitted sentence encoder", "[contract]") {
  Registries registries;
  register_all_models(registries);
  int64_t checked = 0;
  for (const auto& name : registries.models.names()) {
    const Component& entry = registries.models.get(name);
    if (!entry.is_fitted || !entry.can(SentenceEmbedder::kName)) continue;
    INFO(name);
    const auto model = fitted_encoder(entry.configure(small_options(entry)));
    auto& embedder = dynamic_cast<SentenceEmbedder&>(*model);
    check_sentence_vectors(embedder);
    // The same fit has the same bytes.
    const auto again = fitted_encoder(entry.configure(small_options(entry)));
    for (const auto& buffer : model->named_buffers()) {
      CHECK(at::equal(buffer.value(), again->named_buffers()[buffer.key()]));
    }
    ++checked;
  }
  CHECK(checked >= 3);
}
