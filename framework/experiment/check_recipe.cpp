#include "framework/experiment/check_recipe.h"

#include <algorithm>

#include "evaluators/rating/sheet_kind.h"
#include "framework/base/strings.h"
#include "framework/data/manifest.h"
#include "framework/experiment/metric_options.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/encoder_nodes.h"
#include "framework/nodes/lm_nodes.h"
#include "framework/nodes/model_block.h"
#include "framework/options/mapping.h"
#include "framework/report/check_expression.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

/// Keys that neither the model nor a row of a recipe has; returns the options without them.
Node check_keys(const Node& options, const Schema& schema, const std::string& path,
                Errors& errors) {
  std::vector<std::string> own, all = kRowKeys;
  for (const FieldSchema& field : schema.fields) own.push_back(field.key);
  all.insert(all.end(), own.begin(), own.end());
  Node known = options;
  for (const Node::Entry& entry : options.entries()) {
    if (std::find(all.begin(), all.end(), entry.key) != all.end()) continue;
    const auto near = entry.key.size() <= 100 ? nearest(entry.key, all) : std::nullopt;
    // The model's own check says more of its own keys: type and default.
    if (near && std::find(own.begin(), own.end(), *near) != own.end()) continue;
    errors.add(entry.key_mark, "unknown key '" + path + "." + entry.key + "'",
               near ? "did you mean '" + *near + "'?"
                    : "allowed: " + join(kRowKeys) +
                          (own.empty() ? "" : ", and the model's " + join(own)));
    known = known.without(entry.key);
  }
  return known;
}

/// Minutes tell no updates, which schedules are scaled by.
void check_stop(const Node& train, const Mark& mark, const std::string& path, Errors& errors) {
  Errors own;  // what is wrong with the keys themselves is reported elsewhere
  const auto options = parse_options<TrainOptions>(train, own);
  if (!own.empty() || !options.schedules_for) return;
  for (const Period& period : options.stop.any) {
    if (period.unit != Period::Unit::kSeconds) continue;
    const Node* stop = train.find("stop");
    errors.add(stop ? stop->mark() : mark,
               "'" + path +
                   ".stop' is a time, and train.schedules_for scales schedules to a number "
                   "of updates",
               "stop after updates, epochs or tokens, or leave schedules_for out");
  }
}

void check_model(const Node& options, const std::string& name, const Mark& mark,
                 const std::string& path, const Registries& registries, Errors& errors) {
  if (const ModelEntry* model = registries.models.find(name)) {
    model->check(model_options(check_keys(options, model->about.schema, path, errors)), errors,
                 path);
  } else {
    errors.add(mark, registries.models.unknown_message(name),
               registries.models.known_message(name));
  }
  // Alone, so that a mistake in the recipe's `train` is reported once and not for every row.
  if (const Node* train = options.find("train")) {
    parse_options<TrainOptions>(*train, errors, {}, path + ".train");
  }
  if (const Node* generation = options.find("generation")) {
    parse_options<GenerationOptions>(*generation, errors, {}, path + ".generation");
  }
}

void check_score(const std::string& score, const Node& metric, const EvaluatorEntry& evaluator,
                 const std::string& path, Errors& errors) {
  const Node* written = metric.find("score");
  if (!written || score.empty()) return;
  const auto& known = evaluator.scores;
  if (std::find(known.begin(), known.end(), score) != known.end()) return;
  errors.add(written->mark(),
             path + ".score: " + evaluator.about.name + " gives no score '" + score + "'",
             suggestion(score, known));
}

void check_metric(const Node::Entry& metric, const Registries& registries, Errors& errors) {
  const std::string path = "evaluate." + metric.key;
  const MetricOptions options = parse_block<MetricOptions>(metric.value, errors, path);
  if (const EvaluatorEntry* evaluator = registries.evaluators.find(options.evaluator)) {
    evaluator->check(options.own, errors, path);
    check_score(options.score, metric.value, *evaluator, path, errors);
  } else if (const Node* name = metric.value.find("evaluator")) {
    errors.add(name->mark(), registries.evaluators.unknown_message(options.evaluator),
               registries.evaluators.known_message(options.evaluator));
  }
  check_lm(options.lm, registries, errors, path + ".lm");
  check_encoder(options.encoder, registries, errors, path + ".encoder");
}

