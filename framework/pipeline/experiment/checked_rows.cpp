#include "framework/pipeline/experiment/checked_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "framework/core/base/strings.h"
#include "framework/pipeline/experiment/usual_inputs.h"
#include "framework/pipeline/nodes/node_parts.h"

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

/// Names of values of rows that some input may use.
std::vector<std::string> used_names(const CheckContext& context) {
  std::vector<std::string> names = row_value_names(context.recipe, context.registries);
  const auto mentioned = named_of_rows(context.recipe);
  names.insert(names.end(), mentioned.begin(), mentioned.end());
  const auto& inference = context.registries.inference;
  for (const auto& name : inference.names()) {
    for (const InputDecl& input : usual_inputs(inference.get(name))) names.push_back(input.name);
  }
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
    const bool is_used = std::find(used_.begin(), used_.end(), filler.key) != used_.end();
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
      const bool is_model = reference && references_.component(reference->entry()) &&
                            !references_.is_inference(reference->entry()) &&
                            reference->part.empty();
      const ReferenceScope scope{
          .type = is_model ? ArtifactType::kModel : references_.result_type(reference),
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
          context_.registries.inference.find(infer ? infer->text() : entry.key);
      if (!component) {
        context_.errors.add(
            infer ? infer->location() : entry.key_location,
            context_.registries.inference.unknown_message(infer ? infer->text() : entry.key),
            context_.registries.inference.known_message(infer ? infer->text() : entry.key));
        continue;
      }
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

}  // namespace

CheckedRows read_rows(const CheckContext& context, References& references, InputParser& inputs,
                      const CheckedEntries& entries) {
  return RowReader(context, references, inputs, entries).read();
}

bool refuse_part(const Reference& row, const Node& written, const std::string& path,
                 Errors& errors) {
  if (row.part.empty() && row.at.empty()) return false;
  errors.add(written.location(),
             path + ": " + shown(written.text()) + " is a part of a row, not a row",
             row.at.empty() ? "write " + row.entry()
                            : "write " + row.entry() + ", and choose: SELECT for a checkpoint");
  return true;
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
