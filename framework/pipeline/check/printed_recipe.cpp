#include "framework/pipeline/check/printed_recipe.h"

#include <algorithm>
#include <set>

#include "framework/core/options/defaults.h"
#include "framework/core/options/mapping.h"
#include "framework/pipeline/check/inline_models.h"
#include "framework/pipeline/recipe/metric_options.h"

namespace lvtext {
namespace {

using Inlined = std::shared_ptr<const InlineComponent>;

/// Replaces the value of a key of `mapping` by the result of `make`, if the key is present.
template <class Make>
Node changed(const Node& mapping, const std::string& key, const Make& make) {
  const Node::Entry* entry = mapping.find_entry(key);
  return entry ? mapping.with({key, make(entry->value), entry->key_location}) : mapping;
}

template <class Make>
Node each_changed(const Node& mapping, const Make& make) {
  Node all = mapping;
  for (const Node::Entry& entry : mapping.entries()) {
    all = all.with({entry.key, make(entry), entry.key_location});
  }
  return all;
}

/// `all` without these keys unless `written` has them.
Node without_unwritten(Node all, const Node& written, const std::vector<const char*>& keys) {
  for (const char* key : keys) {
    if (!written.find(key)) all = all.without(key);
  }
  return all;
}

Node printed_data(const Node& written, const CheckedData& data) {
  if (data.derived) return with_values(written, to_node(*data.derived));
  DataBlock read = data.block;
  read.source = with_rules(read.source);
  const Node block = to_node(read);
  // The id of an artifact is no component.
  return with_values(written, data.tokenizer.empty() ? block : block.without("tokenizer"));
}

/// A training that may share some values with the recipe's. `whole`: with inherited values.
Node printed_train(const Node& whole, const TrainOptions& train, const Node& own) {
  return without_unwritten(with_values(whole, to_node(train)), own,
                           {"seed", "device", "deterministic"});
}

/// Makes the printed form of one recipe.
class RecipePrinter {
 public:
  RecipePrinter(const CheckedRecipe& checked, const Registries& registries)
      : checked_(checked), recipe_(checked.recipe), registries_(registries) {}

  Node printed() const {
    Node all = with_defaults(recipe_.tree.without("profiles"), describe<RecipeOptions>());
    // A table without columns shows all metrics; it is none of a recipe with other tables.
    if (recipe_.tree.find("tables") && !recipe_.tree.find("table")) all = all.without("table");
    all = changed(all, "not_run", [&](const Node& entries) {
      return each_changed(entries, [&](const Node::Entry& entry) {
        const Node* label = entry.value.find("label");
        const Node* sections = entry.value.find("sections");
        Node shown = label && label->text().empty() ? entry.value.without("label") : entry.value;
        return sections && sections->items().empty() ? shown.without("sections") : shown;
      });
    });
    all = changed(all, "data", [&](const Node& data) {
      if (is_one_data_set(data)) return printed_data(data, checked_.data.front());
      return each_changed(data, [&](const Node::Entry& set) {
        return printed_data(set.value, *find_entry(checked_.data, set.key));
      });
    });
    const Node train = with_values(recipe_.options.train, to_node(checked_.train));
    all = all.with({"train", with_defaults(train, Schema{{seeds_schema()}}),
                    recipe_.options.train.location()});
    for (const char* section : {"artifacts", "models"}) {
      all = changed(all, section, [&](const Node& entries) {
        return each_changed(entries,
                            [&](const Node::Entry& entry) { return printed_entry(entry); });
      });
    }
    all = changed(all, "rows", [&](const Node& rows) {
      return each_changed(rows, [&](const Node::Entry& row) { return printed_row(row); });
    });
    all = all.with({"generation", printed_generation(), recipe_.options.generation.location()});
    all = changed(all, "evaluate", [&](const Node& metrics) {
      return each_changed(metrics, [&](const Node::Entry& entry) {
        const CheckedMetric& metric = *find_entry(checked_.metrics, entry.key);
        return printed_component(with_defaults(entry.value, describe<MetricOptions>()),
                                 metric.evaluator, metric.inputs);
      });
    });
    all = changed(all, "figures", [&](const Node& figures) {
      return each_changed(figures, [&](const Node::Entry& entry) {
        const CheckedFigure& figure = *find_entry(checked_.figures, entry.key);
        return printed_component(with_defaults(entry.value, describe<FigureOptions>()), figure.kind,
                                 figure.inputs);
      });
    });
    all = changed(all, "sheets", [&](const Node& sheets) {
      return each_changed(sheets, [&](const Node::Entry& entry) {
        const CheckedSheet& sheet = *find_entry(checked_.sheets, entry.key);
        const Node all = printed_component(entry.value, sheet.kind, sheet.inputs);
        return with_defaults(all, describe<SheetOptions>());
      });
    });
    return self_contained(recipe_, all.without("model_defaults"));
  }

