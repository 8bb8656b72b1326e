#include "framework/pipeline/experiment/checked_recipe.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "framework/core/base/registry.h"
#include "framework/core/base/strings.h"
#include "framework/core/data/manifest.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/experiment/usual_inputs.h"
#include "framework/pipeline/figures/figure_kind.h"
#include "framework/pipeline/nodes/node_parts.h"
#include "framework/pipeline/rating/sheet_kind.h"

namespace lvtext {
namespace {

/// Value of `among` and `across` for the kept checkpoints of each row.
constexpr const char* kCheckpoints = "checkpoints";

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
    // The model's own check reports its keys in more detail: type and default.
    if (near && std::find(own.begin(), own.end(), *near) != own.end()) continue;
    errors.add(entry.key_location, "unknown key '" + path + "." + entry.key + "'",
               near ? "did you mean '" + *near + "'?"
                    : "allowed: " + join(kRowKeys) +
                          (own.empty() ? "" : ", and the model's " + join(own)));
    known = known.without(entry.key);
  }
  return known;
}

/// A time gives no number of updates, which schedules are scaled by. `written`: the node that
/// `train` was parsed from.
void check_stop(const TrainOptions& train, const Node& written, const SourceLocation& location,
                const std::string& path, Errors& errors) {
  if (!train.schedule_length) return;
  for (const Period& period : train.stop.any) {
    if (period.unit != Period::Unit::kSeconds) continue;
    const Node* stop = written.find("stop");
    errors.add(stop ? stop->location() : location,
               "'" + path +
                   ".stop' is a time, and train.schedule_length scales schedules to a number "
                   "of updates",
               "stop after updates, epochs or tokens, or leave schedule_length out");
  }
}

void check_score(const std::string& score, const Node& metric, const Component& evaluator,
                 const std::string& path, Errors& errors) {
  const Node* written = metric.find("score");
  if (!written || score.empty()) return;
  const auto& known = evaluator.scores;
  if (std::find(known.begin(), known.end(), score) != known.end()) return;
  errors.add(written->location(),
             path + ".score: " + evaluator.about.name + " gives no score '" + score + "'",
             suggestion(score, known));
}

/// What any row may have: what is generated, and what evaluators and figures ask for.
std::vector<std::string> row_names(const Recipe& recipe, const Registries& registries) {
  std::vector<std::string> names = generated_texts(registries);
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto* registry : {&registries.evaluators, &registries.figures}) {
    for (const auto& name : registry->names()) {
      for (const InputDecl& input : usual_inputs(registry->get(name))) {
        if (input.type != ArtifactType::kModel) add(input.name);
      }
    }
  }
  for (const Node::Entry& entry : recipe.options.generation.entries()) add(entry.key);
  return names;
}

/// What the recipe names as `row.NAME`.
std::vector<std::string> named_of_rows(const Recipe& recipe) {
  std::vector<std::string> names;
  for (const std::string section :
       {"rows", "evaluate", "generation", "figures", "sheets", "select"}) {
    const Node* tree = recipe.tree.find(section);
    if (!tree) continue;
    // In figures and sheets a bare name means that of each row.
    const bool has_names = section == "figures" || section == "sheets";
    tree->with_scalars([&](const Node& scalar) {
      const auto reference = parse_reference(scalar.text());
      if (!reference) return scalar;
      if (reference->id == "row") {
        names.push_back(reference->part.substr(0, reference->part.find('.')));
      }
      if (has_names && reference->text() == reference->id) names.push_back(reference->id);
      return scalar;
    });
  }
  return names;
}

/// The names of further splits, which are names of files.
void check_split_names(const Node& data, Errors& errors) {
  for (const char* key : {"extra", "shares"}) {
    const Node* splits = data.find(key);
    if (!splits) continue;
    for (const Node::Entry& split : splits->entries()) {
      const bool is_taken = split.key == "train" || split.key == "valid" || split.key == "test";
      if (!is_taken && is_lower_snake(split.key)) continue;
      errors.add(split.key_location,
                 std::string("data.") + key + " cannot name a split " + shown(split.key),
                 is_taken ? "the set has one of this name" : "lower_snake, such as reverse");
    }
  }
}

