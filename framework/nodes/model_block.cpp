#include "framework/nodes/model_block.h"

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/options/option_error.h"
#include "framework/tensor/shapes_only.h"
#include "framework/text/token_ids.h"
#include "trainers/layout.h"

namespace lvtext {
namespace {

/// Where the option was written, or the nearest mapping above it; none if nothing of it was.
std::optional<Mark> written_mark(const Node& tree, const std::string& option) {
  std::optional<Mark> mark;
  const Node* at = &tree;
  for (const auto& key : split(option, '.')) {
    const Node::Entry* entry = at->find_entry(key);
    if (entry == nullptr) break;
    if (entry->key_mark.source) mark = entry->key_mark;
    at = &entry->value;
  }
  return mark;
}

}  // namespace

Node shared_train(const Node& recipe) {
  Node shared = Node::mapping({});
  for (const char* key : {"seed", "device"}) {
    if (const auto* entry = recipe.find_entry(key)) shared = shared.with(*entry);
  }
  return shared;
}

void check_model_block(const Node& block, const std::string& model, const Node& own,
                       const ModelPurpose& purpose, const Registries& registries, Errors& errors,
                       const std::string& path) {
  const Node* written = block.find("model");
  const Mark mark = written ? written->mark() : block.mark();
  const ModelEntry* entry = registries.models.find(model);
  if (!entry) {
    errors.add(mark, registries.models.unknown_message(model),
               registries.models.known_message(model));
    return;
  }
  if (purpose.fits(*entry)) return entry->check(own, errors, path);
  std::vector<std::string> fitting;
  for (const auto& name : registries.models.names()) {
    if (purpose.fits(registries.models.get(name))) fitting.push_back(name);
  }
  errors.add(mark, "the model '" + model + "' " + purpose.misfit,
             "models that do: " + join(fitting));
}

void check_training(const ModelEntry& entry, const Node& own, const Node& train, const Mark& mark,
                    Errors& errors) {
  Errors flaws;
  entry.check(own, flaws, "");
  parse_options<TrainOptions>(train, flaws);
  if (!flaws.empty()) return;
  const Node options = Node::mapping({{"train", train, {}}});
  const auto line_of = [&](const std::string& option) {
    const Node& tree = option.starts_with("train.") ? options : own;
    return written_mark(tree, option).value_or(mark);
  };
  try {
    const ShapesOnly shapes;
    const auto model = entry.build(own, ModelInputs{kUnk + 2, 0, 2});
    const Layout layout(*model, read_train_options(train));
  } catch (const OptionError& error) {
    for (const OptionMistake& mistake : error.mistakes) {
      errors.add(line_of(mistake.option),
                 "model '" + entry.about.name + "': " + mistake.option + ": " + mistake.message);
    }
  } catch (const ConfigError& error) {
    errors.add(mark, "model '" + entry.about.name + "': " + error.what());
  } catch (const std::exception&) {
    // Not a matter of options: what is wrong with the model itself is said where it is trained.
  }
}

}  // namespace lvtext
