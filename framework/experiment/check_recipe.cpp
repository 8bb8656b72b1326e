#include "framework/experiment/check_recipe.h"

#include <algorithm>

#include "evaluators/rating/sheet_kind.h"
#include "framework/base/strings.h"
#include "framework/data/manifest.h"
#include "framework/experiment/metric_options.h"
#include "framework/experiment/reference.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/inline_model.h"
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
  if (const Component* model = registries.models.find(name)) {
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

void check_score(const std::string& score, const Node& metric, const Component& evaluator,
                 const std::string& path, Errors& errors) {
  const Node* written = metric.find("score");
  if (!written || score.empty()) return;
  const auto& known = evaluator.scores;
  if (std::find(known.begin(), known.end(), score) != known.end()) return;
  errors.add(written->mark(),
             path + ".score: " + evaluator.about.name + " gives no score '" + score + "'",
             suggestion(score, known));
}

/// Texts that a row may have: what is generated, and what evaluators ask for.
std::vector<std::string> known_texts(const Registries& registries) {
  std::vector<std::string> names = generated_texts(registries);
  for (const auto& evaluator : registries.evaluators.names()) {
    for (const InputDecl& input : usual_inputs(registries.evaluators.get(evaluator))) {
      const bool is_new = std::find(names.begin(), names.end(), input.name) == names.end();
      if (input.type == ArtifactType::kText && is_new) names.push_back(input.name);
    }
  }
  return names;
}

/// A reference, or an inline model.
void check_filling(const InputDecl& input, const Node& filled, const Mark& mark,
                   const KnownReferences& known, const Registries& registries, Errors& errors,
                   const std::string& path) {
  const Mark place = filled.mark().source ? filled.mark() : mark;
  if (filled.is_mapping()) {
    if (input.type == ArtifactType::kModel) {
      return check_inline_model(input, filled, place, registries, errors, path);
    }
    return errors.add(place, path + " is a text, and no model can be written in its place",
                      "a reference such as data.test or row.samples");
  }
  if (!filled.is_scalar()) {
    return errors.add(place, path + " is a reference" +
                                 (input.type == ArtifactType::kModel ? " or a model" : ""));
  }
  const std::string problem = known.problem(filled.text(), input.type);
  if (!problem.empty()) errors.add(place, path + ": " + problem);
}

/// The inputs of a component with its `own` options, as `written` fills them; `path` is theirs.
void check_inputs(const Component& component, const Node& own, const Node& written,
                  const Mark& mark, const KnownReferences& known, const Registries& registries,
                  Errors& errors, const std::string& path) {
  Errors flaws;  // what is wrong with the component's options is reported elsewhere
  component.check(own, flaws, "");
  if (!flaws.empty()) return;
  const auto declared = component.inputs ? component.inputs(own) : std::vector<InputDecl>();
  std::vector<std::string> names;
  for (const InputDecl& input : declared) names.push_back(input.name);
  for (const Node::Entry& entry : written.entries()) {
    if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
    errors.add(entry.key_mark, component.about.name + " has no input '" + entry.key + "'",
               names.empty() ? "it has none" : suggestion(entry.key, names));
  }
  for (const InputDecl& input : declared) {
    const Node* given = written.find(input.name);
    const Node filled = effective_input(input, given ? *given : Node(), registries);
    const std::string place = path + "." + input.name;
    if (filled.is_null()) {
      if (input.type == ArtifactType::kModel && input.arity == InputDecl::Arity::kOne) {
        errors.add(mark, "missing key " + shown(place), input.help);
      }
    } else if (filled.is_sequence() && input.arity == InputDecl::Arity::kMany) {
      for (const Node& each : filled.items()) {
        check_filling(input, each, mark, known, registries, errors, place);
      }
    } else {
      check_filling(input, filled, mark, known, registries, errors, place);
    }
  }
}

/// A row without a model: what stands for its texts.
void check_fillers(const Node::Entry& row, const std::vector<std::string>& splits,
                   const Registries& registries, Errors& errors) {
  const std::vector<std::string> known = known_texts(registries);
  const KnownReferences references{text_references(splits, {}), {}};
  for (const Node::Entry& entry : row.value.entries()) {
    if (entry.key == "label") continue;
    const std::string path = "models." + row.key + "." + entry.key;
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      errors.add(entry.key_mark, path + ": no metric asks for a text of this name",
                 suggestion(entry.key, known));
    }
    const std::string problem = references.problem(entry.value.text(), ArtifactType::kText);
    if (!problem.empty()) errors.add(entry.value.mark(), path + ": " + problem);
  }
}