/// Checks the set and its fields by name; the contents of files are checked when they are read.
void check_data(const Node& data, const DataOptions& options, Errors& errors) {
  check_split_names(data, errors);
  if (!options.train.empty()) return;
  const auto folders = manifest_folders();
  const auto names = manifest_names(folders);
  const auto refuse = [&](const char* key, const std::string& what, const std::string& given,
                          const std::vector<std::string>& known) {
    const Node* written = data.find(key);
    errors.add(written ? written->location() : data.location(),
               "unknown " + what + " '" + given + "'", suggestion(given, known));
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

/// The key of an entry that names its component; nullptr: none does.
const Node::Entry* component_key(const Node& entry) {
  for (const char* key : {"infer", "import", "model", "fit"}) {
    const Node::Entry* found = entry.find_entry(key);
    if (found && !found->value.is_null()) return found;
  }
  return nullptr;
}

/// A tokenizer's fit as an option.
struct FitOptions {
  Choice<TokenizerFit> tokenizer;

  template <class V>
  void visit(V& v) {
    v.field("tokenizer", tokenizer, "how text becomes tokens");
  }
};

/// Reads what belongs to a recipe's components.
class Checker {
 public:
  Checker(const Recipe& recipe, const Registries& registries, Errors& errors)
      : recipe_(recipe),
        registries_(registries),
        errors_(errors),
        row_names_(row_names(recipe, registries)),
        asked_(row_names_) {
    const auto mentioned = named_of_rows(recipe);
    asked_.insert(asked_.end(), mentioned.begin(), mentioned.end());
    for (const auto& name : registries.inference.names()) {
      for (const InputDecl& input : usual_inputs(registries.inference.get(name))) {
        asked_.push_back(input.name);
      }
    }
    for (const Node::Entry& row : recipe.options.rows.entries()) {
      for (const Node::Entry& filler : row.value.entries()) {
        const bool is_new =
            std::find(row_names_.begin(), row_names_.end(), filler.key) == row_names_.end();
        const bool is_text = filler.key != "label" && filler.key != "model";
        if (is_new && is_text) row_names_.push_back(filler.key);
      }
    }
  }

  CheckedRecipe check() {
    checked_.recipe = recipe_;
    read_data();
    read_train();
    add_names();
    for (const char* section : {"artifacts", "models"}) read_entries(section);
    check_model_defaults();
    read_rows();
    for (const Node::Entry& metric : recipe_.options.evaluate.entries()) {
      if (auto read = read_metric(metric)) checked_.metrics.push_back(std::move(*read));
    }
    for (const Node::Entry& select : recipe_.options.select.entries()) read_select(select);
    for (const Node::Entry& figure : recipe_.options.figures.entries()) {
      if (auto read = read_figure(figure)) checked_.figures.push_back(std::move(*read));
    }
    read_sheets();
    report_unasked();
    return std::move(checked_);
  }

 private:
  /// Fillers that nothing asks for; not where what asks for them may be what has a mistake.
  void report_unasked() {
    if (!errors_.empty()) return;
    for (const auto& [path, name, location] : unasked_) {
      errors_.add(location, path + ": no metric asks for a text of this name",
                  suggestion(name, asked_));
    }
  }

  // Names

  void read_data() {
    const Node& written = recipe_.options.data;
    if (is_one_data_set(written))
      return read_data_set({"data", written, written.location()}, "data");
    for (const Node::Entry& entry : written.entries()) {
      if (!entry.value.find("from")) read_data_set(entry, "data." + entry.key);
    }
    read_derived_sets(written);
    std::stable_sort(checked_.data.begin(), checked_.data.end(),
                     [&](const CheckedData& a, const CheckedData& b) {
                       return written.find_entry(a.id) < written.find_entry(b.id);
                     });
  }

  void read_data_set(const Node::Entry& entry, const std::string& path) {
    CheckedData data{.id = entry.key};
    Node written = entry.value;
    const Node* tokenizer = written.find("tokenizer");
    if (tokenizer && tokenizer->is_scalar() && fits_tokenizer(tokenizer->text())) {
      data.tokenizer = tokenizer->text();
      written = written.without("tokenizer");
    }
    data.block = parse_options<DataBlock>(written, errors_, {}, path);
    const size_t before = errors_.count();
    check_data(entry.value, data.block.source, errors_);
    if (errors_.count() != before) unknown_sets_.insert(entry.key);
    data.splits = split_names(data.block.source);
    checked_.data.push_back(std::move(data));
  }

  /// Sets of other sets' records, each after the one that it takes them from.
  void read_derived_sets(const Node& written) {
    std::vector<Node::Entry> waiting;
    for (const Node::Entry& entry : written.entries()) {
      if (entry.value.find("from")) waiting.push_back(entry);
    }
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (size_t i = 0; i < waiting.size(); ++i) {
        const CheckedData* parent = data_set(waiting[i].value.find("from")->text());
        if (!parent) continue;
        CheckedData data{.id = waiting[i].key, .splits = parent->splits};
        data.derived =
            parse_options<DerivedBlock>(waiting[i].value, errors_, {}, "data." + waiting[i].key);
        check_columns(waiting[i], *parent);
        checked_.data.push_back(std::move(data));
        waiting.erase(waiting.begin() + static_cast<long>(i));
        is_new = true;
        break;
      }
    }
    for (const Node::Entry& entry : waiting) {
      const Node& from = *entry.value.find("from");
      const bool is_there = written.find(from.text()) != nullptr;
      errors_.add(from.location(),
                  "data." + entry.key + ".from: " +
                      (is_there ? "the data sets are derived from each other in a cycle"
                                : shown(from.text()) + " is not a data set of this recipe"),
                  is_there ? "" : suggestion(from.text(), keys_of(written)));
    }
  }

  /// The columns of another set that a data set names.
  void check_columns(const Node::Entry& entry, const CheckedData& parent) {
    const auto known = columns_of(parent);
    if (known.empty()) return;
    const auto check = [&](const Node& name, const SourceLocation& location,
                           const std::string& key) {
      if (std::find(known.begin(), known.end(), name.text()) != known.end()) return;
      errors_.add(location,
                  "data." + entry.key + "." + key + ": " + parent.id + " has no column " +
                      shown(name.text()),
                  suggestion(name.text(), known));
    };
    if (const Node* flatten = entry.value.find("flatten")) {
      check(*flatten, flatten->location(), "flatten");
    }
    if (const Node* columns = entry.value.find("columns")) {
      for (const Node& column : columns->items()) check(column, column.location(), "columns");
    }
    const Node* where = entry.value.find("where");
    for (const Node::Entry& condition : where ? where->entries() : std::vector<Node::Entry>()) {
      check(Node::scalar(condition.key), condition.key_location, "where");
    }
  }

  /// Whether an artifact of this id is a tokenizer.
  bool fits_tokenizer(const std::string& id) const {
    const Node* artifact = recipe_.options.artifacts.find(id);
    const Node* fit = artifact ? artifact->find("fit") : nullptr;
    if (!fit) return false;
    const auto names = TokenizerFit::components().names();
    return std::find(names.begin(), names.end(), fit->text()) != names.end();
  }

  void read_tokenizer(const Node::Entry& entry) {
    const std::string path = "artifacts." + entry.key;
    const Node type = Node(*entry.value.find("fit"));
    const Node* data = entry.value.find("data");
    CheckedTokenizer read{.id = entry.key};
    const Node own =
        entry.value.without("fit").without("data").with({"type", type, entry.key_location});
    read.fit = parse_options<FitOptions>(Node::mapping({{"tokenizer", own, {}}}), errors_, {}, path)
                   .tokenizer;
    if (!read.fit) return;
    if (!data && read.fit->given_file().empty()) {
      errors_.add(entry.key_location, path + ".data is missing: the text that it is fitted to",
                  "a split, such as news.train");
      return;
    }
    if (data) {
      const auto named =
          look_up(*data, data->location(), ArtifactType::kText, false, path + ".data");
      if (named.size() != 1) return;
      if (named[0].of != KnownReference::Of::kData) {
        errors_.add(data->location(),
                    path + ".data: a tokenizer is fitted to records of a data set");
        return;
      }
      read.data = named[0];
    }
    checked_.tokenizers.push_back(std::move(read));
  }

  void read_train() {
    const size_t before = errors_.count();
    const Node written = recipe_.options.train.without("seeds");
    checked_.train = parse_train_options(written, errors_, "train");
    train_is_right_ = errors_.count() == before;
    if (!train_is_right_) return;
    check_stop(checked_.train, recipe_.options.train, recipe_.options.train.location(), "train",
               errors_);
  }

  /// Data, artifacts, models and metrics have one namespace.
  void add_names() {
    for (const CheckedData& data : checked_.data) add_name(data.id, "data", SourceLocation{});
    for (const char* section : {"artifacts", "models", "evaluate", "select"}) {
      const Node* entries = recipe_.tree.find(section);
      if (!entries) continue;
      for (const Node::Entry& entry : entries->entries()) {
        const Node::Entry* key = component_key(entry.value);
        if (std::string_view(section) == "models" && !key) continue;  // a row of given texts
        add_name(entry.key, section, entry.key_location);
        if (fits_tokenizer(entry.key)) continue;
        const std::string_view of = section;
        if ((of == "artifacts" || of == "models") && key) {
          const auto& registry = key->key == "infer" ? registries_.inference : registries_.models;
          components_[entry.key] = registry.find(key->value.text());
        }
      }
    }
    for (const auto& [id, reason] : recipe_.removed) names_.add_removed(id, reason);
  }

  void add_name(const std::string& id, const std::string& section, const SourceLocation& location) {
    const auto [known, is_new] = sections_.emplace(id, section);
    if (!is_new) {
      errors_.add(location,
                  "the id " + shown(id) + " is used in " + known->second + " and in " + section,
                  "references would be ambiguous; rename one of them");
    }
    names_.add(id);
  }

  const CheckedData* data_set(const std::string& id) const {
    for (const CheckedData& data : checked_.data) {
      if (data.id == id) return &data;
    }
    return nullptr;
  }

  // References

  /// Looks a reference up; every mistake goes to the errors, at the reference's place.
  std::vector<KnownReference> look_up(const Node& written, const SourceLocation& location,
                                      ArtifactType type, bool of_row, const std::string& path) {
    const auto wrong = [&](const std::string& problem) {
      errors_.add(location, path + ": " + problem);
      return std::vector<KnownReference>();
    };
    const std::string& text = written.text();
    const auto reference = parse_reference(text);
    const bool is_model = type == ArtifactType::kModel;
    const char* what = is_model                         ? "model"
                       : type == ArtifactType::kScores  ? "metric"
                       : type == ArtifactType::kDataset ? "dataset"
                                                        : "text";
    const std::string no_such = shown(text) + " is no " + what + " that can be named here; ";
    if (!reference) return wrong(no_such + what_there_is(text, type, of_row));
    if (reference->id == "row") {
      const size_t point = reference->part.find('.');
      const std::string name = reference->part.substr(0, point);
      const std::string rest = point == std::string::npos ? "" : reference->part.substr(point + 1);
      const bool is_known = name == "model" ? is_model && rest.empty()
                                            : std::find(row_names_.begin(), row_names_.end(),
                                                        name) != row_names_.end();
      if (!of_row || !is_known) return wrong(no_such + what_there_is(text, type, of_row));
      return {{KnownReference::Of::kRow, "", name, "", rest}};
    }
    if (reference->id == "data" && !sections_.contains("data"))
      return wrong(no_such + one_data_set());
    const bool known_id = std::any_of(sections_.begin(), sections_.end(), [&](const auto& entry) {
      return parse_entry_id(entry.first).value_or(EntryId{}).id == reference->id;
    });
    if (!known_id && !names_has_removed(reference->id)) {
      return wrong(no_such + what_there_is(text, type, of_row));
    }
    const Named named = names_.match(*reference);
    if (!named.problem.empty()) {
      errors_.add(location, path + ": " + named.problem, named.hint);
      return {};
    }
    std::vector<KnownReference> found;
    for (const auto& reason : named.removed)
      found.push_back({KnownReference::Of::kEntry, "", "", reason});
    for (const auto& id : named.ids) {
      if (auto one = known(id, *reference, type, location, path, no_such, of_row))
        found.push_back(*one);
    }
    return found;
  }

  bool names_has_removed(const std::string& id) const {
    return std::any_of(recipe_.removed.begin(), recipe_.removed.end(), [&id](const auto& entry) {
      return parse_entry_id(entry.first).value_or(EntryId{}).id == id;
    });
  }

  std::string one_data_set() const {
    std::vector<std::string> ids;
    for (const CheckedData& data : checked_.data) ids.push_back(data.id);
    return "the recipe has several data sets: name one of " + join(ids);
  }

  /// What a reference of this type could be here.
  std::string what_there_is(const std::string& text, ArtifactType type, bool of_row) const {
    std::vector<std::string> all;
    if (type == ArtifactType::kScores) {
      all = keys_of(recipe_.options.evaluate);
    } else if (type == ArtifactType::kModel) {
      if (of_row) all.push_back("row.model");
      for (const auto& [id, component] : components_) {
        if (component && recipe_section(id) != "infer") all.push_back(id);
      }
    } else {
      for (const CheckedData& data : checked_.data) {
        for (const auto& split : data.splits) all.push_back(data.id + "." + split);
      }
      for (const auto& name : row_names_) {
        if (of_row) all.push_back("row." + name);
      }
    }
    return all.empty() ? "there is none" : suggestion(text, all);
  }

  /// "infer" for inference, else the section.
  std::string recipe_section(const std::string& id) const {
    const Node* entry = entry_node(id);
    return entry && entry->find("infer") ? "infer" : sections_.at(id);
  }

  const Node* entry_node(const std::string& id) const {
    for (const char* section : {"artifacts", "models"}) {
      const Node* entries = recipe_.tree.find(section);
      const Node* entry = entries ? entries->find(id) : nullptr;
      if (entry) return entry;
    }
    return nullptr;
  }

  std::optional<KnownReference> known(const std::string& id, const Reference& reference,
                                      ArtifactType type, const SourceLocation& location,
                                      const std::string& path, const std::string& no_such,
                                      bool of_row) {
    const std::string& section = sections_.at(id);
    if (section == "data") {
      const CheckedData& data = *data_set(id);
      if (unknown_sets_.contains(id)) return std::nullopt;  // its contents are unknown
      const auto [split, column] = part_of(data, reference.part);
      if (takes_whole_sets_ && split.empty() && reference.part.empty()) {
        return KnownReference{KnownReference::Of::kData, id, "", ""};
      }
      if ((type != ArtifactType::kText && type != ArtifactType::kDataset) || split.empty()) {
        errors_.add(location,
                    path + ": " + no_such + what_there_is(reference.text(), type, of_row));
        return std::nullopt;
      }
      return KnownReference{KnownReference::Of::kData, id, split, "", column};
    }
    if ((section == "evaluate") != (type == ArtifactType::kScores)) {
      errors_.add(location, path + ": " + no_such + what_there_is(reference.text(), type, of_row));
      return std::nullopt;
    }
    if (section == "evaluate") {
      const Node* name = recipe_.options.evaluate.find(id)->find("evaluator");
      const Component* evaluator = name ? registries_.evaluators.find(name->text()) : nullptr;
      if (!evaluator) return std::nullopt;  // reported
      const auto& scores = evaluator->scores;
      const bool has_score = reference.part.empty() || std::find(scores.begin(), scores.end(),
                                                                 reference.part) != scores.end();
      if (!has_score) {
        errors_.add(
            location,
            path + ": " + evaluator->about.name + " gives no score '" + reference.part + "'",
            suggestion(reference.part, scores));
        return std::nullopt;
      }
      return KnownReference{KnownReference::Of::kMetric, id, reference.part, ""};
    }
    if (section == "select") {
      if (chooses_checkpoints(id)) {
        errors_.add(
            location,
            path + ": " + shown(id) + " selects a kept checkpoint and cannot be used as a row",
            "write MODEL@" + id + " for the model at the selected checkpoint");
        return std::nullopt;
      }
      const std::string part = reference.part.empty() ? "model" : reference.part;
      return KnownReference{KnownReference::Of::kSelect, id, part, ""};
    }
    const auto found = components_.find(id);
    if (found == components_.end() && fits_tokenizer(id)) {
      errors_.add(location, path + ": " + shown(id) + " is a tokenizer, and " + type_name(type) +
                                " is required");
      return std::nullopt;
    }
    if (found == components_.end()) {
      errors_.add(location, path + ": " + no_such + what_there_is(reference.text(), type, of_row));
      return std::nullopt;
    }
    const Component* component = found->second;
    if (!component) return std::nullopt;  // its own mistake is reported
    const bool infers = recipe_section(id) == "infer";
    const ArtifactType gives = infers ? component->gives : ArtifactType::kModel;
    // A text is a column of a dataset, and columns of datasets can be texts.
    const bool is_text_or_dataset =
        (gives == ArtifactType::kText || gives == ArtifactType::kDataset) &&
        (type == ArtifactType::kText || type == ArtifactType::kDataset);
    const auto refuse_type = [&]() -> std::optional<KnownReference> {
      errors_.add(location, path + ": " + shown(id) + " is " + type_name(gives) + ", and " +
                                type_name(type) + " is required");
      return std::nullopt;
    };
    if (gives != type && !is_text_or_dataset) return refuse_type();
    if (!reference.at.empty() && !check_checkpoint(id, reference, infers, location, path)) {
      return std::nullopt;
    }
    KnownReference named{KnownReference::Of::kEntry, id, "", "", "", reference.at};
    if (!read_entry_part(reference, infers, location, path, named)) return std::nullopt;
    const bool is_column = !named.column.empty();
    if (gives != type && type != ArtifactType::kDataset && !is_column) return refuse_type();
    return named;
  }

  /// The split and the part of an entry that a reference names.
  bool read_entry_part(const Reference& reference, bool infers, const SourceLocation& location,
                       const std::string& path, KnownReference& named) {
    const auto wrong = [&](const std::string& problem, const std::string& hint) {
      errors_.add(location, path + ": " + problem, hint);
      return false;
    };
    const auto splits = infers ? whole_splits(named.id) : std::vector<std::string>();
    std::string rest = reference.part;
    const std::string first = rest.substr(0, rest.find('.'));
    if (std::find(splits.begin(), splits.end(), first) != splits.end()) {
      named.part = first;
      rest = rest.size() > first.size() ? rest.substr(first.size() + 1) : "";
    } else if (splits.size() == 1) {
      named.part = splits.front();
    }
    if (!splits.empty() && named.part.empty() && (!takes_whole_sets_ || !rest.empty())) {
      return rest.empty() ? wrong(shown(reference.text()) + " has the splits " + join(splits),
                                  "name one, such as " + named.id + "." + splits.back())
                          : wrong(shown(reference.text()) + " names no split of " + named.id,
                                  suggestion(first, splits));
    }
    const std::vector<NamedPart> parts = infers ? parts_of(named.id) : std::vector<NamedPart>();
    if (!parts.empty()) return name_part(reference, rest, parts, location, path, named);
    if (infers && components_.at(named.id)->parts_option.empty()) named.column = rest;
    if (rest.empty() || infers) return true;
    return wrong(named.id + " is a model and has no part " + shown(rest), "name it as " + named.id);
  }

  /// The named parts that an entry of inference asks for; none if its options are wrong, which is
  /// reported there.
  std::vector<NamedPart> parts_of(const std::string& id) const {
    const Component& component = *components_.at(id);
    if (component.parts_option.empty()) return {};
    Errors reported_elsewhere;
    const auto configured = component.configure(model_options(entry_node(id)->without("infer")),
                                                reported_elsewhere, "");
    return configured ? configured->parts : std::vector<NamedPart>();
  }

  bool name_part(const Reference& reference, const std::string& rest,
                 const std::vector<NamedPart>& parts, const SourceLocation& location,
                 const std::string& path, KnownReference& named) {
    std::vector<std::string> ids;
    for (const NamedPart& part : parts) {
      ids.push_back(part.id);
      if (part.id == rest) named.named_part = part.key;
    }
    if (!named.named_part.empty()) return true;
    errors_.add(location,
                path + ": " + shown(reference.text()) +
                    (rest.empty() ? " leaves several parts" : " names no part of " + named.id),
                rest.empty()
                    ? "name one, such as " + named.id + "." + ids.front() + ": " + join(ids)
                    : suggestion(rest, ids));
    return false;
  }

  /// The splits for each of which an entry of inference runs: those of a data set that it names as
  /// a whole, or of another such entry. Empty: it runs once.
  std::vector<std::string> whole_splits(const std::string& id) {
    if (!in_whole_splits_.insert(id).second) return {};  // in a circle, which the resolver reports
    std::vector<std::string> splits;
    const auto add = [&](const Node& scalar) {
      const auto reference = parse_reference(scalar.text());
      if (!reference || !reference->part.empty() || !splits.empty()) return scalar;
      const std::string named = reference->entry();
      if (const CheckedData* data = data_set(named)) {
        if (data->splits.size() > 1) splits = data->splits;
      } else if (const Node* other = entry_node(named); other && other->find("infer")) {
        splits = whole_splits(named);
      }
      return scalar;
    };
    const Node* entry = entry_node(id);
    for (const char* key : {"data", "inputs"}) {
      const Node* written = entry->find(key);
      if (!written) continue;
      const std::vector<Node::Entry> inputs = written->is_mapping()
                                                  ? written->entries()
                                                  : std::vector<Node::Entry>{{key, *written, {}}};
      for (const Node::Entry& input : inputs) {
        // Values in an inline component belong to that component.
        if (!input.value.is_mapping()) input.value.with_scalars(add);
      }
    }
    in_whole_splits_.erase(id);
    return splits;
  }

  /// Whether `@` names weights of a training.
  bool check_checkpoint(const std::string& id, const Reference& reference, bool infers,
                        const SourceLocation& location, const std::string& path) {
    const std::string& at = reference.at;
    const bool is_trained = !infers && !components_.at(id)->is_fitted;
    const bool is_select = chooses_checkpoints(at);
    const bool is_known = at == "last" || at == "best" || at.starts_with("step:") || is_select;
    if (!is_known || !is_trained) {
      std::vector<std::string> selects;
      for (const Node::Entry& each : recipe_.options.select.entries()) {
        if (chooses_checkpoints(each.key)) selects.push_back("@" + each.key);
      }
      errors_.add(location,
                  path + ": " + shown(reference.text()) +
                      (is_trained ? ": unknown weights " + shown(at)
                                  : ": " + id + " is not trained and keeps no checkpoints"),
                  is_trained ? "@last, @best or @step:N" +
                                   (selects.empty() ? ""
                                                    : ", or what a select among checkpoints "
                                                      "chose: " +
                                                          join(selects))
                             : "");
      return false;
    }
    if (!is_select) return true;
    const std::vector<std::string> rows = rows_of_model(id);
    if (rows.size() == 1) return true;
    errors_.add(location,
                path + ": " + shown(reference.text()) + ": " + shown(at) +
                    " chooses a checkpoint for each row, and " +
                    (rows.empty() ? "no row has the model " + id
                                  : "several rows have the model " + id + ": " + join(rows)));
    return false;
  }

  /// Whether this is a select among kept checkpoints.
  bool chooses_checkpoints(const std::string& id) const {
    const Node* select = recipe_.options.select.find(id);
    const Node* among = select ? select->find("among") : nullptr;
    return among && among->is_scalar() && among->text() == kCheckpoints;
  }

  /// The rows whose model is this entry.
  std::vector<std::string> rows_of_model(const std::string& id) const {
    if (recipe_.options.rows.entries().empty()) {
      return recipe_.options.models.find(id) ? std::vector{id} : std::vector<std::string>();
    }
    std::vector<std::string> rows;
    for (const Node::Entry& row : recipe_.options.rows.entries()) {
      const Node* model = row.value.find("model");
      if (model && model->is_scalar() && model->text() == id) rows.push_back(row.key);
    }
    return rows;
  }

  /// The split and the column that a part of a data set names; no split if it names none.
  std::pair<std::string, std::string> part_of(const CheckedData& data,
                                              const std::string& part) const {
    const auto is_split = [&data](const std::string& name) {
      return std::find(data.splits.begin(), data.splits.end(), name) != data.splits.end();
    };
    const std::string only = data.splits.size() == 1 ? data.splits.front() : "";
    if (part.empty()) return {only, ""};
    if (is_split(part)) return {part, ""};
    const size_t point = part.find('.');
    const std::string first = part.substr(0, point);
    const bool names_split = point != std::string::npos && is_split(first);
    const std::string split = names_split ? first : only;
    const std::string column = names_split ? part.substr(point + 1) : part;
    const auto known = columns_of(data);
    const bool is_column =
        known.empty() || std::find(known.begin(), known.end(), column) != known.end();
    return is_column ? std::pair{split, column} : std::pair{std::string(), std::string()};
  }

  /// The columns of a set's records; empty if only its files determine them.
  std::vector<std::string> columns_of(const CheckedData& data) const {
    if (data.derived) {
      if (!data.derived->records.columns.empty()) return data.derived->records.columns;
      const CheckedData* parent = data_set(data.derived->from);
      return parent ? columns_of(*parent) : std::vector<std::string>();
    }
    const DataOptions& options = data.block.source;
    if (!options.fields.empty() || !options.train.empty()) return options.fields;
    const auto folders = manifest_folders();
    const auto names = manifest_names(folders);
    if (std::find(names.begin(), names.end(), options.set) == names.end()) return {};
    return load_manifest(options.set, folders).fields;
  }

  // Entries

  void read_entries(const std::string& section) {
    const Node* entries = recipe_.tree.find(section);
    if (!entries) return;
    for (const Node::Entry& entry : entries->entries()) {
      if (!component_key(entry.value)) continue;
      if (section == "artifacts" && fits_tokenizer(entry.key)) {
        read_tokenizer(entry);
        continue;
      }
      if (auto read = read_entry(section, entry)) {
        checked_.entries.push_back(std::make_shared<const CheckedEntry>(std::move(*read)));
      }
    }
  }

  std::optional<CheckedEntry> read_entry(const std::string& section, const Node::Entry& entry) {
    const std::string path = section + "." + entry.key;
    const Node::Entry& key = *component_key(entry.value);
    CheckedEntry read{.id = entry.key,
                      .label = label_of(entry),
                      .is_model = section == "models",
                      .seeds = seeds_of(recipe_.options, entry.value)};
    const Node* fit = entry.value.find("fit");
    if (key.key == "model" && fit && !fit->is_null()) {
      errors_.add(key.value.location(), path + " has both `model` and `fit`",
                  "one of them; a profile or an override removes the other by `model: null`");
      return std::nullopt;
    }
    const bool infers = key.key == "infer";
    if (key.key == "import") return read_imported(entry, std::move(read));
    const size_t before = errors_.count();
    const bool is_trained = read_entry_train(entry, path, read);
    const auto& registry = infers ? registries_.inference : registries_.models;
    const Component* component = registry.find(key.value.text());
    if (!component) {
      errors_.add(key.value.location(), registry.unknown_message(key.value.text()),
                  registry.known_message(key.value.text()));
      return std::nullopt;
    }
    if (!infers && !check_kind(*component, entry.value, key.value.location())) return std::nullopt;
    const bool trains = !infers && !component->is_fitted;
    for (const char* name : {"train", "validate_on", "init"}) {
      const auto* given = entry.value.find_entry(name);
      if (trains || !given) continue;
      errors_.add(given->key_location,
                  path + "." + name + ": " +
                      (infers ? "inference is not trained"
                              : "the model '" + key.value.text() + "' is fitted once, not trained"),
                  "remove it");
    }
    const Node known = infers ? entry.value.without("infer")
                              : check_keys(entry.value, component->about.schema, path, errors_);
    const bool has_defaults = read.is_model && !infers;
    const Schema& schema = component->about.schema;
    const Node own = has_defaults
                         ? with_model_defaults(recipe_.options, model_options(known), schema)
                         : model_options(known);
    for (const FieldSchema& field : schema.fields) {
      if (has_defaults) used_defaults_.insert(field.key);
    }
    const auto configured = component->configure(own, errors_, path);
    if (trains) read_streams(entry, path, read);
    if (!configured) return std::nullopt;
    read.component = *configured;
    if (is_trained && trains) {
      check_training(*configured, read.train,
                     {own, written_train(section, entry), entry.key_location,
                      read.data.empty() ? nullptr : &read.data},
                     errors_);
    }
    takes_whole_sets_ = infers;
    read.inputs = read_inputs(*configured, inputs_of(*configured, entry.value, trains),
                              entry.key_location, /*of_row=*/false, path + ".inputs");
    takes_whole_sets_ = false;
    if (infers) read.splits = whole_splits(entry.key);
    check_whole_sets(read, entry, path);
    check_named_models(read, entry, path + ".inputs");
    if (component->capabilities == std::vector<std::string>{"sentence_embedder"} && read.is_model) {
      errors_.add(key.value.location(),
                  "the model '" + key.value.text() + "' embeds sentences and nothing else",
                  "name it as an input of a metric, such as the `encoder` of frechet");
    }
    return errors_.count() == before ? std::optional(std::move(read)) : std::nullopt;
  }

  /// `{import: NAME, weights: FILE, data: {tokenizer: ...}}`.
  std::optional<CheckedEntry> read_imported(const Node::Entry& entry, CheckedEntry read) {
    const InputDecl any{.name = entry.key, .type = ArtifactType::kModel};
    auto model =
        read_inline_model(any, entry.value.without("label"), checked_.train, entry.key_location,
                          registries_, errors_, "artifacts." + entry.key);
    if (!model) return std::nullopt;
    read.component = model->model;
    read.imported = std::move(*model);
    return read;
  }

  /// Defaults that no model takes are mistakes.
  void check_model_defaults() {
    for (const Node::Entry& entry : recipe_.options.model_defaults.entries()) {
      if (used_defaults_.contains(entry.key) || checked_.entries.empty()) continue;
      errors_.add(entry.key_location,
                  "model_defaults: no model of this recipe has the option " + shown(entry.key));
    }
  }

  /// What a training's options are read from: of a model the recipe's with its own laid on them; of
  /// an artifact its own alone, laid on those that its authors chose.
  Node written_train(const std::string& section, const Node::Entry& entry) const {
    const Node* own = entry.value.find("train");
    if (section == "models") {
      const Node& common = recipe_.options.train;
      return (own ? merge(common, *own) : common).without("seeds");
    }
    const auto found = components_.find(entry.key);
    const Component* component = found == components_.end() ? nullptr : found->second;
    const Node usual = component ? component->training : Node::mapping({});
    return own ? merge(usual, *own) : usual;
  }

  /// Reads the options of an entry's training; false if something is wrong with them. A mistake in
  /// the recipe's `train` is reported there and not for every entry.
  bool read_entry_train(const Node::Entry& entry, const std::string& path, CheckedEntry& read) {
    const Node* own = entry.value.find("train");
    read.has_own_seed = own && own->find("seed");
    const size_t before = errors_.count();
    if (read.is_model && !own) {
      read.train = checked_.train;
    } else if (read.is_model && !train_is_right_) {
      parse_options<TrainOptions>(own->without("seeds"), errors_, {}, path + ".train");
    } else {
      const Node whole = written_train(read.is_model ? "models" : "artifacts", entry);
      read.train = parse_train_options(whole, errors_, path + ".train");
      if (errors_.count() == before) {
        check_stop(read.train, whole, entry.key_location, path + ".train", errors_);
      }
      if (!read.is_model && !read.has_own_seed) read.train.seed = checked_.train.seed;
      if (!read.is_model && !(own && own->find("device")))
        read.train.device = checked_.train.device;
    }
    return train_is_right_ && errors_.count() == before;
  }

  /// What an entry is trained and validated on, and where it begins.
  void read_streams(const Node::Entry& entry, const std::string& path, CheckedEntry& read) {
    for (const auto& [key, references] :
         {std::pair{"data", &read.data}, {"validate_on", &read.validate_on}}) {
      const Node* written = entry.value.find(key);
      if (!written) continue;
      *references = read_stream_references(*written, errors_, path + "." + key);
      check_stream_references(*references, path + "." + key, read);
    }
    if (read.data.empty() && !data_set("data") && checked_.data.size() != 1) {
      errors_.add(entry.key_location, path + ".data is missing: the training data", one_data_set());
    }
    const Node* init = entry.value.find("init");
    if (!init) return;
    read.init = parse_options<InitOptions>(*init, errors_, {}, path + ".init");
    const Node* from = init->is_mapping() ? init->find("from") : nullptr;
    if (!from) return;
    need_one(look_up(*from, from->location(), ArtifactType::kModel, false, path + ".init.from"),
             *from, path + ".init.from", read);
  }

  /// One thing that is named where several cannot be taken; what was removed is why the entry is
  /// not made.
  void need_one(const std::vector<KnownReference>& named, const Node& written,
                const std::string& path, CheckedEntry& read) {
    if (named.size() > 1) {
      errors_.add(written.location(), path + " takes one, and " + shown(written.text()) +
                                          " names " + std::to_string(named.size()));
    }
    if (named.size() != 1) return;
    if (!named[0].removed.empty()) read.reason = "not run: " + named[0].removed;
    check_whole(named[0], written.text(), written.location(), path);
  }

  /// Reports what a training cannot read: what a select chose, a column, a pattern, a set without
  /// the name of its split.
  void check_whole(const KnownReference& named, const std::string& text,
                   const SourceLocation& location, const std::string& path) {
    const auto written = parse_reference(text);
    const bool is_split = named.of != KnownReference::Of::kData || written->part == named.part;
    if (named.of != KnownReference::Of::kSelect && is_split && !written->is_pattern()) return;
    errors_.add(location, path + ": " + shown(text) + " is not valid here",
                "the id of an entry, or a split of a data set such as news.train");
  }

  /// A data set without a split means its splits train and valid.
  void check_stream_references(const StreamReferences& references, const std::string& path,
                               CheckedEntry& read) {
    for (const auto& [stream, sides] : references) {
      for (const auto& side : sides) {
        for (const Node& part : side) {
          const auto reference = parse_reference(part.text());
          const CheckedData* data = reference ? data_set(reference->entry()) : nullptr;
          if (data && reference->part.empty()) continue;
          takes_whole_sets_ = true;
          need_one(look_up(part, part.location(), type_of(reference), false, path), part, path,
                   read);
          takes_whole_sets_ = false;
        }
      }
    }
  }

  /// The sets that inference takes as a whole have the same splits.
  void check_whole_sets(const CheckedEntry& read, const Node::Entry& entry,
                        const std::string& path) {
    for (const CheckedInput& input : read.inputs) {
      for (const Filling& filling : input.fillings) {
        const auto* named = std::get_if<KnownReference>(&filling);
        if (!named || !named->removed.empty() || !named->part.empty()) continue;
        std::vector<std::string> splits;
        if (named->of == KnownReference::Of::kData) splits = data_set(named->id)->splits;
        const bool is_inference =
            named->of == KnownReference::Of::kEntry && recipe_section(named->id) == "infer";
        if (is_inference) splits = whole_splits(named->id);
        if (splits.empty() || splits == read.splits) continue;
        errors_.add(entry.key_location,
                    path + ": " + named->id + " has the splits " + join(splits) +
                        ", and what else it reads " + join(read.splits),
                    "name one split of each");
      }
    }
  }

  static std::string label_of(const Node::Entry& row) {
    const Node* label = row.value.find("label");
    return label ? label->text() : row.key;
  }

  /// Whether the models that an entry names serve what its inputs ask for.
  void check_named_models(const CheckedEntry& read, const Node::Entry& entry,
                          const std::string& path) {
    const Node* inputs = entry.value.find("inputs");
    for (const CheckedInput& input : read.inputs) {
      for (const Filling& filling : input.fillings) {
        const auto* named = std::get_if<KnownReference>(&filling);
        const auto found = named ? components_.find(named->id) : components_.end();
        if (found == components_.end() || !found->second) continue;
        if (input.decl.type != ArtifactType::kModel) continue;
        const std::string reason = misfit(input.decl, *found->second);
        if (reason.empty()) continue;
        const Node* written = inputs ? inputs->find(input.decl.name) : nullptr;
        errors_.add(written ? written->location() : entry.key_location,
                    path + "." + input.decl.name + ": the model of " + named->id + " " + reason);
      }
    }
  }

  // Rows

  void read_rows() {
    const Node& rows = recipe_.options.rows;
    for (const Node::Entry& row : rows.entries()) {
      const Node* model = row.value.find("model");
      CheckedRow read{.id = row.key, .label = label_of(row)};
      if (model) {
        const auto named = look_up(*model, model->location(), ArtifactType::kModel, false,
                                   "rows." + row.key + ".model");
        if (named.size() == 1 && named[0].removed.empty()) read.entry = entry(named[0].id);
        if (named.size() == 1 && !named[0].removed.empty()) {
          read.reason = "not run: " + named[0].removed;
        }
      }
      add_row(std::move(read), row, "rows");
    }
    if (!rows.entries().empty()) return;
    for (const Node::Entry& row : recipe_.options.models.entries()) {
      CheckedRow read{.id = row.key, .label = label_of(row)};
      const bool has_component = component_key(row.value) != nullptr;
      if (has_component) read.entry = entry(row.key);
      add_row(std::move(read), row, has_component ? "" : "models");
    }
  }

  std::shared_ptr<const CheckedEntry> entry(const std::string& id) const {
    for (const auto& each : checked_.entries) {
      if (each->id == id) return each;
    }
    return nullptr;  // with a mistake in the errors
  }

  /// `section`: section of its fillers; empty: none.
  void add_row(CheckedRow read, const Node::Entry& row, const std::string& section) {
    const std::string path = section + "." + row.key;
    if (!section.empty()) {
      for (const Node::Entry& filler : row.value.entries()) {
        const bool is_own = filler.key == "label" || filler.key == "generation" ||
                            (section == "rows" && filler.key == "model");
        if (!is_own) read_filler(filler, path, read);
      }
    }
    const Node* own = row.value.find("generation");
    if (!own && common_generation_.empty()) {
      common_generation_ = read_generation(recipe_.options.generation, "generation");
    }
    read.generation =
        own ? read_generation(merge(recipe_.options.generation, *own),
                              (section.empty() ? "models." + row.key : path) + ".generation")
            : common_generation_;
    checked_.rows.push_back(std::move(read));
  }

  void read_filler(const Node::Entry& filler, const std::string& path, CheckedRow& read) {
    const std::string key_path = path + "." + filler.key;
    const bool is_asked = std::find(asked_.begin(), asked_.end(), filler.key) != asked_.end();
    if (!is_asked) unasked_.emplace_back(key_path, filler.key, filler.key_location);
    std::vector<Filling>& fillings = read.fillers[filler.key];
    const std::vector<Node> one = {filler.value};
    for (const Node& each : filler.value.is_sequence() ? filler.value.items() : one) {
      if (each.is_mapping()) {
        const InputDecl any{.name = filler.key, .type = ArtifactType::kText};
        takes_any_type_ = true;
        if (auto inlined = read_inline(any, each, filler.key_location, /*of_row=*/true, key_path)) {
          fillings.emplace_back(std::move(inlined));
        }
        takes_any_type_ = false;
        continue;
      }
      const auto reference = parse_reference(each.text());
      const bool is_model = reference && components_.contains(reference->entry()) &&
                            recipe_section(reference->entry()) != "infer" &&
                            reference->part.empty();
      const ArtifactType type = is_model ? ArtifactType::kModel : type_of(reference);
      takes_whole_sets_ = true;
      for (auto& found : look_up(each, each.location(), type, /*of_row=*/false, key_path)) {
        fillings.emplace_back(std::move(found));
      }
      takes_whole_sets_ = false;
    }
  }

  /// What an entry of inference leaves; a text for everything else.
  ArtifactType type_of(const std::optional<Reference>& reference) const {
    const auto found = reference ? components_.find(reference->entry()) : components_.end();
    return found == components_.end() || !found->second ? ArtifactType::kText
                                                        : found->second->gives;
  }

  /// The generation of a row: that in `written`, and every other inference component that
  /// leaves a text, by its name.
  std::map<std::string, std::shared_ptr<const InlineComponent>> read_generation(
      const Node& written, const std::string& path) {
    std::map<std::string, std::shared_ptr<const InlineComponent>> all;
    for (const Node::Entry& entry : written.entries()) {
      const std::string key_path = path + "." + entry.key;
      if (!entry.value.is_mapping()) continue;  // reported with the recipe's shape
      const Node* infer = entry.value.find("infer");
      const Component* component = registries_.inference.find(infer ? infer->text() : entry.key);
      if (!component) {
        errors_.add(infer ? infer->location() : entry.key_location,
                    registries_.inference.unknown_message(infer ? infer->text() : entry.key),
                    registries_.inference.known_message(infer ? infer->text() : entry.key));
        continue;
      }
      const Node named =
          infer ? entry.value
                : entry.value.with({"infer", Node::scalar(entry.key), entry.key_location});
      const InputDecl any{.name = entry.key, .type = component->gives};
      const bool at_checkpoints = is_at_checkpoints(named, key_path);
      const auto read = read_inline(any, named.without(kCheckpoints), entry.key_location,
                                    /*of_row=*/true, key_path);
      if (!read) continue;
      InlineComponent generated = *read;
      generated.at_checkpoints = at_checkpoints;
      all[entry.key] = std::make_shared<const InlineComponent>(std::move(generated));
    }
    for (const auto& name : generated_texts(registries_)) {
      if (all.contains(name)) continue;
      const InputDecl any{.name = name, .type = ArtifactType::kText};
      Errors none;  // one that needs options is not generated unasked
      const auto configured =
          registries_.inference.get(name).configure(Node::mapping({}), none, "");
      if (!configured) continue;
      all[name] = std::make_shared<const InlineComponent>(InlineComponent{
          *configured,
          read_inputs(*configured, Node::mapping({}), SourceLocation{}, true, path + "." + name)});
    }
    return all;
  }

  /// Whether it is generated from each kept checkpoint.
  bool is_at_checkpoints(const Node& generated, const std::string& path) {
    const Node* written = generated.find(kCheckpoints);
    if (!written || written->is_null()) return false;
    if (written->is_scalar() && written->text() == kAllCheckpoints) return true;
    errors_.add(written->location(),
                path + ".checkpoints must be all, got " + shown(written->text()),
                "unset: from the weights that the training selected");
    return false;
  }

  // Metrics and figures

  std::optional<CheckedMetric> read_metric(const Node::Entry& metric) {
    const std::string path = "evaluate." + metric.key;
    const MetricOptions options = parse_block<MetricOptions>(metric.value, errors_, path);
    const Component* evaluator = registries_.evaluators.find(options.evaluator);
    if (!evaluator) {
      if (const Node* name = metric.value.find("evaluator")) {
        errors_.add(name->location(), registries_.evaluators.unknown_message(options.evaluator),
                    registries_.evaluators.known_message(options.evaluator));
      }
      return std::nullopt;
    }
    const auto configured = evaluator->configure(options.own, errors_, path);
    check_score(options.score, metric.value, *evaluator, path, errors_);
    if (!configured) return std::nullopt;
    CheckedMetric read{.id = metric.key, .evaluator = *configured, .score = options.score};
    read.across_checkpoints = options.across.is_scalar() && options.across.text() == kCheckpoints;
    read.pools_checkpoints = options.checkpoints.has_value();
    const Node across = read.across_checkpoints ? Node() : options.across;
    for (const auto& [key, rows, written] : {std::tuple{"rows", &read.rows, &options.rows},
                                             {"across", &read.across, &across},
                                             {"against", &read.against, &options.against}}) {
      const bool with_selects = std::string_view(key) != "rows";
      if (!written->is_null()) *rows = named_rows(*written, path + "." + key, with_selects);
    }
    check_checkpoints(metric, read, *evaluator, path);
    const bool is_of_rows = evaluator->scores_of != ScoresOf::kRow;
    if (is_of_rows && options.across.is_null()) {
      errors_.add(metric.key_location,
                  path + ".across is missing: " + options.evaluator + " computes from several rows",
                  "such as across: \"ae[*]\"");
    } else if (!is_of_rows && !options.across.is_null()) {
      errors_.add(options.across.location(),
                  path + ".across: " + options.evaluator + " scores one row", "remove it");
    }
    read.inputs = read_inputs(*configured, options.inputs, metric.key_location, /*of_row=*/true,
                              path + ".inputs");
    return read;
  }

  /// Checks a metric's keys for kept checkpoints.
  void check_checkpoints(const Node::Entry& written, const CheckedMetric& metric,
                         const Component& evaluator, const std::string& path) {
    const auto refuse = [&](const char* key, const std::string& problem, const std::string& hint) {
      errors_.add(written.value.find_entry(key)->value.location(),
                  path + "." + key + ": " + problem, hint);
    };
    const bool each_row = evaluator.scores_of == ScoresOf::kEachRow;
    if ((metric.across_checkpoints || metric.pools_checkpoints) && each_row) {
      refuse(metric.across_checkpoints ? "across" : kCheckpoints,
             evaluator.about.name + " gives a score for each row, not one for their checkpoints",
             "an evaluator that gives one score, such as spearman");
    } else if (metric.across_checkpoints && metric.pools_checkpoints) {
      refuse(kCheckpoints, "`across: checkpoints` has them already", "remove it");
    } else if (metric.pools_checkpoints && !written.value.find("across")) {
      refuse(kCheckpoints, "it requires rows in `across`",
             "`across: checkpoints` makes one score of the kept checkpoints of each row");
    }
    if (metric.across_checkpoints && !metric.against.empty()) {
      refuse("against", "kept checkpoints of a row are compared with nothing", "remove it");
    }
  }

  /// The rows of ids and patterns, and selects in place of rows.
  std::vector<std::string> named_rows(const Node& written, const std::string& path,
                                      bool with_selects = false) {
    EntryNames rows;
    for (const CheckedRow& row : checked_.rows) rows.add(row.id);
    for (const Node::Entry& select : recipe_.options.select.entries()) {
      if (with_selects && !chooses_checkpoints(select.key)) rows.add(select.key);
    }
    for (const auto& [id, reason] : recipe_.removed) rows.add_removed(id, reason);
    for (const auto& [id, row] : recipe_.options.not_run) rows.add_removed(id, row.reason);
    std::vector<std::string> ids;
    const std::vector<Node> one = {written};
    for (const Node& each : written.is_sequence() ? written.items() : one) {
      const auto reference = parse_reference(each.text());
      const Named named =
          reference
              ? rows.match(*reference)
              : Named{
                    {}, {}, shown(each.text()) + " is no row", suggestion(each.text(), rows.ids())};
      if (!named.problem.empty())
        errors_.add(each.location(), path + ": " + named.problem, named.hint);
      ids.insert(ids.end(), named.ids.begin(), named.ids.end());
    }
    return ids;
  }

  void read_select(const Node::Entry& entry) {
    const std::string path = "select." + entry.key;
    const size_t before = errors_.count();
    const Node* among = entry.value.find("among");
    const auto options = parse_options<ChoiceOptions>(entry.value.without("among").without("label"),
                                                      errors_, {}, path);
    if (!among) {
      errors_.add(entry.key_location, path + ".among is missing: what it chooses among",
                  "rows such as \"ae[*]\", or checkpoints: the kept ones of each row");
    }
    if (errors_.count() != before) return;
    CheckedSelect read{entry.key, options.rule(), {}, {}, {}};
    const Node* metric = entry.value.find(options.max ? "max" : options.min ? "min" : "of");
    const auto reference = parse_reference(options.metric());
    const CheckedMetric* known =
        reference ? find_entry(checked_.metrics, reference->entry()) : nullptr;
    if (!known) {
      std::vector<std::string> ids;
      for (const CheckedMetric& each : checked_.metrics) ids.push_back(each.id);
      errors_.add(metric->location(),
                  path + ": " + shown(options.metric()) + " is not a metric of `evaluate`",
                  suggestion(options.metric(), ids));
      return;
    }
    read.metric = known->id;
    read.score = reference->part;
    if (chooses_checkpoints(entry.key)) {
      read.among_checkpoints = true;
      checked_.selects.push_back(std::move(read));
      return;
    }
    const std::vector<Node> one = {*among};
    for (const Node& each : among->is_sequence() ? among->items() : one) {
      const auto pattern = parse_reference(each.text());
      for (const auto& row : named_rows(each, path + ".among")) {
        const bool is_pattern = pattern && pattern->is_pattern();
        read.among.push_back({is_pattern ? matched(*pattern, row) : row, row});
        if (known->rows.empty() ||
            std::find(known->rows.begin(), known->rows.end(), row) != known->rows.end()) {
          continue;
        }
        errors_.add(each.location(), path + ".among: " + known->id + " is not computed for " + row,
                    "its `rows` exclude it");
      }
    }
    checked_.selects.push_back(std::move(read));
  }

  std::optional<CheckedFigure> read_figure(const Node::Entry& figure) {
    const std::string path = "figures." + figure.key;
    const FigureOptions options = parse_block<FigureOptions>(figure.value, errors_, path);
    const Component* kind = registries_.figures.find(options.figure);
    if (!kind) {
      if (const Node* name = figure.value.find("figure")) {
        errors_.add(name->location(), registries_.figures.unknown_message(options.figure),
                    registries_.figures.known_message(options.figure));
      }
      return std::nullopt;
    }
    const auto configured = kind->configure(options.own, errors_, path);
    if (!configured) return std::nullopt;
    return CheckedFigure{figure.key, options, *configured,
                         read_inputs(*configured, options.inputs, figure.key_location,
                                     /*of_row=*/true, path + ".inputs"),
                         configured->figure->needs()};
  }

  // Sheets

  /// Those of the recipe, in both forms, then one of each kind that it does not have.
  void read_sheets() {
    for (const Node::Entry& sheet : recipe_.options.sheets.entries()) {
      const std::string path = "sheets." + sheet.key;
      const auto options = parse_block<SheetOptions>(sheet.value, errors_, path);
      const Node* kind = sheet.value.find("kind");
      add_sheet({sheet.key, kind ? *kind : Node(), sheet.key_location}, path, options, errors_);
    }
    const Node* ratings = recipe_.tree.find("ratings");
    for (const Node::Entry& sheet : ratings ? ratings->entries() : std::vector<Node::Entry>()) {
      if (recipe_.options.sheets.find(sheet.key)) {
        errors_.add(sheet.key_location,
                    "the sheet " + shown(sheet.key) + " is defined in ratings and in sheets",
                    "remove one of them");
        continue;
      }
      SheetOptions options{.kind = sheet.key};
      const auto& simple = recipe_.options.ratings;
      if (const auto given = simple.find(sheet.key); given != simple.end()) {
        options.item = given->second.item;
        options.paper = given->second.paper;
      }
      add_sheet({sheet.key, Node::scalar(sheet.key, true, sheet.key_location), sheet.key_location},
                "ratings." + sheet.key, options, errors_);
    }
    for (const auto& name : registries_.sheets.names()) {
      if (find_entry(checked_.sheets, name)) continue;
      Errors none;  // one that needs options is not there unasked
      add_sheet({name, Node::scalar(name), {}}, "", {.kind = name}, none);
    }
    std::sort(checked_.sheets.begin(), checked_.sheets.end(),
              [](const CheckedSheet& a, const CheckedSheet& b) { return a.id < b.id; });
  }

  /// `named`: the sheet's id, and where its kind is named. `path`: where it is written; empty:
  /// nowhere.
  void add_sheet(const Node::Entry& named, const std::string& path, const SheetOptions& options,
                 Errors& errors) {
    const Component* kind = registries_.sheets.find(options.kind);
    if (!kind) {
      if (options.kind.empty()) return;  // reported
      errors.add(named.value.location(), registries_.sheets.unknown_message(options.kind),
                 registries_.sheets.known_message(options.kind));
      return;
    }
    auto configured = kind->configure(options.own, errors, path);
    if (!configured) return;
    if (!options.show.is_null()) configured->inputs = shown_inputs(options.show, *configured, path);
    CheckedSheet read{named.key, options, std::move(*configured), {}};
    read.is_written = !path.empty();
    if (read.is_written || has_usual_texts(read.kind)) {
      read.inputs = read_inputs(read.kind, options.inputs, named.key_location, /*of_row=*/true,
                                path + ".inputs");
    }
    if (!options.sources.is_null()) read_sheet_sources(named, path, read);
    checked_.sheets.push_back(std::move(read));
  }

  /// The texts that a recipe shows in place of the kind's: columns of the sheet.
  std::vector<InputDecl> shown_inputs(const Node& show, const Configured& kind,
                                      const std::string& path) {
    std::vector<std::string> taken = {"item_id", "rater_id", "comment"};
    for (const Aspect& aspect : kind.sheet->aspects) taken.push_back(aspect.id);
    std::vector<InputDecl> inputs;
    for (const Node& each : listed(show)) {
      std::string name = each.text();
      std::replace_if(
          name.begin(), name.end(), [](char c) { return !is_lower_snake(std::string("a") + c); },
          '_');
      if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
        errors_.add(each.location(), path + ".show: the sheet has another column " + shown(name));
        continue;
      }
      taken.push_back(name);
      inputs.push_back(
          {.name = name, .help = "shown to raters", .by_default = row_reference(each)});
    }
    if (listed(show).empty()) {
      errors_.add(show.location(), path + ".show is empty", "such as show: [source, outputs]");
    }
    return inputs;
  }

  /// Whether the recipe has what the texts of a kind are by default.
  bool has_usual_texts(const Configured& kind) const {
    return std::all_of(kind.inputs.begin(), kind.inputs.end(), [this](const InputDecl& input) {
      const auto reference = parse_reference(input.by_default.text());
      if (!reference || reference->id == "row") return reference.has_value();
      const auto& data = checked_.data;
      return reference->id == "data" && data.size() == 1 &&
             std::find(data[0].splits.begin(), data[0].splits.end(), reference->part) !=
                 data[0].splits.end();
    });
  }

  void read_sheet_sources(const Node::Entry& sheet, const std::string& path, CheckedSheet& read) {
    read.has_rows = false;
    for (const Node& source : listed(read.options.sources)) {
      const auto reference = parse_reference(source.text());
      if (reference && reference->id == "row") {
        const auto& inputs = read.kind.inputs;
        const bool is_shown =
            std::any_of(inputs.begin(), inputs.end(), [&](const InputDecl& input) {
              const Node* given = read.options.inputs.find(input.name);
              return (given ? *given : input.by_default).text() == source.text();
            });
        if (!is_shown) {
          errors_.add(source.location(), path + ".sources: " + shown(source.text()) +
                                             " is no text that the sheet shows");
        }
        read.has_rows = true;
        continue;
      }
      // Each column of the sheet is that of the data set, where it has one of this name.
      const CheckedData* data = reference ? data_set(reference->entry()) : nullptr;
      const auto columns = data ? columns_of(*data) : std::vector<std::string>();
      Configured kind = read.kind;
      for (InputDecl& input : kind.inputs) {
        const bool has_column =
            std::find(columns.begin(), columns.end(), input.name) != columns.end();
        input.by_default =
            source.with_text(source.text() + (has_column ? "." + input.name : ""), true);
      }
      read.data.emplace_back(source.text(), read_inputs(kind, Node::mapping({}), sheet.key_location,
                                                        /*of_row=*/false, path + ".sources"));
    }
  }

  // Inputs

  /// The inputs of a component, as `written` fills them; `path` is theirs. `of_row`: references may
  /// name what belongs to the row that is scored.
  std::vector<CheckedInput> read_inputs(const Configured& component, const Node& written,
                                        const SourceLocation& location, bool of_row,
                                        const std::string& path) {
    std::vector<std::string> names;
    for (const InputDecl& input : component.inputs) names.push_back(input.name);
    for (const Node::Entry& entry : written.entries()) {
      if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
      errors_.add(entry.key_location,
                  component.component->about.name + " has no input '" + entry.key + "'",
                  names.empty() ? "it has none" : suggestion(entry.key, names));
    }
    std::vector<CheckedInput> all;
    for (const InputDecl& input : component.inputs) {
      const Node* given = written.find(input.name);
      all.push_back(read_input(input, given ? *given : Node(), location, of_row, path));
    }
    return all;
  }

  CheckedInput read_input(const InputDecl& input, const Node& written,
                          const SourceLocation& location, bool of_row, const std::string& path) {
    CheckedInput read{.decl = input, .is_written = !written.is_null()};
    const Node filled = effective_input(input, written, registries_);
    const std::string key_path = path + "." + input.name;
    if (filled.is_null()) {
      // Rows may have texts for metrics, and `against` gives the second scores of a comparison.
      const bool is_filled_later =
          of_row && input.type != ArtifactType::kModel && input.type != ArtifactType::kTensors;
      if (!is_filled_later && input.arity == InputDecl::Arity::kOne) {
        errors_.add(location, "missing key " + shown(key_path), input.help);
      }
    } else if (filled.is_sequence() && input.takes_list()) {
      for (const Node& each : filled.items()) add_filling(each, location, of_row, key_path, read);
    } else {
      add_filling(filled, location, of_row, key_path, read);
    }
    return read;
  }

  /// A reference, or an inline component.
  void add_filling(const Node& filled, const SourceLocation& location, bool of_row,
                   const std::string& path, CheckedInput& to) {
    const SourceLocation at = filled.location().source ? filled.location() : location;
    const bool is_model = to.decl.type == ArtifactType::kModel;
    if (filled.is_mapping() && (filled.find("infer") || filled.find("fit"))) {
      if (auto inlined = read_inline(to.decl, filled, at, of_row, path)) {
        to.fillings.emplace_back(std::move(inlined));
      }
      return;
    }
    if (filled.is_mapping() && is_model) {
      auto model =
          read_inline_model(to.decl, filled, checked_.train, at, registries_, errors_, path);
      if (!model || !check_texts(*model, filled, at, of_row, path)) return;
      to.fillings.emplace_back(std::move(*model));
      return;
    }
    if (filled.is_mapping()) {
      return errors_.add(
          at, path + " is " + type_name(to.decl.type) + ", which cannot be an inline model",
          "a reference such as data.test or row.samples, or {infer: NAME}");
    }
    if (!filled.is_scalar()) return errors_.add(at, path + " is a reference or a component");
    // Defaults name the recipe's one data set; where it has several, nothing fills the input.
    if (!to.is_written && filled.text().starts_with("data.") && !sections_.contains("data")) {
      if (checked_.data.size() != 1) {
        if (!of_row) errors_.add(location, path + " is missing: " + one_data_set(), to.decl.help);
        return;
      }
      return add_reference(filled.with_text(checked_.data[0].id + filled.text().substr(4), true),
                           at, of_row, path, to);
    }
    add_reference(filled, at, of_row, path, to);
  }

  /// The texts that an inline model is trained and selected on.
  bool check_texts(const InlineModel& model, const Node& written, const SourceLocation& location,
                   bool of_row, const std::string& path) {
    if (!model.text) return true;
    const size_t before = errors_.count();
    const auto check = [&](const std::string& text, const char* key) {
      const Node* given = written.find(key);
      const SourceLocation at = given && given->location().source ? given->location() : location;
      const std::string named = one_set_named(text);
      const auto found =
          look_up(Node::scalar(named, true), at, ArtifactType::kText, of_row, path + "." + key);
      if (found.size() == 1) check_whole(found[0], named, at, path + "." + key);
    };
    check(model.text->from, "data");
    if (model.validate_on != kOwnText) check(model.validate_on, "validate_on");
    return errors_.count() == before;
  }

  /// "data.test" names the recipe's one data set, whatever it is called.
  std::string one_set_named(const std::string& text) const {
    const bool is_one = checked_.data.size() == 1 && !sections_.contains("data");
    return is_one && text.starts_with("data.") ? checked_.data[0].id + text.substr(4) : text;
  }

  void add_reference(const Node& written, const SourceLocation& location, bool of_row,
                     const std::string& path, CheckedInput& to) {
    auto found = look_up(written, location, to.decl.type, of_row, path);
    if (found.size() > 1 && !to.decl.is_list()) {
      errors_.add(location, path + " takes one, and " + shown(written.text()) + " names " +
                                std::to_string(found.size()));
      return;
    }
    for (auto& each : found) to.fillings.emplace_back(std::move(each));
  }

  /// `{infer: NAME}` or `{fit: NAME}`; none with a mistake in the errors.
  std::shared_ptr<const InlineComponent> read_inline(const InputDecl& input, const Node& written,
                                                     const SourceLocation& location, bool of_row,
                                                     const std::string& path) {
    const bool infers = written.find("infer") != nullptr;
    const Node* name = written.find(infers ? "infer" : "fit");
    if (!name) {
      errors_.add(location, path + " names no component", "{infer: NAME, ...}");
      return nullptr;
    }
    const SourceLocation at = name->location().source ? name->location() : location;
    const auto& registry = infers ? registries_.inference : registries_.models;
    const Component* component = registry.find(name->text());
    if (!component) {
      errors_.add(at, registry.unknown_message(name->text()), registry.known_message(name->text()));
      return nullptr;
    }
    if (!infers && !check_kind(*component, written, at)) return nullptr;
    const ArtifactType gives = infers ? component->gives : ArtifactType::kModel;
    std::string reason = infers ? "" : misfit(input, *component);
    // What a row asks for under a name may be of any type.
    if (gives != input.type && !(takes_any_type_ && infers)) {
      reason =
          "leaves " + type_name(gives) + ", and " + input.name + " is " + type_name(input.type);
    }
    if (!reason.empty()) {
      errors_.add(at, path + ": " + name->text() + " " + reason);
      return nullptr;
    }
    Node own = written.without("infer").without("fit").without("inputs").without("data");
    if (infers) own = own.without("model");
    const auto configured = component->configure(own, errors_, path);
    if (!configured) return nullptr;
    return std::make_shared<const InlineComponent>(
        InlineComponent{*configured,
                        read_inputs(*configured, inputs_of(*configured, written, false), location,
                                    of_row, path + ".inputs"),
                        own});
  }

  /// Whether a model is named by the right key: `fit` if its tensors are computed at once.
  bool check_kind(const Component& model, const Node& entry, const SourceLocation& location) {
    if (model.is_fitted == (component_name(entry) == entry.find("fit"))) return true;
    errors_.add(location,
                "the model " + shown(model.about.name) + " is " +
                    (model.is_fitted ? "fitted, not trained" : "trained, not fitted"),
                std::string("write it as `") + (model.is_fitted ? "fit: " : "model: ") +
                    model.about.name + "`");
    return false;
  }

  /// The `inputs` of an entry. `data` fills the input of that name or, without one, the first text
  /// that they leave; `model` beside `infer` fills `model`. What is trained has streams in place of
  /// `data`.
  static Node inputs_of(const Configured& component, const Node& entry, bool is_trained) {
    const Node* written = entry.find("inputs");
    Node all = written && written->is_mapping() ? *written : Node::mapping({});
    const auto add = [&](const char* key, const std::string& input) {
      const Node::Entry* given = entry.find_entry(key);
      if (given && !given->value.is_null())
        all = all.with({input, given->value, given->key_location});
    };
    if (is_trained) return all;
    std::string filled = "data";
    for (const InputDecl& input : component.inputs) {
      const bool is_data =
          input.type == ArtifactType::kText || input.type == ArtifactType::kDataset;
      if (!is_data || all.find(input.name)) continue;
      if (filled == "data") filled = input.name;
      if (input.name == "data") {
        filled = "data";
        break;
      }
    }
    add("data", filled);
    if (entry.find("infer")) add("model", "model");
    return all;
  }

  const Recipe& recipe_;
  const Registries& registries_;
  Errors& errors_;
  std::vector<std::string> row_names_;  // of what a row may have besides its model
  std::vector<std::string> asked_;      // of what something asks for
  CheckedRecipe checked_;
  EntryNames names_;                                    // of data, artifacts, models and metrics
  std::map<std::string, std::string> sections_;         // of each name
  std::map<std::string, const Component*> components_;  // of artifacts and models; nullptr: unknown
  /// Fillers that nothing asks for: path, name, place.
  std::vector<std::tuple<std::string, std::string, SourceLocation>> unasked_;
  bool train_is_right_ = false;
  bool takes_whole_sets_ = false;          // what is read may name data sets without a split
  bool takes_any_type_ = false;            // an inline component may leave anything
  std::set<std::string> in_whole_splits_;  // entries whose splits are being looked for
  std::set<std::string> unknown_sets_;     // data sets with a mistake in the errors
  std::set<std::string> used_defaults_;    // keys of `model_defaults` that a model has
  std::map<std::string, std::shared_ptr<const InlineComponent>> common_generation_;
};

}  // namespace