 private:
  static FieldSchema seeds_schema() {
    return {"seeds", "", {TypeSchema::Kind::kInt, {}, {}, {}}, {}, Node::scalar("1")};
  }

  /// An inline model with the defaults of the input and of the model.
  static Node printed_model(const Node& inlined, const InlineModel& read) {
    if (!read.run.empty()) return inlined;  // the run has its own options
    const Node* train = inlined.find("train");
    const Node own = train ? *train : Node::mapping({});
    Node all = with_values(with_defaults(inlined, describe<InlineOptions>()), read.model.options);
    all = all.with({"train", printed_train(own, read.train, own), own.location()});
    return changed(all, "data", [&](const Node& data) {
      if (!data.is_mapping()) return data;
      return with_values(data, read.data ? to_node(*read.data) : to_node(*read.text));
    });
  }

  /// The value of an input: `written` with the values that were read from it.
  Node printed_value(const Node& written, const std::vector<Filling>& fillings) const {
    size_t next = 0;
    const auto print = [&](const Node& value) {
      if (!value.is_mapping()) return value;
      while (next < fillings.size() && std::holds_alternative<KnownReference>(fillings[next])) {
        ++next;
      }
      if (next == fillings.size()) return value;
      const Filling& filling = fillings[next++];
      if (const auto* model = std::get_if<CheckedModel>(&filling)) {
        return printed_model(value, model->model);
      }
      const InlineComponent& inlined = *std::get<Inlined>(filling);
      return printed_component(value, inlined.component, inlined.inputs);
    };
    if (!written.is_sequence()) return print(written);
    std::vector<Node> items;
    for (const Node& item : written.items()) items.push_back(print(item));
    return Node::sequence(std::move(items), written.location());
  }

  /// An entry with the options of its component, and its inputs with their defaults.
  Node printed_component(const Node& entry, const Configured& component,
                         const std::vector<CheckedInput>& inputs) const {
    Node all = with_values(entry, component.options);
    const Node* given = entry.find("inputs");
    Node values = given ? *given : Node::mapping({});
    // The values of these keys are inputs too; those of `show` are the texts of a sheet.
    const bool names_inputs = entry.find("data") || entry.find("model") || entry.find("show");
    for (const CheckedInput& input : inputs) {
      const Node::Entry* written = values.find_entry(input.decl.name);
      if (!written && names_inputs) continue;
      const bool is_set = written && !written->value.is_null();
      const Node value =
          is_set ? effective_input(input.decl, written->value, registries_) : default_value(input);
      if (value.is_null()) {
        values = values.without(input.decl.name);
        continue;
      }
      values = values.with({input.decl.name, printed_value(value, input.fillings),
                            written ? written->key_location : SourceLocation{}});
    }
    if (!given && values.entries().empty()) return all;
    return all.with({"inputs", values, given ? given->location() : SourceLocation{}});
  }

  /// The default of an input as a value that is read as the same; null if there is none, or if
  /// texts of rows take its place.
  Node default_value(const CheckedInput& input) const {
    const std::string& name = input.decl.name;
    const bool is_filled = std::any_of(checked_.rows.begin(), checked_.rows.end(),
                                       [&](const CheckedRow& row) { return has_value(row, name); });
    if (is_filled || input.fillings.size() != 1) return {};
    const Node value = effective_input(input.decl, Node(), registries_);
    const auto* reference = std::get_if<KnownReference>(&input.fillings.front());
    const std::string data = "data.";
    const bool is_data = reference && value.text().starts_with(data);
    // Defaults call the recipe's only data set "data".
    return is_data ? value.with_text(reference->id + value.text().substr(data.size() - 1), true)
                   : value;
  }

