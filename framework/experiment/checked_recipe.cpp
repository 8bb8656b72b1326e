#include "framework/experiment/checked_recipe.h"

#include <algorithm>

#include "evaluators/rating/sheet_kind.h"
#include "framework/base/strings.h"
#include "framework/data/manifest.h"
#include "framework/experiment/reference.h"
#include "framework/options/mapping.h"
#include "framework/report/check_expression.h"

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

/// Minutes tell no updates, which schedules are scaled by. `written` is what `train` was parsed
/// from.
void check_stop(const TrainOptions& train, const Node& written, const Mark& mark,
                const std::string& path, Errors& errors) {
  if (!train.schedules_for) return;
  for (const Period& period : train.stop.any) {
    if (period.unit != Period::Unit::kSeconds) continue;
    const Node* stop = written.find("stop");
    errors.add(stop ? stop->mark() : mark,
               "'" + path +
                   ".stop' is a time, and train.schedules_for scales schedules to a number "
                   "of updates",
               "stop after updates, epochs or tokens, or leave schedules_for out");
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

/// Reads what belongs to a recipe's components.
class Checker {
 public:
  Checker(const Recipe& recipe, const Registries& registries, Errors& errors)
      : recipe_(recipe),
        registries_(registries),
        errors_(errors),
        texts_(known_texts(registries)) {}

  CheckedRecipe check() {
    CheckedRecipe checked{.recipe = recipe_};
    checked.data = parse_options<DataBlock>(recipe_.options.data, errors_, {}, "data");
    check_data(recipe_.options.data, checked.data.source, errors_);
    splits_ = split_names(checked.data.source);
    read_train();
    checked.train = train_;
    for (const Node::Entry& row : recipe_.options.models.entries()) {
      rows_.push_back(component_name(row.value) ? model_row(row) : given_row(row));
    }
    checked.rows = std::move(rows_);
    for (const Node::Entry& metric : recipe_.options.evaluate.entries()) {
      if (auto read = read_metric(metric)) checked.metrics.push_back(std::move(*read));
    }
    for (const Node::Entry& figure : recipe_.options.figures.entries()) {
      if (auto read = read_figure(figure)) checked.figures.push_back(std::move(*read));
    }
    return checked;
  }

 private:
  void read_train() {
    const size_t before = errors_.count();
    train_ = parse_train_options(recipe_.options.train, errors_, "train");
    train_is_right_ = errors_.count() == before;
    if (!train_is_right_) return;
    check_stop(train_, recipe_.options.train, recipe_.options.train.mark(), "train", errors_);
  }

  /// A row without a model: what stands for its texts.
  CheckedRow given_row(const Node::Entry& row) {
    CheckedRow read{.id = row.key, .label = label_of(row)};
    const KnownReferences references{text_references(splits_, {}), {}};
    for (const Node::Entry& entry : row.value.entries()) {
      if (entry.key == "label") continue;
      const std::string path = "models." + row.key + "." + entry.key;
      if (std::find(texts_.begin(), texts_.end(), entry.key) == texts_.end()) {
        errors_.add(entry.key_mark, path + ": no metric asks for a text of this name",
                    suggestion(entry.key, texts_));
      }
      const std::string problem = references.problem(entry.value.text(), ArtifactType::kText);
      if (!problem.empty()) errors_.add(entry.value.mark(), path + ": " + problem);
      read.fillers[entry.key] = entry.value.text();
    }
    return read;
  }

  CheckedRow model_row(const Node::Entry& row) {
    const std::string path = "models." + row.key;
    const Node& name = *component_name(row.value);
    CheckedRow read{.id = row.key, .label = label_of(row), .seeds = recipe_.row_seeds(row.key)};
    const bool is_trained = read_row_train(row, read.train);
    read.generation = recipe_.options.generation;
    if (const Node* own = row.value.find("generation")) {
      read.generation = parse_options<GenerationOptions>(*own, errors_, recipe_.options.generation,
                                                         path + ".generation");
    }
    const Node* fit = row.value.find("fit");
    if (fit && !fit->is_null() && fit != &name) {
      errors_.add(name.mark(), path + " has both `model` and `fit`",
                  "one of them; a profile or an override removes the other by `model: null`");
      return read;
    }
    const Component* model = registries_.models.find(name.text());
    if (!model) {
      errors_.add(name.mark(), registries_.models.unknown_message(name.text()),
                  registries_.models.known_message(name.text()));
      return read;
    }
    if (!check_kind(*model, row.value, name.mark())) return read;
    for (const char* key : {"train", "seeds", "validate_on", "init"}) {
      const auto* entry = row.value.find_entry(key);
      if (!model->is_fitted || !entry) continue;
      errors_.add(
          entry->key_mark,
          path + "." + key + ": the model '" + name.text() + "' is fitted once, not trained",
          "remove it");
    }
    const Node own = model_options(check_keys(row.value, model->about.schema, path, errors_));
    read.model = model->configure(own, errors_, path);
    if (!model->is_fitted) read_row_data(row, read);
    if (read.model) {
      if (is_trained && !model->is_fitted) {
        check_training(*read.model, read.train,
                       {own, recipe_.row_train(row.key), row.key_mark,
                        read.data.empty() ? nullptr : &read.data},
                       errors_);
      }
      read.inputs = given_models(row, *read.model);
    }
    if (model->capabilities == std::vector<std::string>{"embeds_sentences"}) {
      errors_.add(name.mark(), "the model '" + name.text() + "' embeds sentences and nothing else",
                  "name it as an input of a metric, such as the `encoder` of frechet");
    }
    return read;
  }

  /// What a row is trained and validated on, and where it begins.
  void read_row_data(const Node::Entry& row, CheckedRow& read) {
    const std::string path = "models." + row.key;
    for (const auto& [key, references] :
         {std::pair{"data", &read.data}, {"validate_on", &read.validate_on}}) {
      const Node* written = row.value.find(key);
      if (!written) continue;
      *references = read_stream_references(*written, errors_, path + "." + key);
      check_stream_references(*references, path + "." + key);
    }
    const Node* init = row.value.find("init");
    if (!init) return;
    read.init = parse_options<InitOptions>(*init, errors_, {}, path + ".init");
    KnownReferences known;
    for (const CheckedRow& above : rows_) {
      if (above.model) known.models.push_back(above.id);
    }
    const std::string problem = known.problem(read.init->from, ArtifactType::kModel);
    const Node* from = init->is_mapping() ? init->find("from") : nullptr;
    if (from && !problem.empty()) errors_.add(from->mark(), path + ".init.from: " + problem);
  }

  void check_stream_references(const StreamReferences& references, const std::string& path) {
    const KnownReferences known{text_references(splits_, {}), {}};
    for (const auto& [stream, sides] : references) {
      for (const auto& side : sides) {
        for (const Node& part : side) {
          const std::string problem = known.problem(part.text(), ArtifactType::kText);
          if (!problem.empty()) errors_.add(part.mark(), path + ": " + problem);
        }
      }
    }
  }

  static std::string label_of(const Node::Entry& row) {
    const Node* label = row.value.find("label");
    return label ? label->text() : row.key;
  }

  /// A row's training options; false if something is wrong with them. A mistake in the recipe's
  /// `train` is reported there and not for every row.
  bool read_row_train(const Node::Entry& row, TrainOptions& train) {
    const Node* own = row.value.find("train");
    const std::string path = "models." + row.key + ".train";
    const size_t before = errors_.count();
    if (!own) {
      train = train_;
    } else if (!train_is_right_) {
      parse_options<TrainOptions>(*own, errors_, {}, path);
    } else {
      const Node whole = recipe_.row_train(row.key);
      train = parse_train_options(whole, errors_, path);
      if (errors_.count() == before) check_stop(train, whole, row.key_mark, path, errors_);
    }
    return train_is_right_ && errors_.count() == before;
  }

  /// What a row's model is given: models, written in their place or of a row above, and texts.
  std::vector<CheckedInput> given_models(const Node::Entry& row, const Configured& model) {
    const Node* written = row.value.find("inputs");
    if (written && !written->is_mapping()) return {};  // reported with the recipe's shape
    KnownReferences known{text_references(splits_, {}), {}};
    for (const CheckedRow& above : rows_) {
      if (component_name(recipe_.row(above.id))) known.models.push_back(above.id);
    }
    const std::string path = "models." + row.key + ".inputs";
    const Node inputs = inputs_of(row.value);
    std::vector<CheckedInput> all = read_inputs(model, inputs, row.key_mark, known, path);
    for (const CheckedInput& input : all) {
      for (const auto& filling : input.fillings) {
        const auto* id = std::get_if<std::string>(&filling);
        if (id && input.decl.type == ArtifactType::kModel)
          check_row_above(input.decl, *id, inputs, row.key_mark, path);
      }
    }
    return all;
  }

  void check_row_above(const InputDecl& input, const std::string& id, const Node& inputs,
                       const Mark& mark, const std::string& path) {
    const auto above = std::find_if(rows_.begin(), rows_.end(),
                                    [&id](const CheckedRow& row) { return row.id == id; });
    if (above == rows_.end() || !above->model) return;  // reported already
    const std::string reason = misfit(input, *above->model->component);
    if (reason.empty()) return;
    const Node* written = inputs.find(input.name);
    errors_.add(written ? written->mark() : mark,
                path + "." + input.name + ": the model of " + id + " " + reason);
  }

  std::optional<CheckedMetric> read_metric(const Node::Entry& metric) {
    const std::string path = "evaluate." + metric.key;
    const MetricOptions options = parse_block<MetricOptions>(metric.value, errors_, path);
    const Component* evaluator = registries_.evaluators.find(options.evaluator);
    if (!evaluator) {
      if (const Node* name = metric.value.find("evaluator")) {
        errors_.add(name->mark(), registries_.evaluators.unknown_message(options.evaluator),
                    registries_.evaluators.known_message(options.evaluator));
      }
      return std::nullopt;
    }
    const auto configured = evaluator->configure(options.own, errors_, path);
    check_score(options.score, metric.value, *evaluator, path, errors_);
    if (!configured) return std::nullopt;
    const KnownReferences known{text_references(splits_, texts_), {"row.model"}};
    return CheckedMetric{
        metric.key, *configured, options.score,
        read_inputs(*configured, options.inputs, metric.key_mark, known, path + ".inputs")};
  }

  std::optional<CheckedFigure> read_figure(const Node::Entry& figure) {
    const std::string path = "figures." + figure.key;
    const FigureOptions options = parse_block<FigureOptions>(figure.value, errors_, path);
    const Component* kind = registries_.figures.find(options.figure);
    if (!kind) {
      if (const Node* name = figure.value.find("figure")) {
        errors_.add(name->mark(), registries_.figures.unknown_message(options.figure),
                    registries_.figures.known_message(options.figure));
      }
      return std::nullopt;
    }
    const auto configured = kind->configure(options.own, errors_, path);
    if (!configured) return std::nullopt;
    const KnownReferences known{text_references(splits_, texts_), {"row.model"}};
    return CheckedFigure{
        figure.key, options, *configured,
        read_inputs(*configured, options.inputs, figure.key_mark, known, path + ".inputs")};
  }

  /// The inputs of a component, as `written` fills them; `path` is theirs.
  std::vector<CheckedInput> read_inputs(const Configured& component, const Node& written,
                                        const Mark& mark, const KnownReferences& known,
                                        const std::string& path) {
    std::vector<std::string> names;
    for (const InputDecl& input : component.inputs) names.push_back(input.name);
    for (const Node::Entry& entry : written.entries()) {
      if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
      errors_.add(entry.key_mark,
                  component.component->about.name + " has no input '" + entry.key + "'",
                  names.empty() ? "it has none" : suggestion(entry.key, names));
    }
    std::vector<CheckedInput> all;
    for (const InputDecl& input : component.inputs) {
      const Node* given = written.find(input.name);
      all.push_back(read_input(input, given ? *given : Node(), mark, known, path));
    }
    return all;
  }

  CheckedInput read_input(const InputDecl& input, const Node& written, const Mark& mark,
                          const KnownReferences& known, const std::string& path) {
    CheckedInput read{.decl = input, .is_written = !written.is_null()};
    const Node filled = effective_input(input, written, registries_);
    const std::string place = path + "." + input.name;
    if (filled.is_null()) {
      if (input.type != ArtifactType::kText && input.arity == InputDecl::Arity::kOne) {
        errors_.add(mark, "missing key " + shown(place), input.help);
      }
    } else if (filled.is_sequence() && input.arity == InputDecl::Arity::kMany) {
      for (const Node& each : filled.items()) add_filling(each, mark, known, place, read);
    } else {
      add_filling(filled, mark, known, place, read);
    }
    return read;
  }

  /// A reference, or an inline component.
  void add_filling(const Node& filled, const Mark& mark, const KnownReferences& known,
                   const std::string& path, CheckedInput& to) {
    const Mark place = filled.mark().source ? filled.mark() : mark;
    const bool is_model = to.decl.type == ArtifactType::kModel;
    if (filled.is_mapping() && (filled.find("infer") || filled.find("fit"))) {
      if (auto inlined = read_inline(to.decl, filled, place, known, path)) {
        to.fillings.emplace_back(std::move(inlined));
      }
      return;
    }
    if (filled.is_mapping() && is_model) {
      auto model = read_inline_model(to.decl, filled, train_, place, registries_, errors_, path);
      if (model) to.fillings.emplace_back(std::move(*model));
      return;
    }
    if (filled.is_mapping()) {
      return errors_.add(
          place,
          path + " is " + type_name(to.decl.type) + ", and no model can be written in its place",
          "a reference such as data.test or row.samples, or {infer: NAME}");
    }
    if (!filled.is_scalar()) return errors_.add(place, path + " is a reference or a component");
    const std::string problem = known.problem(filled.text(), to.decl.type);
    if (!problem.empty()) return errors_.add(place, path + ": " + problem);
    to.fillings.emplace_back(filled.text());
  }

  /// `{infer: NAME}` or `{fit: NAME}`; none with a mistake in the errors.
  std::shared_ptr<const InlineComponent> read_inline(const InputDecl& input, const Node& written,
                                                     const Mark& mark, const KnownReferences& known,
                                                     const std::string& path) {
    const bool infers = written.find("infer") != nullptr;
    const Node& name = *written.find(infers ? "infer" : "fit");
    const Mark place = name.mark().source ? name.mark() : mark;
    const auto& registry = infers ? registries_.inference : registries_.models;
    const Component* component = registry.find(name.text());
    if (!component) {
      errors_.add(place, registry.unknown_message(name.text()),
                  registry.known_message(name.text()));
      return nullptr;
    }
    if (!infers && !check_kind(*component, written, place)) return nullptr;
    const ArtifactType gives = infers ? component->gives : ArtifactType::kModel;
    std::string reason = infers ? "" : misfit(input, *component);
    if (gives != input.type) {
      reason =
          "leaves " + type_name(gives) + ", and " + input.name + " is " + type_name(input.type);
    }
    if (!reason.empty()) {
      errors_.add(place, path + ": " + name.text() + " " + reason);
      return nullptr;
    }
    const Node own = written.without("infer").without("fit").without("inputs").without("data");
    const auto configured = component->configure(own, errors_, path);
    if (!configured) return nullptr;
    return std::make_shared<const InlineComponent>(InlineComponent{
        *configured, read_inputs(*configured, inputs_of(written), mark, known, path + ".inputs")});
  }

  /// Whether a model is named by the right key: `fit` if its tensors are computed at once.
  bool check_kind(const Component& model, const Node& entry, const Mark& mark) {
    if (model.is_fitted == (component_name(entry) == entry.find("fit"))) return true;
    errors_.add(mark,
                "the model " + shown(model.about.name) + " is " +
                    (model.is_fitted ? "fitted, not trained" : "trained, not fitted"),
                std::string("write it as `") + (model.is_fitted ? "fit: " : "model: ") +
                    model.about.name + "`");
    return false;
  }

  /// The `inputs` of an entry, of one that is fitted with its `data` as the input of that name.
  static Node inputs_of(const Node& entry) {
    const Node* inputs = entry.find("inputs");
    const Node::Entry* data = entry.find("model") ? nullptr : entry.find_entry("data");
    const Node all = inputs && inputs->is_mapping() ? *inputs : Node::mapping({});
    return data ? all.with(*data) : all;
  }

  const Recipe& recipe_;
  const Registries& registries_;
  Errors& errors_;
  std::vector<std::string> texts_;   // that a row may have
  std::vector<std::string> splits_;  // of the recipe's data
  TrainOptions train_;               // the recipe's
  bool train_is_right_ = false;
  std::vector<CheckedRow> rows_;  // above the one that is read
};

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

CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries, Errors& errors) {
  CheckedRecipe checked = Checker(recipe, registries, errors).check();
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
  return checked;
}

CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries) {
  Errors errors;
  CheckedRecipe checked = check_recipe(recipe, registries, errors);
  errors.throw_if_any();
  return checked;
}

}  // namespace lvtext