/// The models that a row's model is given: written in their place, or trained as a row above.
void check_given_models(const Recipe& recipe, const Node::Entry& row, const Component& model,
                        const Registries& registries, Errors& errors) {
  const Node* written = row.value.find("inputs");
  if (written && !written->is_mapping()) return;  // reported with the recipe's shape
  const Node inputs = written ? *written : Node::mapping({});
  const Node own = model_options(row.value);
  Errors flaws;
  model.check(own, flaws, "");
  KnownReferences known;
  for (const auto& id : recipe.rows()) {
    if (id == row.key) break;
    if (recipe.row(id).find("model")) known.models.push_back(id);
  }
  const std::string path = "models." + row.key + ".inputs";
  check_inputs(model, own, inputs, row.key_mark, known, registries, errors, path);
  if (!flaws.empty() || !model.inputs) return;
  for (const InputDecl& input : model.inputs(own)) {
    const Node* given = inputs.find(input.name);
    if (!given || !given->is_scalar() || !known.problem(given->text(), input.type).empty())
      continue;
    const Component* other =
        registries.models.find(recipe.row(given->text()).find("model")->text());
    const std::string reason = other ? misfit(input, *other) : "";
    if (reason.empty()) continue;
    errors.add(given->mark(),
               path + "." + input.name + ": the model of " + given->text() + " " + reason);
  }
}

void check_metric(const Node::Entry& metric, const std::vector<std::string>& splits,
                  const Registries& registries, Errors& errors) {
  const std::string path = "evaluate." + metric.key;
  const MetricOptions options = parse_block<MetricOptions>(metric.value, errors, path);
  if (const Component* evaluator = registries.evaluators.find(options.evaluator)) {
    evaluator->check(options.own, errors, path);
    check_score(options.score, metric.value, *evaluator, path, errors);
    const KnownReferences known{text_references(splits, known_texts(registries)), {"row.model"}};
    check_inputs(*evaluator, options.own, options.inputs, metric.key_mark, known, registries,
                 errors, path + ".inputs");
  } else if (const Node* name = metric.value.find("evaluator")) {
    errors.add(name->mark(), registries.evaluators.unknown_message(options.evaluator),
               registries.evaluators.known_message(options.evaluator));
  }
}

/// The set and its fields by name; what lies in its files is seen when they are read.
void check_data(const Node& data, const DataOptions& options, Errors& errors) {
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
  const auto known = load_manifest(options.set, folders).fields;
  for (const auto& field : options.fields) {
    if (std::find(known.begin(), known.end(), field) != known.end()) continue;
    refuse("fields", "field of " + options.set, field, known);
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
  const Node& written = recipe.options.data;
  const DataOptions data = parse_options<DataBlock>(written, errors, {}, "data").source;
  check_data(written, data, errors);
  const std::vector<std::string> splits = split_names(data);
  parse_options<TrainOptions>(recipe.options.train, errors, {}, "train");
  check_stop(recipe.options.train, recipe.options.train.mark(), "train", errors);
  for (const Node::Entry& row : recipe.options.models.entries()) {
    const Node* model = row.value.find("model");
    if (!model) {
      check_fillers(row, splits, registries, errors);
      continue;
    }
    check_model(row.value, model->text(), model->mark(), "models." + row.key, registries, errors);
    if (const Component* entry = registries.models.find(model->text())) {
      check_training(*entry, model_options(row.value), recipe.row_train(row.key), row.key_mark,
                     errors);
      check_given_models(recipe, row, *entry, registries, errors);
    }
    // A row inherits; a mistake of the whole recipe is reported once.
    if (row.value.find("train")) {
      check_stop(recipe.row_train(row.key), row.key_mark, "models." + row.key + ".train", errors);
    }
    const Component* entry = registries.models.find(model->text());
    if (entry && entry->capabilities == std::vector<std::string>{"embeds_sentences"}) {
      errors.add(model->mark(),
                 "the model '" + model->text() + "' embeds sentences and nothing else",
                 "name it as an input of a metric, such as the `encoder` of frechet");
    }
  }
  for (const Node::Entry& metric : recipe.options.evaluate.entries()) {
    check_metric(metric, splits, registries, errors);
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
