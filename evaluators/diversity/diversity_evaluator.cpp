#include "evaluators/diversity/diversity_evaluator.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "evaluators/metrics/diversity.h"
#include "evaluators/metrics/tokenize.h"
#include "evaluators/text_tokens.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// The options with their defaults.
struct DistinctForm {
  DiversityUnit unit = DiversityUnit::kSubword;
  DistinctOver over = DistinctOver::kNgrams;
  DistinctPool pool = DistinctPool::kCorpus;
  bool is_default = true;  ///< no option is set
};

DistinctForm form_of(const DiversityOptions& options, const Text& samples) {
  DistinctForm form;
  if (options.definition) {
    switch (*options.definition) {
      case DistinctDefinition::kCorpus:
        form = {DiversityUnit::kWord, DistinctOver::kUnits, DistinctPool::kCorpus};
        break;
      case DistinctDefinition::kSequence:
        form = {DiversityUnit::kWhitespace, DistinctOver::kUnits, DistinctPool::kText};
        break;
      case DistinctDefinition::kCharacterReference:
        form = {DiversityUnit::kCharacter, DistinctOver::kUnits, DistinctPool::kText};
        break;
    }
  }
  form.is_default = !options.definition && !options.unit && !options.over && !options.pool;
  form.unit = options.unit.value_or(form.unit);
  form.over = options.over.value_or(form.over);
  form.pool = options.pool.value_or(form.pool);
  if (form.unit == DiversityUnit::kSubword && !samples.has_ids()) {
    form.unit = DiversityUnit::kWhitespace;
  }
  return form;
}

std::vector<TokenIds> units_of(const Text& text, DiversityUnit unit) {
  if (unit == DiversityUnit::kSubword) return {text.ids().begin(), text.ids().end()};
  const auto tokenize = unit == DiversityUnit::kWord        ? tokenize_words
                        : unit == DiversityUnit::kCharacter ? tokenize_characters
                                                            : tokenize_whitespace;
  TokenInterner interner;
  std::vector<TokenIds> units;
  units.reserve(text.size());
  for (const std::string& line : text.lines()) units.push_back(interner.ids(tokenize(line)));
  return units;
}

std::string unit_name(DiversityUnit unit) {
  if (unit == DiversityUnit::kSubword) return "tokens";
  return unit == DiversityUnit::kCharacter ? "characters" : "words";
}

}  // namespace

const std::vector<EnumName<DiversityUnit>>& enum_names(DiversityUnit) {
  static const std::vector<EnumName<DiversityUnit>> names = {
      {"subword", DiversityUnit::kSubword,
       "subword tokens of the text's tokenizer; words between white space for text without them"},
      {"word", DiversityUnit::kWord,
       "in lower case, runs of letters, numbers and '_', and every other character except white "
       "space"},
      {"whitespace", DiversityUnit::kWhitespace, "words between white space"},
      {"character", DiversityUnit::kCharacter, "characters, blanks included"}};
  return names;
}

const std::vector<EnumName<DistinctOver>>& enum_names(DistinctOver) {
  static const std::vector<EnumName<DistinctOver>> names = {
      {"ngrams", DistinctOver::kNgrams, "the number of n-grams"},
      {"units", DistinctOver::kUnits, "the number of units"}};
  return names;
}

const std::vector<EnumName<DistinctPool>>& enum_names(DistinctPool) {
  static const std::vector<EnumName<DistinctPool>> names = {
      {"corpus", DistinctPool::kCorpus, "all texts together"},
      {"text", DistinctPool::kText,
       "each text alone, mean over texts; 0 for a text without n-grams"}};
  return names;
}

const std::vector<EnumName<DistinctDefinition>>& enum_names(DistinctDefinition) {
  static const std::vector<EnumName<DistinctDefinition>> names = {
      {"distinct_corpus", DistinctDefinition::kCorpus,
       "unit word, denominator units, pool corpus: stories of Martins, Marinho and Martins 2020"},
      {"distinct_seq", DistinctDefinition::kSequence,
       "unit whitespace, denominator units, pool text: their conversations"},
      {"distinct_char_ref", DistinctDefinition::kCharacterReference,
       "unit character, denominator units, pool text: replies as their released script counts them"}};
  return names;
}