Node with_model_defaults(const RecipeOptions& recipe, const Node& own, const Schema& schema) {
  std::vector<Node::Entry> defaults;
  for (const Node::Entry& entry : recipe.model_defaults.entries()) {
    for (const FieldSchema& field : schema.fields) {
      if (field.key == entry.key) defaults.push_back(entry);
    }
  }
  return defaults.empty() ? own : merge(Node::mapping(std::move(defaults), own.location()), own);
}

bool uses_row(const std::vector<CheckedInput>& inputs) {
  const auto of_row = [](const Filling& filling) {
    if (const auto* reference = std::get_if<KnownReference>(&filling)) {
      return reference->of == KnownReference::Of::kRow;
    }
    if (const auto* model = std::get_if<InlineModel>(&filling)) return model->uses_row();
    return uses_row(std::get<std::shared_ptr<const InlineComponent>>(filling)->inputs);
  };
  return std::any_of(inputs.begin(), inputs.end(), [&](const CheckedInput& input) {
    return std::any_of(input.fillings.begin(), input.fillings.end(), of_row);
  });
}

bool uses_row(const CheckedMetric& metric) {
  const ScoresOf of = metric.evaluator.component->scores_of;
  const bool combines = std::any_of(
      metric.inputs.begin(), metric.inputs.end(),
      [](const CheckedInput& input) { return input.decl.type == ArtifactType::kScores; });
  return of == ScoresOf::kEachRow || metric.across_checkpoints ||
         (of == ScoresOf::kRow && (combines || uses_row(metric.inputs)));
}

CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries, Errors& errors) {
  CheckedRecipe checked = Checker(recipe, registries, errors).check();
  checked.tables = check_tables(checked, errors);
  check_figures(checked, errors);
  check_sheets(checked, errors);
  return checked;
}

CheckedRecipe check_recipe(const Recipe& recipe, const Registries& registries) {
  Errors errors;
  CheckedRecipe checked = check_recipe(recipe, registries, errors);
  errors.throw_if_any();
  return checked;
}

}  // namespace lvtext
