#include "evaluators/frechet/frechet_evaluator.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "evaluators/frechet/frechet_distance.h"
#include "evaluators/text_tokens.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<Score> frechet_scores(const std::string& name, const std::string& vectors,
                                  const at::Tensor& generated, const at::Tensor& real,
                                  const std::string& items) {
  const int64_t n = real.size(0);
  LVT_ASSERT(generated.size(0) == n, "both sides must have the same number of vectors");
  const FrechetDistance distance = frechet_distance(generated, real);
  // No interval: bootstrap resamples repeat sentences, which changes the covariance and increases
  // the distance.
  const auto score = [&](const std::string& id, const std::string& title, double value,
                         Direction direction) {
    return Score{.id = id,
                 .value = value,
                 .direction = direction,
                 .n = n,
                 .signature = name + "|" + vectors + "|dimensions:" + std::to_string(real.size(1)) +
                              "|n_" + items + ":" + std::to_string(n) + "|" + id +
                              "|version:" + std::to_string(FrechetEvaluator::kRevision),
                 .title = title};
  };
  return {score("frechet", name, distance.squared(), Direction::kLower),
          score("frechet_sqrt", name + "_sqrt", std::sqrt(distance.squared()), Direction::kLower),
          score("frechet_raw", "", distance.raw(), Direction::kNone),
          score("floor", "", frechet_floor(real, n), Direction::kNone)};
}

std::vector<InputDecl> FrechetEvaluator::inputs() const {
  return {
      {.name = "samples",
       .help = "generated text",
       .by_default = reference("row.samples"),
       .rows = options_.samples},
      {.name = "references",
       .help = "real sentences",
       .by_default = reference("data.test"),
       .rows = options_.samples},
      {.name = "encoder",
       .help = "the sentence encoder",
       .type = ArtifactType::kModel,
       .by_default = Node::mapping(
           {{"model", reference("infersent"), {}},
            {"data",
             Node::mapping({{"set", reference("nli"), {}},
                            {"tokenizer", Node::mapping({{"type", reference("words"), {}}}), {}}}),
             {}}}),
       .capabilities = {SentenceEmbedder::kName}}};
}

std::vector<Score> FrechetEvaluator::evaluate(const Inputs& inputs) const {
  const Text& samples = inputs.text("samples");
  const Text& references = inputs.text("references");
  const size_t n =
      std::min({static_cast<size_t>(options_.samples), samples.size(), references.size()});
  if (n < 2) {
    throw DataError("a Fréchet distance requires at least two sentences on each side; there are " +
                    format_count(samples.size(), "sample") + " and " +
                    format_count(references.size(), "reference"));
  }
  const LoadedModel& encoder = inputs.model("encoder");
  auto& model = inputs.serve<SentenceEmbedder>("encoder");
  const auto embed = [&](const Text& text) {
    return rows_of_batches(ids_for(encoder, text.first(static_cast<int64_t>(n))), options_.batch,
                           [&](const Tokens& tokens) { return model.embed(tokens); });
  };
  const std::string vectors = "encoder:" + encoder.component + "|" + model.embedding_signature() +
                              "|batch:" + std::to_string(options_.batch) +
                              "|weights:" + encoder.identity +
                              compared_signature(std::span(&references, 1));
  return frechet_scores(encoder.published ? "fid" : "fd_" + encoder.component, vectors,
                        embed(samples), embed(references));
}

void register_frechet(Registries& registries) {
  add_evaluator<FrechetEvaluator, FrechetOptions>(
      registries, "frechet",
      "Fréchet distance between samples and test sentences, as vectors of a sentence encoder",
      {"Heusel, Ramsauer, Unterthiner, Nessler and Hochreiter 2017",
       "https://arxiv.org/abs/1706.08500"});
}

}  // namespace lvtext
