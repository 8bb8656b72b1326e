#include "framework/pipeline/experiment/resolved_recipe.h"

#include <algorithm>

#include "framework/core/options/defaults.h"
#include "framework/pipeline/report/check_expression.h"

namespace lvtext {
namespace {

Node text_node(const std::string& text) {
  return Node::scalar(text, /*quoted=*/true);
}

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

/// Named optimizers are merged into `default`; only `default` is filled.
Node resolved_train(const Node& train) {
  Node all = with_defaults(train.without("optimizers"), describe<TrainOptions>());
  if (!all.find("seeds")) all = all.with({"seeds", Node::scalar("1"), {}});
  const Node::Entry* optimizers = train.find_entry("optimizers");
  if (!optimizers) return all;
  return all.with({"optimizers",
                   changed(optimizers->value, "default",
                           [](const Node& usual) {
                             return with_defaults(usual, describe<OptimizerOptions>());
                           }),
                   optimizers->key_location});
}

/// An inline model with the defaults of the input and of the model. `read`: the parsed model.
Node resolved_model(const Node& inlined, const InlineModel& read) {
  Node all = with_defaults(with_defaults(inlined, describe<InlineOptions>()),
                           read.model.component->about.schema);
  if (!read.data) return all;
  // Imported word vectors determine the width, unless the recipe does.
  const bool has_vectors = !read.data->tokenizer->given_file().empty();
  const Node whole = changed(
      all, "data", [](const Node& own) { return with_defaults(own, describe<DataBlock>()); });
  return has_vectors && !inlined.find("embedding") ? whole.without("embedding") : whole;
}

/// The value of each input: of the entry, or the default.
Node resolved_inputs(const std::vector<CheckedInput>& inputs, const Node::Entry& entry,
                     const Registries& registries) {
  const Node* given = entry.value.find("inputs");
  Node all = given ? Node::mapping({}, given->location()) : Node::mapping({});
  for (const CheckedInput& input : inputs) {
    const Node::Entry* written = given ? given->find_entry(input.decl.name) : nullptr;
    const Node filled = effective_input(input.decl, written ? written->value : Node(), registries);
    if (filled.is_null()) continue;
    const auto* model =
        input.fillings.empty() ? nullptr : std::get_if<InlineModel>(&input.fillings.front());
    all = all.with({input.decl.name, model ? resolved_model(filled, *model) : filled,
                    written ? written->key_location : SourceLocation{}});
  }
  return all;
}

/// An entry of artifacts or models with all defaults. `read`: the parsed entry.
Node resolved_entry(const Node::Entry& entry, const CheckedEntry& read, const RecipeOptions& recipe,
                    const Registries& registries) {
  const Schema& schema = read.component.component->about.schema;
  const bool has_defaults = read.is_model && !read.component.inference;
  Node all = with_defaults(
      has_defaults ? with_model_defaults(recipe, entry.value, schema) : entry.value, schema);
  if (read.is_model && !all.find("label")) all = all.with({"label", text_node(read.id), {}});
  if (read.inputs.empty() || entry.value.find("data") || entry.value.find("infer")) return all;
  return all.with({"inputs", resolved_inputs(read.inputs, entry, registries), {}});
}

Node resolved_metric(const Node::Entry& entry, const CheckedMetric& metric,
                     const Registries& registries) {
  const Node all = with_defaults(with_defaults(entry.value, describe<MetricOptions>()),
                                 metric.evaluator.component->about.schema);
  return all.with({"inputs", resolved_inputs(metric.inputs, entry, registries), {}});
}

Node resolved_figure(const Node::Entry& entry, const CheckedFigure& figure,
                     const Registries& registries) {
  const Node all = with_defaults(with_defaults(entry.value, describe<FigureOptions>()),
                                 figure.kind.component->about.schema);
  return all.with({"inputs", resolved_inputs(figure.inputs, entry, registries), {}});
}

Node resolved_sheet(const Node::Entry& entry, const CheckedSheet& sheet,
                    const Registries& registries) {
  Node all = with_defaults(with_defaults(entry.value, describe<SheetOptions>()),
                           sheet.kind.component->about.schema);
  if (!sheet.options.show.is_null()) return all;  // the texts are the value of `show`
  return all.with({"inputs", resolved_inputs(sheet.inputs, entry, registries), {}});
}

/// The entry of artifacts or models with this id; nullptr: a row of given texts.
const CheckedEntry* component_entry(const CheckedRecipe& checked, const std::string& id) {
  for (const auto& entry : checked.entries) {
    if (entry->id == id) return entry.get();
  }
  return nullptr;
}

template <class Entry>
const Entry& entry_of(const std::vector<Entry>& entries, const std::string& id) {
  return *std::find_if(entries.begin(), entries.end(),
                       [&id](const Entry& entry) { return entry.id == id; });
}

/// True if `check` does not name removed metrics of the recipe.
bool names_present_metrics(const Node& check, const Recipe& recipe) {
  const Node* expr = check.find("expr");
  if (!expr) return true;
  const auto terms = CheckExpression::parse(expr->text()).terms();
  return std::none_of(terms.begin(), terms.end(), [&](const CheckTerm& term) {
    return recipe.removed_metrics.contains(term.metric);
  });
}

/// Removes columns and checks that name removed metrics.
Node without_removed_metrics(Node all, const Recipe& recipe) {
  const auto kept = [](const Node& list, const auto& is_kept) {
    std::vector<Node> items;
    for (const Node& item : list.items()) {
      if (is_kept(item)) items.push_back(item);
    }
    return Node::sequence(std::move(items), list.location());
  };
  all = changed(all, "checks", [&](const Node& checks) {
    return kept(checks, [&](const Node& check) { return names_present_metrics(check, recipe); });
  });
  return changed(all, "table", [&](const Node& table) {
    const Node narrow = changed(table, "columns", [&](const Node& columns) {
      return kept(columns, [&](const Node& column) {
        return !recipe.removed_metrics.contains(column.text());
      });
    });
    return changed(narrow, "paper", [&](const Node& paper) {
      return each_changed(paper, [&](const Node::Entry& row) {
        Node numbers = row.value;
        for (const auto& [id, reason] : recipe.removed_metrics) numbers = numbers.without(id);
        return numbers;
      });
    });
  });
}

}  // namespace

Node resolved_recipe(const CheckedRecipe& checked, const Registries& registries) {
  const Recipe& recipe = checked.recipe;
  Node all = with_defaults(recipe.tree.without("profiles"), describe<RecipeOptions>());
  const auto resolved_data = [](const Node& data) {
    return with_defaults(data,
                         data.find("from") ? describe<DerivedBlock>() : describe<DataBlock>());
  };
  all = changed(all, "data", [&](const Node& data) {
    if (is_one_data_set(data)) return resolved_data(data);
    return each_changed(data, [&](const Node::Entry& set) { return resolved_data(set.value); });
  });
  const Node* train = all.find("train");
  all = all.with({"train", resolved_train(train ? *train : Node::mapping({})), {}});
  for (const char* section : {"artifacts", "models"}) {
    all = changed(all, section, [&](const Node& entries) {
      return each_changed(entries, [&](const Node::Entry& entry) {
        const CheckedEntry* read = component_entry(checked, entry.key);
        return read ? resolved_entry(entry, *read, recipe.options, registries) : entry.value;
      });
    });
  }
  all = changed(all, "evaluate", [&](const Node& metrics) {
    return each_changed(metrics, [&](const Node::Entry& metric) {
      return resolved_metric(metric, entry_of(checked.metrics, metric.key), registries);
    });
  });
  all = changed(all, "figures", [&](const Node& figures) {
    return each_changed(figures, [&](const Node::Entry& figure) {
      return resolved_figure(figure, entry_of(checked.figures, figure.key), registries);
    });
  });
  all = changed(all, "sheets", [&](const Node& sheets) {
    return each_changed(sheets, [&](const Node::Entry& sheet) {
      return resolved_sheet(sheet, entry_of(checked.sheets, sheet.key), registries);
    });
  });
  if (!recipe.removed_metrics.empty()) all = without_removed_metrics(std::move(all), recipe);
  return self_contained(recipe, all.without("model_defaults"));
}

}  // namespace lvtext
