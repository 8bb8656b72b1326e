#include "evaluators/mover/mover_evaluator.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "evaluators/metrics/ngram_stats.h"
#include "evaluators/mover/mover_distance.h"
#include "evaluators/text_tokens.h"
#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

constexpr int64_t kTogether = 128;

/// Whether a character is ASCII punctuation, as Python's string.punctuation.
bool is_punctuation(char c) {
  return c > ' ' && c < 127 && !is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
}

/// Vectors and ids of all tokens of a text.
struct TextVectors {
  at::Tensor vectors;  // [n, D] float64
  TokenIds ids;
};

/// Source of the vectors of texts.
class Vectors {
 public:
  Vectors(const Inputs& inputs, const MoverOptions& options)
      : model_(inputs.model("embedder")),
        contextual_(dynamic_cast<TokenEmbedder*>(model_.model.get())) {
    if (contextual_ != nullptr) {
      layers_ = options.layers.effective();
      if (layers_ > contextual_->token_layers()) {
        throw ConfigError("mover: layers is " + std::to_string(layers_) + ", but '" +
                          model_.component + "' has " +
                          std::to_string(contextual_->token_layers()));
      }
      return;
    }
    table_ = inputs.serve<WordVectors>("embedder").vectors().to(at::kCPU, at::kDouble);
    has_vector_ = table_.norm(2, {1}) > 0;
  }

  bool is_static() const { return contextual_ == nullptr; }
  std::string signature() const {
    const std::string of = (is_static() ? "|static:" : "|model:") + model_.component +
                           (model_.source.empty() ? "" : "|file:" + model_.source) +
                           "|weights:" + model_.identity;
    return of + (is_static() ? "" : "|layers:" + std::to_string(layers_));
  }
  const LoadedModel& model() const { return model_; }

  /// The tokens of sentences [from, from + count).
  std::vector<TextVectors> of(std::span<const TokenIds> sentences) const {
    std::vector<TextVectors> texts(sentences.size());
    if (is_static()) {
      for (size_t i = 0; i < sentences.size(); ++i) {
        for (const int32_t id : sentences[i]) {
          if (has_vector_[id].item<bool>()) texts[i].ids.push_back(id);
        }
        const std::vector<int64_t> ids(texts[i].ids.begin(), texts[i].ids.end());
        texts[i].vectors = table_.index_select(0, at::tensor(ids, at::kLong));
      }
      return texts;
    }
    for_each_batch(sentences, kTogether, [&](const Tokens& tokens, const at::Tensor& indices) {
      const TokenVectors embedded = contextual_->token_vectors(tokens, layers_);
      const at::Tensor vectors = embedded.vectors.to(at::kCPU);
      const at::Tensor ids = embedded.read.ids.to(at::kCPU).contiguous();
      const at::Tensor lengths = embedded.read.lengths;
      for (int64_t row = 0; row < ids.size(0); ++row) {
        const int64_t length = lengths[row].item<int64_t>();
        TextVectors& text = texts[indices[row].item<int64_t>()];
        text.vectors = layer_features(vectors.select(1, row).narrow(1, 0, length));
        const auto* first = ids.const_data_ptr<int64_t>() + row * ids.size(1);
        text.ids.assign(first, first + length);
      }
    });
    return texts;
  }

 private:
  const LoadedModel& model_;
  TokenEmbedder* contextual_;
  int64_t layers_ = 0;
  at::Tensor table_, has_vector_;
};

/// Decides which tokens are used, and their weights.
class Weights {
 public:
  Weights(const MoverOptions& options, const Tokenizer& tokenizer)
      : options_(options),
        tokenizer_(tokenizer),
        stop_words_(options.stop_words.begin(), options.stop_words.end()) {}

  /// Frequencies of one side of the comparison.
  using Counts = std::map<int32_t, int64_t>;
  static Counts counts(std::span<const TokenIds> sentences) {
    Counts counts;
    for (const TokenIds& sentence : sentences) {
      for (const int32_t id : std::set<int32_t>(sentence.begin(), sentence.end())) ++counts[id];
    }
    return counts;
  }

  WeightedVectors weighted(const TextVectors& text, const Counts& counts, size_t texts) {
    WeightedVectors result;
    std::vector<int64_t> kept;
    for (size_t i = 0; i < text.ids.size(); ++i) {
      const int32_t id = text.ids[i];
      if (!is_used(id)) continue;
      kept.push_back(static_cast<int64_t>(i));
      result.weights.push_back(weight(id, counts, texts));
    }
    result.vectors = text.vectors.index_select(0, at::tensor(kept, at::kLong));
    return token_runs(result, options_.tokens);
  }

