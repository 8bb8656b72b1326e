#include "evaluators/meteor/meteor_evaluator.h"

#include <memory>
#include <span>
#include <utility>

#include "evaluators/text_classes.h"
#include "evaluators/text_tokens.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"

namespace lvtext {

const std::vector<EnumName<MeteorModule>>& enum_names(MeteorModule) {
  static const std::vector<EnumName<MeteorModule>> names = {
      {"exact", MeteorModule::kExact, "equal words"},
      {"stem", MeteorModule::kStem, "words with equal Porter2 stems"},
      {"synonym", MeteorModule::kSynonym, "words with a common WordNet synset"}};
  return names;
}

std::vector<Score> meteor_scores(const MeteorOptions& options, const Text& outputs,
                                 const std::vector<Text>& references,
                                 std::span<const int32_t> classes) {
  for (const Text& each : references) check_aligned(outputs.size(), each.size());
  std::shared_ptr<const WordNet> wordnet;
  if (options.uses(MeteorModule::kSynonym)) {
    wordnet = std::make_shared<const WordNet>(
        WordNet::load(options.synonyms.value_or(kInstalledWordNet)));
  }
  const MeteorParameters& parameters = options.parameters;
  Meteor meteor(parameters, options.uses(MeteorModule::kStem), wordnet);
  std::vector<double> best_scores, rows;
  MeteorStats sums{};
  for (size_t i = 0; i < outputs.size(); ++i) {
    MeteorStats best{};
    for (size_t r = 0; r < references.size(); ++r) {
      const MeteorStats stats = meteor.stats(outputs.lines()[i], references[r].lines()[i]);
      if (r == 0 || meteor_score(stats, parameters) > meteor_score(best, parameters)) best = stats;
    }
    best_scores.push_back(meteor_score(best, parameters));
    rows.insert(rows.end(), best.begin(), best.end());
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += best[k];
  }

  std::vector<std::string> modules;
  for (const auto& module : enum_names(MeteorModule{})) {
    if (options.uses(module.value)) modules.push_back(module.name);
  }
  std::string end = "|modules:" + join(modules, ",");
  if (wordnet) end += "|synonyms:" + wordnet->sha256().substr(0, 8);
  end += "|alpha:" + format_number(parameters.alpha) + "|beta:" + format_number(parameters.beta) +
         "|gamma:" + format_number(parameters.gamma) + "|delta:" + format_number(parameters.delta);
  if (references.size() > 1) end += "|refs:" + std::to_string(references.size());
  end += compared_signature(references);
  const auto signature = [&](const std::string& level, size_t sentences) {
    return "meteor|level:" + level + end + "|n_sentences:" + std::to_string(sentences) +
           "|version:" + std::to_string(MeteorEvaluator::kRevision);
  };
  const auto mean = [&](const std::string& id, SentenceRows rows) {
    return summarized({.id = id,
                       .direction = Direction::kHigher,
                       .signature = signature("sentence", rows.values.size()),
                       .title = "Met-noPara",
                       .rows = std::move(rows)});
  };
  const SentenceRows all{"mean", 1, std::move(best_scores)};
  std::vector<Score> scores = {mean("meteor", all)};
  for (const int32_t style : {0, 1}) {
    SentenceRows rows_of_style = rows_of_class(all, classes, style);
    if (rows_of_style.values.empty()) continue;
    scores.push_back(mean("meteor_" + std::to_string(style), std::move(rows_of_style)));
  }
  Score aggregate = {.id = "aggregate",
                     .value = meteor_score(sums, parameters),
                     .direction = Direction::kHigher,
                     .n = scores.front().n,
                     .signature = signature("corpus", outputs.size()),
                     .title = "Met-noPara, aggregate"};
  if (aggregate.n > 1) {
    aggregate.resamples = bootstrap_sums(rows, sums.size(), [&](std::span<const double> resampled) {
      return meteor_score(resampled, parameters);
    });
    aggregate.interval = percentile_interval(aggregate.resamples);
  }
  scores.push_back(std::move(aggregate));
  return scores;
}

std::vector<InputDecl> MeteorEvaluator::inputs() const {
  return {{.name = "outputs", .help = "transferred text", .by_default = reference("row.outputs")},
          {.name = "references",
           .help = "reference texts, aligned with the outputs",
           .by_default = reference("row.outputs.source"),
           .arity = InputDecl::Arity::kMany,
           .aligned_with = "outputs"},
          records_input("outputs")};
}

std::vector<Score> MeteorEvaluator::evaluate(const Inputs& inputs) const {
  const Text& outputs = inputs.text("outputs");
  return meteor_scores(options_, outputs, inputs.texts("references"),
                       classes_of_records(inputs, options_.label, outputs.size()));
}

void register_meteor(Registries& registries) {
  add_evaluator<MeteorEvaluator, MeteorOptions>(
      registries, "meteor",
      "METEOR 1.5 without its paraphrase table, of transferred text against its source",
      {"Denkowski and Lavie 2014", "https://aclanthology.org/W14-3348"});
}

}  // namespace lvtext