  Node printed_entry(const Node::Entry& entry) const {
    if (const CheckedTokenizer* tokenizer = find_entry(checked_.tokenizers, entry.key)) {
      return with_values(entry.value, write_option(tokenizer->fit).without("type"));
    }
    const CheckedEntry* read = find_entry(checked_.entries, entry.key);
    if (!read) return printed_row(entry);
    if (read->imported) return printed_model(entry.value, *read->imported);
    const bool has_defaults = read->is_model && !read->component.inference;
    const Schema& schema = read->component.component->about.schema;
    const Node own =
        has_defaults ? with_model_defaults(recipe_.options, entry.value, schema) : entry.value;
    Node all = printed_component(own, read->component, read->inputs);
    const Node* train = entry.value.find("train");
    if (read->is_trained() && (train || !read->is_model)) {
      const Node& usual =
          read->is_model ? recipe_.options.train : read->component.component->training;
      const Node written = train ? *train : Node::mapping({});
      const Node whole = without_unwritten(merge(usual, written), written, {"seeds"});
      all = all.with({"train", printed_train(whole, read->train, written), written.location()});
    }
    if (!read->is_model) return all;
    if (!all.find("label")) {
      all = all.with({"label", Node::scalar(read->id, /*quoted=*/true), {}});
    }
    return with_generation(all, entry.key);
  }

  /// A row with its inline components.
  Node printed_row(const Node::Entry& entry) const {
    const CheckedRow* row = find_entry(checked_.rows, entry.key);
    if (!row) return entry.value;
    Node all = entry.value;
    for (const auto& filler : row->fillers) {
      all = changed(all, filler.first,
                    [&](const Node& value) { return printed_value(value, filler.second); });
    }
    return with_generation(all, entry.key);
  }

  /// `entry` with its own generation completed.
  Node with_generation(const Node& entry, const std::string& id) const {
    const CheckedRow* row = find_entry(checked_.rows, id);
    return changed(entry, "generation", [&](const Node& own) {
      return row ? generated(merge(recipe_.options.generation, own), *row) : own;
    });
  }

  Node generated(const Node& written, const CheckedRow& row) const {
    return each_changed(written, [&](const Node::Entry& text) {
      const auto found = row.generation.find(text.key);
      if (found == row.generation.end()) return text.value;
      const InlineComponent& inlined = *found->second;
      return without_unwritten(printed_component(text.value, inlined.component, inlined.inputs),
                               text.value, {"count", "seed"});
    });
  }

  /// The recipe's `generation`, with the texts that inputs name and that are not written.
  Node printed_generation() const {
    Node written = recipe_.options.generation;
    const auto row =
        std::find_if(checked_.rows.begin(), checked_.rows.end(), [&](const CheckedRow& each) {
          const Node* entry = recipe_.row(each.id).find("generation");
          return !entry && each.entry && each.entry->is_model;
        });
    if (row == checked_.rows.end()) return written;
    std::set<std::string> names;
    for (const CheckedMetric& metric : checked_.metrics) add_generated(metric.inputs, names);
    for (const CheckedFigure& figure : checked_.figures) add_generated(figure.inputs, names);
    for (const CheckedSheet& sheet : checked_.sheets) {
      if (sheet.is_written) add_generated(sheet.inputs, names);
    }
    // Texts may be generated from others.
    for (size_t before = 0; before != names.size();) {
      before = names.size();
      for (const auto& [name, inlined] : row->generation) {
        if (names.contains(name)) add_generated(inlined->inputs, names);
      }
    }
    for (const std::string& name : names) {
      const bool exists = row->generation.contains(name) && registries_.inference.find(name);
      if (exists && !written.find(name)) written = written.with({name, Node::mapping({}), {}});
    }
    return generated(written, *row);
  }

  /// Adds the names of the texts of rows that inputs read.
  static void add_generated(const std::vector<CheckedInput>& inputs, std::set<std::string>& names) {
    const auto add = [&names](const KnownReference& reference) {
      if (reference.of == KnownReference::Of::kRow) names.insert(reference.part);
    };
    for (const CheckedInput& input : inputs) {
      for (const Filling& filling : input.fillings) {
        if (const auto* reference = std::get_if<KnownReference>(&filling)) {
          add(*reference);
        } else if (const auto* model = std::get_if<CheckedModel>(&filling)) {
          if (model->text) add(*model->text);
        } else {
          add_generated(std::get<Inlined>(filling)->inputs, names);
        }
      }
    }
  }

  const CheckedRecipe& checked_;
  const Recipe& recipe_;
  const Registries& registries_;
};

}  // namespace

Node printed_recipe(const CheckedRecipe& checked, const Registries& registries) {
  return RecipePrinter(checked, registries).printed();
}

}  // namespace lvtext
