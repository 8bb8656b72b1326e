#include "framework/pipeline/check/checked_references.h"

#include <algorithm>

#include "framework/core/base/strings.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/check/row_values.h"

namespace lvtext {
namespace {

/// "'x' is not a text that can be used here; ".
std::string not_valid(const std::string& text, ArtifactType type) {
  const std::string name = type == ArtifactType::kModel     ? "model"
                           : type == ArtifactType::kScores  ? "metric"
                           : type == ArtifactType::kDataset ? "dataset"
                           : type == ArtifactType::kRecords ? "data set"
                                                            : "text";
  return shown(text) + " is not a " + name + " that can be used here; ";
}

}  // namespace

bool remove_decoded(std::string& part) {
  constexpr std::string_view kDecoded = ".decoded";
  if (!("." + part).ends_with(kDecoded)) return false;
  part.resize(part.size() - std::min(part.size(), kDecoded.size()));
  return true;
}

void check_whole(const KnownReference& named, const std::string& text,
                 const SourceLocation& location, const std::string& path, Errors& errors) {
  const auto written = parse_reference(text);
  const bool is_part = named.of == KnownReference::Of::kData ? written->part != named.part
                       : named.of == KnownReference::Of::kEntry
                           ? !named.column.empty() || !named.named_part.empty()
                           : named.of == KnownReference::Of::kSelect;
  if (!is_part && !written->is_pattern()) return;
  errors.add(location, path + ": " + shown(text) + " is not valid here",
             "the id of an entry, or a split of a data set such as news.train");
}

References::References(const CheckContext& context, const DataSets& data, const Names& known)
    : context_(context),
      data_(data),
      known_(known),
      components_(context.recipe, context.registries, data),
      row_names_(row_value_names(context.recipe, context.registries)) {
  for (const Node::Entry& row : context_.recipe.options.rows.entries()) {
    add_fillers(row.value, row_names_);
  }
  row_values_ = values_of_rows(context.recipe, context.registries);
  add_names();
}

void References::add_names() {
  for (const CheckedData& data : data_.all()) add_name(data.id, "data", SourceLocation{});
  for (const std::string section : {"artifacts", "models", "evaluate", "select"}) {
    const Node* entries = context_.recipe.tree.find(section);
    if (!entries) continue;
    for (const Node::Entry& entry : entries->entries()) {
      if (section == "models" && !component_key(entry.value)) continue;  // a row of given texts
      add_name(entry.key, section, entry.key_location);
    }
  }
  for (const auto& [id, reason] : context_.recipe.removed_entries()) names_.add_removed(id, reason);
}

void References::add_name(const std::string& id, const std::string& section,
                          const SourceLocation& location) {
  const auto [known, is_new] = sections_.emplace(id, section);
  if (!is_new) {
    context_.errors.add(
        location, "the id " + shown(id) + " is used in " + known->second + " and in " + section,
        "references would be ambiguous; rename one of them");
  }
  names_.add(id);
}

bool References::is_removed(const std::string& id) const {
  const auto removed = context_.recipe.removed_entries();
  return std::any_of(removed.begin(), removed.end(), [&id](const auto& entry) {
    return parse_entry_id(entry.first).value_or(EntryId{}).id == id;
  });
}

std::string References::first_id(const std::optional<Reference>& reference) const {
  const std::vector<std::string> ids =
      reference ? names_.match(*reference).ids : std::vector<std::string>();
  return ids.empty() ? "" : ids.front();
}

std::string References::with_only_set(const std::string& text) const {
  const bool is_one = data_.all().size() == 1 && !has("data");
  return is_one && text.starts_with("data.") ? data_.all()[0].id + text.substr(4) : text;
}

// Messages

std::nullopt_t References::refuse(const Lookup& lookup, const std::string& problem,
                                  const std::string& hint) {
  context_.errors.add(lookup.location, lookup.path + ": " + problem, hint);
  return std::nullopt;
}

std::string References::no_such(const std::string& text, const ReferenceScope& scope) const {
  const std::vector<std::string> all = valid_references(scope);
  return not_valid(text, scope.type) + (all.empty() ? "there are none" : suggestion(text, all));
}

std::vector<std::string> References::valid_references(const ReferenceScope& scope) const {
  if (scope.type == ArtifactType::kScores) return keys_of(context_.recipe.options.evaluate);
  std::vector<std::string> all;
  if (scope.type == ArtifactType::kModel) {
    if (scope.of_row) all.push_back("row.model");
    const std::vector<std::string> models = components_.models();
    all.insert(all.end(), models.begin(), models.end());
    return all;
  }
  for (const CheckedData& data : data_.all()) {
    for (const auto& split : data.splits) all.push_back(data.id + "." + split);
  }
  for (const auto& name : row_values_) {
    if (scope.of_row) all.push_back("row." + name);
  }
  return all;
}

// Lookup

std::vector<KnownReference> References::find(const Node& written, const SourceLocation& location,
                                             const ReferenceScope& scope, const std::string& path) {
  const std::string& text = written.text();
  const auto wrong = [&](const std::string& problem) {
    context_.errors.add(location, path + ": " + problem);
    return std::vector<KnownReference>();
  };
  const auto reference = parse_reference(text);
  if (!reference) return wrong(no_such(text, scope));
  if (reference->id == "row") {
    const size_t point = reference->part.find('.');
    const std::string name = reference->part.substr(0, point);
    const std::string rest = point == std::string::npos ? "" : reference->part.substr(point + 1);
    const bool is_known = name == "model" ? scope.type == ArtifactType::kModel && rest.empty()
                                          : contains(row_names_, name);
    if (!scope.of_row || !is_known) return wrong(no_such(text, scope));
    if (!reference->at.empty()) {
      return wrong(shown(text) + ": a text of a row has no @; tables, figures and sheets have " +
                   "`choose`, which names a select among checkpoints");
    }
    return {{KnownReference::Of::kRow, "", name, "", rest}};
  }
  if (reference->id == "data" && !has("data")) {
    return wrong(not_valid(text, scope.type) + data_.ambiguity());
  }
  const bool is_known = std::any_of(sections_.begin(), sections_.end(), [&](const auto& entry) {
    return parse_entry_id(entry.first).value_or(EntryId{}).id == reference->id;
  });
  if (!is_known && !is_removed(reference->id)) return wrong(no_such(text, scope));
  const Named named = names_.match(*reference);
  if (!named.problem.empty()) {
    context_.errors.add(location, path + ": " + named.problem, named.hint);
    return {};
  }
  std::vector<KnownReference> found;
  for (const auto& reason : named.removed) {
    found.push_back({KnownReference::Of::kEntry, "", "", reason});
  }
  const Lookup lookup{*reference, location, scope, path};
  for (const auto& id : named.ids) {
    if (auto one = find_id(id, lookup)) found.push_back(*one);
  }
  return found;
}

std::optional<KnownReference> References::find_id(const std::string& id, const Lookup& lookup) {
  const std::string& section = sections_.at(id);
  if (section == "data") return find_data(id, lookup);
  if ((section == "evaluate") != (lookup.scope.type == ArtifactType::kScores)) {
    return refuse(lookup, no_such(lookup.reference.text(), lookup.scope));
  }
  if (section == "evaluate") return find_metric(id, lookup);
  if (section == "select") return find_select(id, lookup);
  return find_entry_of(id, lookup);
}

std::optional<KnownReference> References::find_data(const std::string& id, const Lookup& lookup) {
  if (data_.is_invalid(id)) return std::nullopt;  // its columns are unknown
  const CheckedData& data = *data_.find(id);
  std::string part = lookup.reference.part;
  const bool decoded = remove_decoded(part);
  const auto [split, column] = data_.split_and_column(data, part);
  if (lookup.scope.whole_sets && split.empty() && lookup.reference.part.empty()) {
    return KnownReference{KnownReference::Of::kData, id, "", ""};
  }
  const ArtifactType type = lookup.scope.type;
  if (type == ArtifactType::kRecords) {
    if (lookup.reference.part.empty()) return KnownReference{KnownReference::Of::kData, id, "", ""};
    return refuse(lookup,
                  shown(lookup.reference.text()) +
                      " is a part of a data set, and the records of all its splits are required",
                  "write " + data.id);
  }
  if (type != ArtifactType::kText && type != ArtifactType::kDataset) {
    return refuse(lookup, no_such(lookup.reference.text(), lookup.scope));
  }
  if (split.empty()) return refuse_split(data, part, lookup);
  if (decoded && type != ArtifactType::kText) {
    return refuse(lookup,
                  shown(lookup.reference.text()) + " is a decoded text, and a dataset is required",
                  "write " + data.id + "." + part);
  }
  KnownReference named{KnownReference::Of::kData, id, split, "", column};
  named.decoded = decoded;
  return named;
}

std::nullopt_t References::refuse_split(const CheckedData& data, const std::string& part,
                                        const Lookup& lookup) {
  const std::string text = shown(lookup.reference.text());
  if (part.empty()) {
    return refuse(lookup, text + " has the splits " + join(data.splits),
                  "specify one, such as " + data.id + "." + data.splits.back());
  }
  const std::vector<std::string> columns = data_.columns(data);
  const size_t point = part.find('.');
  const std::string first = part.substr(0, point);
  const std::string problem = text + ": " + data_.name(data) + " has no ";
  if (data.has_split(first)) {
    const std::string column = part.substr(point + 1);
    return refuse(lookup, problem + "column " + shown(column), suggestion(column, columns));
  }
  const std::string such = data.id + "." + data.splits.back() + "." + part;
  if (contains(columns, part)) {
    return refuse(lookup, text + " is a column of the splits " + join(data.splits),
                  "specify one, such as " + such);
  }
  return refuse(
      lookup, problem + "split " + shown(first),
      nearest(first, data.splits) ? suggestion(first, data.splits) : "it has " + join(data.splits));
}

std::optional<KnownReference> References::find_metric(const std::string& id, const Lookup& lookup) {
  const std::string& score = lookup.reference.part;
  if (!known_.check_score(id, score, lookup.location, lookup.path)) return std::nullopt;
  return KnownReference{KnownReference::Of::kMetric, id, score, ""};
}

std::optional<KnownReference> References::find_select(const std::string& id, const Lookup& lookup) {
  if (known_.chooses_checkpoints(id)) {
    return refuse(lookup, shown(id) + " selects a kept checkpoint and cannot be used as a row",
                  "write MODEL@" + id + " for the model at the selected checkpoint");
  }
  const std::string part = lookup.reference.part.empty() ? "model" : lookup.reference.part;
  return KnownReference{KnownReference::Of::kSelect, id, part, ""};
}

std::optional<KnownReference> References::find_entry_of(const std::string& id,
                                                        const Lookup& lookup) {
  const ArtifactType type = lookup.scope.type;
  if (!components_.contains(id)) {
    const bool is_tokenizer = fits_tokenizer(context_.recipe.options, id);
    return refuse(lookup, is_tokenizer ? shown(id) + " is a tokenizer, and " + type_name(type) +
                                             " is required"
                                       : no_such(lookup.reference.text(), lookup.scope));
  }
  const Component* named_component = components_.find(id);
  if (!named_component) return std::nullopt;  // reported when the entry is read
  const bool infers = components_.is_inference(id);
  const ArtifactType gives = infers ? named_component->gives : ArtifactType::kModel;
  // A text is a column of a dataset; columns of datasets can be texts.
  const bool is_text_or_dataset =
      (gives == ArtifactType::kText || gives == ArtifactType::kDataset) &&
      (type == ArtifactType::kText || type == ArtifactType::kDataset);
  const std::string wrong_type =
      shown(id) + " is " + type_name(gives) + ", and " + type_name(type) + " is required";
  if (gives != type && !is_text_or_dataset) return refuse(lookup, wrong_type);
  const std::string& at = lookup.reference.at;
  if (!at.empty() && !check_checkpoint(id, lookup)) return std::nullopt;
  KnownReference named{KnownReference::Of::kEntry, id, "", "", "", at};
  if (!read_part(lookup, named)) return std::nullopt;
  const bool is_column = !named.column.empty();
  if (gives != type && type != ArtifactType::kDataset && !is_column) {
    return refuse(lookup, wrong_type);
  }
  return named;
}

bool References::read_part(const Lookup& lookup, KnownReference& named) {
  const bool infers = components_.is_inference(named.id);
  const auto splits = infers ? components_.whole_splits(named.id) : std::vector<std::string>();
  std::string rest = lookup.reference.part;
  const std::string first = rest.substr(0, rest.find('.'));
  if (contains(splits, first)) {
    named.part = first;
    rest = rest.size() > first.size() ? rest.substr(first.size() + 1) : "";
  } else if (splits.size() == 1) {
    named.part = splits.front();
  }
  const std::string text = shown(lookup.reference.text());
  if (!splits.empty() && named.part.empty() && (!lookup.scope.whole_sets || !rest.empty())) {
    if (rest.empty()) {
      refuse(lookup, text + " has the splits " + join(splits),
             "specify one, such as " + named.id + "." + splits.back());
    } else {
      refuse(lookup, text + " is not a split of " + named.id, suggestion(first, splits));
    }
    return false;
  }
  const std::vector<NamedPart> parts =
      infers ? components_.parts(named.id) : std::vector<NamedPart>();
  if (!parts.empty()) return read_named_part(lookup, rest, parts, named);
  if (infers && components_.find(named.id)->parts_option.empty()) named.column = rest;
  if (rest.empty() || infers) return true;
  refuse(lookup, named.id + " is a model and has no part " + shown(rest), "write " + named.id);
  return false;
}

bool References::read_named_part(const Lookup& lookup, const std::string& rest,
                                 const std::vector<NamedPart>& parts, KnownReference& named) {
  std::vector<std::string> ids;
  for (const NamedPart& part : parts) {
    ids.push_back(part.id);
    if (part.id == rest) named.named_part = part.key;
  }
  if (!named.named_part.empty()) return true;
  const std::string text = shown(lookup.reference.text());
  if (rest.empty()) {
    refuse(lookup, text + " has several parts",
           "specify one, such as " + named.id + "." + ids.front() + ": " + join(ids));
  } else {
    refuse(lookup, text + " is not a part of " + named.id, suggestion(rest, ids));
  }
  return false;
}

bool References::check_checkpoint(const std::string& id, const Lookup& lookup) {
  const std::string& at = lookup.reference.at;
  const std::string text = shown(lookup.reference.text());
  const bool is_select = known_.chooses_checkpoints(at);
  const bool is_known = at == "last" || at == "best" || at.starts_with("step:") || is_select;
  if (components_.is_inference(id) || components_.find(id)->is_fitted) {
    refuse(lookup, text + ": " + id + " is not trained and keeps no checkpoints");
    return false;
  }
  if (!is_known) {
    std::vector<std::string> selects;
    for (const Node::Entry& each : context_.recipe.options.select.entries()) {
      if (known_.chooses_checkpoints(each.key)) selects.push_back("@" + each.key);
    }
    refuse(lookup, text + ": unknown weights " + shown(at),
           "@last, @best or @step:N" +
               (selects.empty() ? ""
                                : ", or what a select among checkpoints chose: " + join(selects)));
    return false;
  }
  if (!is_select) return true;
  const std::vector<std::string> rows = known_.rows_of_model(id);
  if (rows.size() == 1) return true;
  refuse(lookup, text + ": " + shown(at) + " selects a checkpoint for each row, but " +
                     (rows.empty() ? "no row has the model " + id
                                   : "several rows have the model " + id + ": " + join(rows)));
  return false;
}

}  // namespace lvtext