std::vector<InputDecl> DiversityEvaluator::inputs() const {
  return {{.name = "samples",
           .help = "generated text",
           .by_default = reference("row.samples"),
           .rows = options_.samples},
          {.name = "train",
           .help = "training text, to detect copied sentences",
           .by_default = reference("data.train"),
           .arity = InputDecl::Arity::kOptional}};
}

std::vector<Score> DiversityEvaluator::evaluate(const Inputs& inputs) const {
  const Text samples = inputs.text("samples").first(options_.samples);
  const DistinctForm form = form_of(options_, samples);
  const std::vector<TokenIds> tokens = units_of(samples, form.unit);
  const std::string tok = "|tok:" + enum_name(form.unit);
  const std::string end = "|n_sentences:" + std::to_string(samples.size()) +
                          "|version:" + std::to_string(DiversityEvaluator::kRevision);
  const auto signature = [&](const std::string& how) { return "diversity|" + how + end; };
  // Mean of one value per sentence, in percent.
  const auto share = [&](const std::string& id, std::vector<double> values, Direction direction,
                         const std::string& how) {
    for (double& value : values) value *= 100;
    Score score = summarized({.id = id,
                              .unit = "%",
                              .direction = direction,
                              .signature = signature(how),
                              .rows = {"mean", 1, std::move(values)}});
    if (score.interval) {
      score.interval = {std::max(0.0, score.interval->lo), std::min(100.0, score.interval->hi)};
    }
    return score;
  };
  const int order = static_cast<int>(options_.order);
  const std::string ngrams =
      "distinct_n|n:" + std::to_string(order) + tok +
      (form.is_default ? "" : "|over:" + enum_name(form.over) + "|pool:" + enum_name(form.pool));
  std::vector<Score> scores;
  if (form.pool == DistinctPool::kText) {
    scores.push_back(share("distinct_n", distinct_n_values(tokens, order, form.over),
                           Direction::kHigher, ngrams));
  } else {
    // No interval for distinct_n: the share of distinct n-grams decreases with the number of
    // sentences, so that bootstrap resamples, which repeat sentences, are biased.
    scores.push_back({.id = "distinct_n",
                      .value = 100 * distinct_n(tokens, order, form.over),
                      .reason = form.over == DistinctOver::kUnits
                                    ? "the text is empty"
                                    : "no sentence has " + std::to_string(order) + " tokens",
                      .unit = "%",
                      .direction = Direction::kHigher,
                      .n = static_cast<int64_t>(samples.size()),
                      .signature = signature(ngrams)});
    if (!std::isnan(scores.back().value)) scores.back().reason.clear();
  }
  scores.back().real_is_best = true;
  scores.push_back(share("unique", distinct_values(samples.lines()), Direction::kHigher, "unique"));
  scores.back().real_is_best = true;
  if (inputs.has("train")) {
    const Text& train = inputs.text("train");
    scores.push_back(share("train_overlap", train_overlap_values(samples.lines(), train.lines()),
                           Direction::kLower,
                           "train_overlap|train:" + std::to_string(train.size()) +
                               compared_signature(std::span(&train, 1))));
  }
  std::vector<double> lengths;
  for (const TokenIds& sentence : tokens) lengths.push_back(static_cast<double>(sentence.size()));
  scores.push_back(summarized({.id = "length",
                               .unit = unit_name(form.unit),
                               .signature = signature("length" + tok),
                               .rows = {"mean", 1, std::move(lengths)}}));
  if (!form.is_default) {
    scores.push_back({.id = "types",
                      .value = static_cast<double>(distinct_types(tokens)),
                      .unit = unit_name(form.unit),
                      .direction = Direction::kHigher,
                      .n = static_cast<int64_t>(samples.size()),
                      .signature = signature("types" + tok),
                      .real_is_best = true});
  }
  return scores;
}

void register_diversity(Registries& registries) {
  add_evaluator<DiversityEvaluator, DiversityOptions>(
      registries, "diversity",
      "Distinct n-grams, unique sentences, overlap with the training set, mean length",
      {"Li, Galley, Brockett, Gao and Dolan 2016", "https://aclanthology.org/N16-1014"});
}

}  // namespace lvtext