/// The set and its field by name; what lies in its files is seen when they are read.
void check_data(const Node& data, Errors& errors) {
  const DataOptions options = parse_options<DataBlock>(data, errors, {}, "data").source;
  if (!options.train.empty()) return;
  const auto folders = manifest_folders();
  const auto names = manifest_names(folders);
  const auto refuse = [&](const char* key, const std::string& what, const std::string& given,
                          const std::vector<std::string>& known) {
    const Node* written = data.find(key);
    errors.add(written ? written->mark() : data.mark(), "unknown " + what + " '" + given + "'",
               suggestion(given, known));
  };
  if (std::find(names.begin(), names.end(), options.set) == names.end()) {
    return refuse("set", "data set", options.set, names);
  }
  const auto fields = load_manifest(options.set, folders).fields;
  if (!options.field.empty() &&
      std::find(fields.begin(), fields.end(), options.field) == fields.end()) {
    refuse("field", "field of " + options.set, options.field, fields);
  }
}

/// The sheets and their aspects by name.
void check_ratings(const Node& ratings, Errors& errors) {
  for (const Node::Entry& sheet : ratings.entries()) {
    const SheetKind* kind = sheet_kinds().find(sheet.key);
    if (!kind) {
      errors.add(sheet.key_mark, sheet_kinds().unknown_message(sheet.key),
                 sheet_kinds().known_message(sheet.key));
      continue;
    }
    std::vector<std::string> aspects;
    for (const Aspect& aspect : kind->aspects) aspects.push_back(aspect.id);
    const Node* paper = sheet.value.find("paper");
    if (!paper) continue;
    for (const Node::Entry& row : paper->entries()) {
      for (const Node::Entry& number : row.value.entries()) {
        if (std::find(aspects.begin(), aspects.end(), number.key) != aspects.end()) continue;
        errors.add(number.key_mark,
                   "the rating sheet " + sheet.key + " has no aspect '" + number.key + "'",
                   suggestion(number.key, aspects));
      }
    }
  }
}

/// The expressions of the checks: their grammar, rows and metrics.
void check_expressions(const Recipe& recipe, const std::vector<std::string>& metrics,
                       Errors& errors) {
  const Node* checks = recipe.tree.find("checks");
  std::vector<std::string> rows = recipe.rows();
  for (const auto& each : recipe.options.not_run) rows.push_back(each.first);
  for (const Node& check : checks ? checks->items() : std::vector<Node>()) {
    const Node* id = check.find("id");
    const Node* expr = check.find("expr");
    if (!id || !expr || expr->text().empty()) continue;
    try {
      CheckExpression::parse(expr->text(), "checks." + id->text()).check_names(rows, metrics);
    } catch (const ConfigError& error) {
      errors.add(expr->mark(), error.what());
    }
  }
}

}  // namespace

void check_components(const Recipe& recipe, const Registries& registries, Errors& errors) {
  check_data(recipe.options.data, errors);
  parse_options<TrainOptions>(recipe.options.train, errors, {}, "train");
  check_stop(recipe.options.train, recipe.options.train.mark(), "train", errors);
  for (const Node::Entry& row : recipe.options.models.entries()) {
    const Node* model = row.value.find("model");
    if (!model) continue;
    check_model(row.value, model->text(), model->mark(), "models." + row.key, registries, errors);
    if (const ModelEntry* entry = registries.models.find(model->text())) {
      check_training(*entry, model_options(row.value), recipe.row_train(row.key), row.key_mark,
                     errors);
    }
    // A row inherits; a mistake of the whole recipe is reported once.
    if (row.value.find("train")) {
      check_stop(recipe.row_train(row.key), row.key_mark, "models." + row.key + ".train", errors);
    }
    const ModelEntry* entry = registries.models.find(model->text());
    if (entry && entry->capabilities == std::vector<std::string>{"embeds_sentences"}) {
      errors.add(model->mark(),
                 "the model '" + model->text() + "' embeds sentences and nothing else",
                 "name it as the `encoder` of a metric");
    }
  }
  for (const Node::Entry& metric : recipe.options.evaluate.entries()) {
    check_metric(metric, registries, errors);
  }
  const std::vector<std::string> metrics = recipe.known_metrics();
  if (const Node* ratings = recipe.tree.find("ratings")) check_ratings(*ratings, errors);
  check_expressions(recipe, metrics, errors);
  const Node* table = recipe.tree.find("table");
  for (const auto& column : recipe.options.table.columns) {
    if (std::find(metrics.begin(), metrics.end(), column) != metrics.end()) continue;
    errors.add(table ? table->mark() : Mark{},
               "table.columns names '" + column + "', which is no metric of `evaluate`",
               suggestion(column, metrics));
  }
}

}  // namespace lvtext
