#include "framework/pipeline/check/checked_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/pipeline/check/checked_recipe.h"
#include "framework/pipeline/check/find_entry.h"
#include "framework/pipeline/check/row_values.h"
#include "framework/pipeline/check/usual_inputs.h"
#include "framework/pipeline/store/node_parts.h"

namespace lvtext {
namespace {

/// Names that the recipe uses as `row.NAME`.
std::vector<std::string> named_of_rows(const Recipe& recipe) {
  std::vector<std::string> names;
  for (const std::string section :
       {"rows", "evaluate", "generation", "figures", "sheets", "select"}) {
    const Node* tree = recipe.tree.find(section);
    if (!tree) continue;
    // In figures and sheets, a name without `row.` is a value of each row.
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

/// Names of values of rows that some input may use, in alphabetical order.
std::vector<std::string> used_names(const CheckContext& context) {
  std::vector<std::string> names = row_value_names(context.recipe, context.registries);
  const auto mentioned = named_of_rows(context.recipe);
  names.insert(names.end(), mentioned.begin(), mentioned.end());
  const auto& inference = context.registries.inference;
  for (const auto& name : inference.names()) {
    for (const InputDecl& input : usual_inputs(inference.get(name))) names.push_back(input.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Reads the rows one by one.
class RowReader {
 public:
  RowReader(const CheckContext& context, References& references, InputParser& inputs,
            const CheckedEntries& entries)
      : context_(context),
        references_(references),
        inputs_(inputs),
        entries_(entries),
        used_(used_names(context)) {}

  CheckedRows read() {
    read_rows();
    return std::move(result_);
  }

 private:
  void read_rows() {
    const Node& rows = context_.recipe.options.rows;
    for (const Node::Entry& row : rows.entries()) {
      const Node* model = row.value.find("model");
      CheckedRow read{.id = row.key, .label = label_of(row)};
      if (model) {
        const auto named =
            references_.find(*model, model->location(), {.type = ArtifactType::kModel},
                             "rows." + row.key + ".model");
        if (named.size() == 1 && named[0].removed.empty()) read.entry = entry(named[0].id);
        if (named.size() == 1 && !named[0].removed.empty()) {
          read.reason = "not run: " + named[0].removed;
        }
      }
      add_row(std::move(read), row, "rows");
    }
    if (!rows.entries().empty()) return;
    for (const Node::Entry& row : context_.recipe.options.models.entries()) {
      CheckedRow read{.id = row.key, .label = label_of(row)};
      const bool has_component = component_key(row.value) != nullptr;
      if (has_component) read.entry = entry(row.key);
      add_row(std::move(read), row, has_component ? "" : "models");
    }
  }

  std::shared_ptr<const CheckedEntry> entry(const std::string& id) const {
    for (const auto& each : entries_.entries) {
      if (each->id == id) return each;
    }
    return nullptr;  // errors were added
  }

  /// `section`: section of its values; empty: none.
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
      common_generation_ = read_generation(context_.recipe.options.generation, "generation");
    }
    read.generation =
        own ? read_generation(merge(context_.recipe.options.generation, *own),
                              (section.empty() ? "models." + row.key : path) + ".generation")
            : common_generation_;
    result_.rows.push_back(std::move(read));
  }

  void read_filler(const Node::Entry& filler, const std::string& path, CheckedRow& read) {
    const std::string key_path = path + "." + filler.key;
    const bool is_used = contains(used_, filler.key);
    if (!is_used) result_.unused.emplace_back(key_path, filler.key, filler.key_location);
    std::vector<Filling>& fillings = read.fillers[filler.key];
    const std::vector<Node> one = {filler.value};
    for (const Node& each : filler.value.is_sequence() ? filler.value.items() : one) {
      if (each.is_mapping()) {
        const InputDecl any{.name = filler.key, .type = ArtifactType::kText};
        if (auto inlined = inputs_.read_inline(any, each, filler.key_location, {.of_row = true},
                                               key_path, /*any_type=*/true)) {
          fillings.emplace_back(std::move(inlined));
        }
        continue;
      }
      const auto reference = parse_reference(each.text());
      const std::string id = references_.first_id(reference);
      const bool is_model = references_.components().find(id) &&
                            !references_.components().is_inference(id) && reference->part.empty();
      const ReferenceScope scope{
          .type = is_model ? ArtifactType::kModel : references_.components().result_type(id),
          .whole_sets = true};
      for (auto& found : references_.find(each, each.location(), scope, key_path)) {
        fillings.emplace_back(std::move(found));
      }
    }
  }

  /// The generation of a row: the entries of `written`, and every other inference component that
  /// generates text, by its name.
  std::map<std::string, std::shared_ptr<const InlineComponent>> read_generation(
      const Node& written, const std::string& path) {
    std::map<std::string, std::shared_ptr<const InlineComponent>> all;
    for (const Node::Entry& entry : written.entries()) {
      const std::string key_path = path + "." + entry.key;
      if (!entry.value.is_mapping()) continue;  // reported by the parser of recipes
      const Node* infer = entry.value.find("infer");
      const Component* component =
          find_component(context_.registries.inference, infer ? infer->text() : entry.key,
                         infer ? infer->location() : entry.key_location, context_.errors);
      if (!component) continue;
      const Node named =
          infer ? entry.value
                : entry.value.with({"infer", Node::scalar(entry.key), entry.key_location});
      const InputDecl any{.name = entry.key, .type = component->gives};
      const bool at_checkpoints = is_at_checkpoints(named, key_path);
      const auto read = inputs_.read_inline(any, named.without("checkpoints"), entry.key_location,
                                            {.of_row = true}, key_path);
      if (!read) continue;
      InlineComponent generated = *read;
      generated.at_checkpoints = at_checkpoints;
      all[entry.key] = std::make_shared<const InlineComponent>(std::move(generated));
    }
    for (const auto& name : generated_texts(context_.registries)) {
      if (all.contains(name)) continue;
      const InputDecl any{.name = name, .type = ArtifactType::kText};
      Errors none;  // components with required options are only used if listed
      const auto configured =
          context_.registries.inference.get(name).configure(Node::mapping({}), none, "");
      if (!configured) continue;
      all[name] = std::make_shared<const InlineComponent>(InlineComponent{
          *configured, inputs_.read(*configured, Node::mapping({}), SourceLocation{},
                                    {.of_row = true}, path + "." + name)});
    }
    return all;
  }

  /// Whether the text is generated from each kept checkpoint.
  bool is_at_checkpoints(const Node& generated, const std::string& path) {
    const Node* written = generated.find("checkpoints");
    if (!written || written->is_null()) return false;
    if (written->is_scalar() && written->text() == kAllCheckpoints) return true;
    context_.errors.add(written->location(),
                        path + ".checkpoints must be all, got " + shown(written->text()),
                        "unset: from the weights selected by the training");
    return false;
  }

  CheckContext context_;
  References& references_;
  InputParser& inputs_;
  const CheckedEntries& entries_;
  std::vector<std::string> used_;
  CheckedRows result_;
  std::map<std::string, std::shared_ptr<const InlineComponent>> common_generation_;
};

/// Checks the values of rows against the inputs that read them.
class FillerChecker {
 public:
  FillerChecker(const CheckedRecipe& recipe, Errors& errors) : recipe_(recipe), errors_(errors) {}

  /// Checks what the inputs of an entry read of a row. `path`: the entry's location, for messages.
  void check(const CheckedRow& row, const std::vector<CheckedInput>& inputs,
             const std::string& path) {
    for (const CheckedInput& input : inputs) {
      const std::string input_path = path + ".inputs." + input.decl.name;
      const bool is_filled = !input.is_written && has_value(row, input.decl.name);
      if (is_filled) check_value(row, input.decl, input.decl.name, "", input_path);
      for (const Filling& filling : input.fillings) {
        if (is_filled) break;
        const auto* named = std::get_if<KnownReference>(&filling);
        if (named && named->of == KnownReference::Of::kRow) {
          check_value(row, input.decl, named->part, named->column, input_path);
        } else if (named && named->of == KnownReference::Of::kSelect) {
          check_candidates(*named, input.decl, input_path);
        } else if (const auto* inlined =
                       std::get_if<std::shared_ptr<const InlineComponent>>(&filling)) {
          check(row, (*inlined)->inputs, input_path);
        } else if (const auto* model = std::get_if<CheckedModel>(&filling)) {
          check_text(row, model->text, input_path + ".data");
          check_text(row, model->validate_on, input_path + ".validate_on");
        }
      }
    }
  }

 private:
  /// Checks the text that a model within an entry reads of a row.
  void check_text(const CheckedRow& row, const std::optional<KnownReference>& named,
                  const std::string& path) {
    if (!named || named->of != KnownReference::Of::kRow) return;
    check_value(row, InputDecl{.name = "data"}, named->part, named->column, path);
  }

  /// Entries with mistakes are not in the recipe; their mistakes have been reported.
  void check_candidates(const KnownReference& named, const InputDecl& input,
                        const std::string& path) {
    const CheckedSelect* select = find_entry(recipe_.selects, named.id);
    if (!select) return;
    for (const auto& candidate : select->among) {
      const CheckedRow* row = find_entry(recipe_.rows, candidate.row);
      if (row) check_value(*row, input, named.part, named.column, path);
    }
  }

  /// `part`: the part of the value that the input reads.
  void check_value(const CheckedRow& row, const InputDecl& input, const std::string& name,
                   const std::string& part, const std::string& path) {
    if (!checked_.insert({row.id, name, part, path}).second) return;
    const auto found = row.fillers.find(name);
    if (found == row.fillers.end()) {
      const auto generated = row.generation.find(name);
      if (generated != row.generation.end()) {
        check(row, generated->second->inputs, "generation." + name);
      }
      return;
    }
    const std::vector<Filling>& values = found->second;
    if (values.size() > 1 && !input.takes_list()) {
      refuse(row, name,
             "has " + std::to_string(values.size()) + " values, and " + path + " accepts one",
             "name one of them, or exclude this row by `rows` of the metric");
    }
    for (const Filling& value : values) {
      if (const auto* inlined = std::get_if<std::shared_ptr<const InlineComponent>>(&value)) {
        check(row, (*inlined)->inputs, "rows." + row.id + "." + name);
        continue;
      }
      const auto* named = std::get_if<KnownReference>(&value);
      const std::vector<std::string> splits = named && named->removed.empty() && named->part.empty()
                                                  ? splits_of(*named)
                                                  : std::vector<std::string>();
      const std::string split = part.substr(0, part.find('.'));
      if (splits.size() < 2 || contains(splits, split)) continue;
      refuse(row, name, "has the splits " + join(splits) + ", and " + path + " reads one text",
             "name the split there, row." + name + "." + splits.back() + ", or here, " + named->id +
                 "." + splits.back());
    }
  }

  std::vector<std::string> splits_of(const KnownReference& named) const {
    if (named.of == KnownReference::Of::kData) {
      const CheckedData* data = find_entry(recipe_.data, named.id);
      return data ? data->splits : std::vector<std::string>();
    }
    if (named.of != KnownReference::Of::kEntry) return {};
    const CheckedEntry* entry = find_entry(recipe_.entries, named.id);
    return entry ? entry->splits : std::vector<std::string>();
  }

  void refuse(const CheckedRow& row, const std::string& name, const std::string& problem,
              const std::string& hint) {
    for (const char* section : {"rows", "models"}) {
      const Node* rows = recipe_.recipe.tree.find(section);
      const Node* written = rows ? rows->find(row.id) : nullptr;
      const Node::Entry* value = written ? written->find_entry(name) : nullptr;
      if (!value) continue;
      return errors_.add(value->value.location(),
                         std::string(section) + "." + row.id + "." + name + " " + problem, hint);
    }
    errors_.add(recipe_.recipe.tree.location(), "rows." + row.id + "." + name + " " + problem,
                hint);
  }

  const CheckedRecipe& recipe_;
  Errors& errors_;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> checked_;
};

}  // namespace

bool has_value(const CheckedRow& row, const std::string& name) {
  return row.fillers.contains(name) || row.generation.contains(name);
}

CheckedRows read_rows(const CheckContext& context, References& references, InputParser& inputs,
                      const CheckedEntries& entries) {
  return RowReader(context, references, inputs, entries).read();
}

void check_fillers(const CheckedRecipe& recipe, Errors& errors) {
  FillerChecker checker(recipe, errors);
  const auto of_rows = [&](const std::vector<std::string>& ids, const auto& inputs,
                           const std::string& path) {
    for (const CheckedRow& row : recipe.rows) {
      const bool is_named = ids.empty() || contains(ids, row.id);
      if (is_named) checker.check(row, inputs, path);
    }
  };
  for (const CheckedMetric& metric : recipe.metrics) {
    of_rows(metric.across.empty() ? metric.rows : metric.across, metric.inputs,
            "evaluate." + metric.id);
  }
  for (const CheckedFigure& figure : recipe.figures) {
    std::vector<std::string> ids;
    for (const FigureRowIds& group : figure.named.rows) {
      for (const FigureRowIds::Row& row : group.rows) ids.push_back(row.id);
    }
    if (!ids.empty()) of_rows(ids, figure.inputs, "figures." + figure.id);
  }
  for (const CheckedSheet& sheet : recipe.sheets) {
    if (sheet.is_written && sheet.has_rows) of_rows(sheet.rows, sheet.inputs, "sheets." + sheet.id);
  }
}

void report_unused(const CheckContext& context, const CheckedRows& rows) {
  if (rows.unused.empty()) return;
  const std::vector<std::string> used = used_names(context);
  for (const auto& [path, name, location] : rows.unused) {
    context.errors.add(location, path + ": no metric uses a text of this name",
                       suggestion(name, used));
  }
}

}  // namespace lvtext
