#include "evaluators/idf_similarity/idf_similarity_evaluator.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "evaluators/metrics/tokenize.h"
#include "evaluators/text_classes.h"
#include "evaluators/text_tokens.h"
#include "framework/core/base/characters.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// The only token of a word, with the same letters except for case; nullopt if there is none.
std::optional<int32_t> token_of(const std::string& word, const Tokenizer& tokenizer) {
  // At the end of a sentence, the period of "mr." would be a token of its own.
  TokenIds ids = tokenizer.encode(word + " .");
  const TokenIds end = tokenizer.encode(".");
  if (ids.size() >= end.size() && std::equal(end.rbegin(), end.rend(), ids.rbegin())) {
    ids.resize(ids.size() - end.size());
  }
  // The one token may be a part of the word, because tokenizers drop unknown words.
  if (ids.size() != 1 || ids[0] == tokenizer.vocabulary().unk) return std::nullopt;
  if (ascii_lower(tokenizer.decode(ids)) != ascii_lower(word)) return std::nullopt;
  return ids[0];
}

/// Whether these are published GloVe vectors of 300 dimensions, by the name of their file.
bool is_glove(const LoadedModel& vectors, int64_t width) {
  return vectors.published && width == 300 &&
         ascii_lower(vectors.source).find("glove") != std::string::npos;
}

}  // namespace

WeightedSums::WeightedSums(const at::Tensor& vectors, const Tokenizer& of_vectors,
                           const at::Tensor& idf, const Tokenizer& of_idf)
    : vectors_(vectors.to(at::kCPU, at::kFloat).contiguous()),
      idf_(idf.to(at::kCPU, at::kDouble).contiguous()),
      of_vectors_(of_vectors),
      of_idf_(of_idf) {}

WeightedSums::Sum WeightedSums::sum(std::string_view sentence) {
  const int64_t width = vectors_.size(1);
  Sum sum{.vector = std::vector<double>(width)};
  for (const std::string& text : tokenize_whitespace(sentence)) {
    const Word& found = word(text);
    ++sum.words;
    if (!found.is_known) {
      ++sum.skipped;
      continue;
    }
    const float* vector = vectors_.const_data_ptr<float>() + found.row * width;
    for (int64_t k = 0; k < width; ++k) sum.vector[k] += found.idf * vector[k];
  }
  return sum;
}

const WeightedSums::Word& WeightedSums::word(const std::string& text) {
  const auto [known, is_new] = known_.try_emplace(text);
  if (!is_new) return known->second;
  const auto row = token_of(text, of_vectors_), weight = token_of(text, of_idf_);
  if (!row || !weight || !vectors_[*row].any().item<bool>()) return known->second;
  const double idf = idf_[*weight].item<double>();
  if (idf >= 0) known->second = {.is_known = true, .row = *row, .idf = idf};
  return known->second;
}

double cosine(const std::vector<double>& x, const std::vector<double>& y) {
  double xy = 0, xx = 0, yy = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    xy += x[k] * y[k];
    xx += x[k] * x[k];
    yy += y[k] * y[k];
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

std::vector<InputDecl> IdfSimilarityEvaluator::inputs() const {
  return {{.name = "outputs",
           .help = "texts, with their sources in the column source",
           .type = ArtifactType::kDataset,
           .by_default = reference("row.outputs")},
          {.name = "vectors",
           .help = "word vectors",
           .type = ArtifactType::kModel,
           .capabilities = {WordVectors::kName}},
          {.name = "idf",
           .help = "inverse sentence frequencies of words",
           .type = ArtifactType::kModel,
           .capabilities = {TokenWeights::kName}}};
}

std::vector<Score> IdfSimilarityEvaluator::evaluate(const Inputs& inputs) const {
  const Text outputs = inputs.text("outputs", "text"), sources = inputs.text("outputs", "source");
  const std::vector<int32_t> classes = classes_of(inputs.dataset("outputs"), options_.label);
  const LoadedModel &vectors = inputs.model("vectors"), &idf = inputs.model("idf");
  const at::Tensor table = inputs.serve<WordVectors>("vectors").vectors();
  WeightedSums sums(table, *vectors.tokenizer, inputs.serve<TokenWeights>("idf").weights(),
                    *idf.tokenizer);
  std::vector<double> cosines, zero, oov;  // oov: skipped words and words of each pair
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto source = sums.sum(sources.lines()[i]), output = sums.sum(outputs.lines()[i]);
    cosines.push_back(cosine(source.vector, output.vector));
    oov.push_back(static_cast<double>(source.skipped + output.skipped));
    oov.push_back(static_cast<double>(source.words + output.words));
    const auto is_zero = [](const WeightedSums::Sum& sum) {
      return std::all_of(sum.vector.begin(), sum.vector.end(), [](double x) { return x == 0; });
    };
    zero.push_back(is_zero(source) || is_zero(output) ? 1 : 0);
  }
  const int64_t width = table.size(1);
  const bool is_comparable = is_glove(vectors, width);
  const std::string used = "idf_similarity|vectors:" + vectors.component +
                           (vectors.source.empty() ? "" : "|file:" + vectors.source) +
                           "|weights:" + vectors.identity + "|dimensions:" + std::to_string(width) +
                           "|idf:" + idf.identity + compared_signature(std::span(&sources, 1));
  const auto score = [&](const std::string& id, Direction direction, SentenceRows rows) {
    const size_t n = rows.values.size() / rows.width;
    return summarized({.id = id,
                       .direction = direction,
                       .signature = used + "|n_sentences:" + std::to_string(n) + "|" + id +
                                    "|version:" + std::to_string(IdfSimilarityEvaluator::kRevision),
                       .rows = std::move(rows)});
  };
  const auto similarity = [&](const std::string& id, SentenceRows rows) {
    Score mean = score(id, Direction::kHigher, std::move(rows));
    mean.title = is_comparable ? "Sim" : "Sim-local";
    mean.comparable = is_comparable;
    return mean;
  };
  const SentenceRows all{"mean", 1, std::move(cosines)};
  std::vector<Score> scores = {similarity("similarity", all)};
  for (const int32_t style : {0, 1}) {
    SentenceRows rows = rows_of_class(all, classes, style);
    if (rows.values.empty()) continue;
    scores.push_back(similarity("similarity_" + std::to_string(style), std::move(rows)));
  }
  scores.push_back(score("oov", Direction::kLower, {"ratio", 2, std::move(oov)}));
  scores.push_back(score("zero", Direction::kLower, {"mean", 1, std::move(zero)}));
  return scores;
}

void register_idf_similarity(Registries& registries) {
  add_evaluator<IdfSimilarityEvaluator, IdfSimilarityOptions>(
      registries, "idf_similarity",
      "Similarity of texts to their sources, by idf-weighted sums of word vectors",
      {"Pang and Gimpel 2019", "https://aclanthology.org/D19-5614"});
}

}  // namespace lvtext