 private:
  double weight(int32_t id, const Counts& counts, size_t texts) const {
    if (options_.weights == MoverWeights::kUniform) return 1;
    const Vocabulary& special = tokenizer_.vocabulary();
    // Tokens that the model adds are in all texts.
    if (special.bos == id || special.eos == id) return 0;
    const auto found = counts.find(id);
    const int64_t count = found == counts.end() ? 0 : found->second;
    return std::log((static_cast<double>(texts) + 1) / (static_cast<double>(count) + 1));
  }
  bool is_used(int32_t id) {
    const auto [known, is_new] = used_.try_emplace(id, true);
    if (!is_new) return known->second;
    const std::vector<int32_t> one = {id};
    const std::string text = tokenizer_.decode(one);
    const bool skips = (!options_.punctuation && text.size() == 1 && is_punctuation(text[0])) ||
                       (!options_.subwords && !tokenizer_.begins_word(id).value_or(true)) ||
                       stop_words_.contains(text);
    return known->second = !skips;
  }

  const MoverOptions& options_;
  const Tokenizer& tokenizer_;
  std::set<std::string> stop_words_;
  std::map<int32_t, bool> used_;
};

}  // namespace

const std::vector<EnumName<MoverVersion>>& enum_names(MoverVersion) {
  static const std::vector<EnumName<MoverVersion>> names = {
      {"v1", MoverVersion::kV1, "1 - d with squared distances"},
      {"v2", MoverVersion::kV2, "1 / (1 + d) with distances"}};
  return names;
}

const std::vector<EnumName<MoverWeights>>& enum_names(MoverWeights) {
  static const std::vector<EnumName<MoverWeights>> names = {
      {"uniform", MoverWeights::kUniform, "equal weights"},
      {"idf", MoverWeights::kIdf, "inverse document frequencies in outputs or references"}};
  return names;
}

std::vector<InputDecl> MoverEvaluator::inputs() const {
  return {{.name = "outputs", .help = "decoded sentences", .by_default = reference("row.outputs")},
          {.name = "references",
           .help = "reference sentences, aligned with the outputs",
           .by_default = reference("data.test"),
           .aligned_with = "outputs"},
          {.name = "embedder",
           .help = "model whose vectors of tokens are compared, or word vectors",
           .type = ArtifactType::kModel,
           .one_of = {TokenEmbedder::kName, WordVectors::kName}}};
}

std::vector<Score> MoverEvaluator::evaluate(const Inputs& inputs) const {
  const Text outputs = inputs.text("outputs"), references = inputs.text("references");
  check_aligned(outputs.size(), references.size());
  const Vectors vectors(inputs, options_);
  const auto ours = ids_for(vectors.model(), outputs),
             theirs = ids_for(vectors.model(), references);
  Weights weights(options_, *vectors.model().tokenizer);
  const auto our_counts = Weights::counts(ours), their_counts = Weights::counts(theirs);
  Transport transport;
  const bool is_v1 = options_.version == MoverVersion::kV1;
  std::vector<double> similarities;
  int64_t without = 0;
  for (size_t from = 0; from < ours.size(); from += kTogether) {
    const size_t count = std::min<size_t>(kTogether, ours.size() - from);
    const auto x = vectors.of(std::span(ours).subspan(from, count));
    const auto y = vectors.of(std::span(theirs).subspan(from, count));
    for (size_t i = 0; i < count; ++i) {
      const double distance =
          mover_distance(weights.weighted(y[i], their_counts, theirs.size()),
                         weights.weighted(x[i], our_counts, ours.size()), is_v1, transport);
      without += std::isnan(distance) ? 1 : 0;
      similarities.push_back(std::isnan(distance) ? 0
                             : is_v1              ? 100 * (1 - distance)
                                                  : 100 / (1 + distance));
    }
  }
  const std::string filters =
      std::string(options_.punctuation ? "" : "|punctuation:no") +
      (options_.subwords ? "" : "|subwords:no") +
      (options_.stop_words.empty() ? "" : "|stop_words:" + join(options_.stop_words, " "));
  Score score = summarized(
      {.id = "mover",
       .unit = "%",
       .direction = Direction::kHigher,
       .signature = "mover|" + enum_name(options_.version) + vectors.signature() + "|tokens:" +
                    std::to_string(options_.tokens) + "|weights:" + enum_name(options_.weights) +
                    filters + compared_signature(std::span(&references, 1)) + "|n_sentences:" +
                    std::to_string(similarities.size()) + "|version:" + std::to_string(kRevision),
       .title = vectors.is_static() ? "Mover (static)" : "Mover",
       .rows = {"mean", 1, std::move(similarities)}});
  if (without > 0) {
    score.notes.push_back(format_count(without) + " pairs with a text without tokens score 0");
  }
  return {std::move(score)};
}

void register_mover(Registries& registries) {
  add_evaluator<MoverEvaluator, MoverOptions>(
      registries, "mover", "MoverScore: cost of moving the vectors of one text to another's",
      {"Zhao, Peyrard, Liu, Gao, Meyer and Eger 2019", "https://aclanthology.org/D19-1053"});
}

}  // namespace lvtext
