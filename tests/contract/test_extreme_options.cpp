// Every numeric option of all registered models and of training, at extreme values: the value is
// rejected, trained, or the run diverges with an error. It must never cause an internal error or an
// endless run.
#include "framework/core/model/registries.h"
#include "framework/core/tensor/shapes_only.h"
#include "models/register.h"
#include "tests/contract/contract_parts.h"
#include "tests/contract/toy_parts.h"

using namespace lvtext;
using namespace lvtext::testing;

namespace {

using Kind = TypeSchema::Kind;
using Path = std::vector<std::string>;

const std::vector<std::string> kExtremes = {
    "0",     "-1",    "1",    "1e-300", "1e-30",         "1e30",
    "-1e30", "1e300", ".inf", ".nan",   "1000000000000", "9223372036854775807"};

/// A numeric option, the components that it belongs to, and the sibling options that choose among
/// names.
struct NumericOption {
  Path path;
  const FieldSchema* field;
  std::vector<std::pair<Path, std::string>> components;
  std::vector<std::pair<Path, const FieldSchema*>> choices;
};

const TypeSchema& inner(const TypeSchema& type) {
  const TypeSchema* inner = &type;
  while (inner->kind == Kind::kOptional || inner->kind == Kind::kList)
    inner = &inner->element.at(0);
  return *inner;
}

void find_numeric(const std::vector<FieldSchema>& fields, const Path& above,
                  const std::vector<std::pair<Path, std::string>>& components,
                  std::vector<NumericOption>& found) {
  std::vector<std::pair<Path, const FieldSchema*>> choices;
  for (const FieldSchema& field : fields) {
    Path path = above;
    path.push_back(field.key);
    if (field.type.kind == Kind::kEnum) choices.emplace_back(path, &field);
  }
  for (const FieldSchema& field : fields) {
    Path path = above;
    path.push_back(field.key);
    const TypeSchema& type = inner(field.type);
    const bool is_number_or = type.kind == Kind::kNumberOr;
    if (type.kind == Kind::kInt || type.kind == Kind::kNumber || is_number_or)
      found.push_back({path, &field, components, choices});
    if (type.kind == Kind::kStruct) find_numeric(type.fields, path, components, found);
    const TypeSchema& choice = is_number_or ? type.element.at(0) : type;
    if (choice.kind == Kind::kChoice) {
      for (size_t i = 0; i < choice.names.size(); ++i) {
        auto chosen = components;
        chosen.emplace_back(path, choice.names[i].name);
        chosen.back().first.emplace_back("type");
        find_numeric(choice.element[i].fields, path, chosen, found);
      }
    }
    if (type.kind != Kind::kMap) continue;
    path.emplace_back("default");
    find_numeric(inner(type.element.at(0)).fields, path, components, found);
  }
}

Node with_value(const Node& tree, const Path& path, const Node& value, size_t depth = 0) {
  if (depth == path.size()) return value;
  const Node* below = tree.find(path[depth]);
  const Node base = tree.is_mapping() ? tree : Node::mapping({});
  return base.with({path[depth], with_value(below ? *below : Node(), path, value, depth + 1), {}});
}

/// Result of a few steps with these options: "" if they were computed or the run diverged, else the
/// error.
std::string outcome(const Registries& registries, const Component& entry, const Node& options,
                    const TrainOptions& train) {
  try {
    const Configured configured = entry.configure(options);
    const ModelInputs inputs = toy_inputs(registries, configured, 1);
    {
      const ShapesOnly shapes;
      uint64_t bytes = 0;
      const auto model = configured.model(inputs);
      for (const auto& [name, tensor] : model_tensors(*model)) bytes += tensor.nbytes();
      if (bytes > uint64_t{1} << 22)
        return "";  // a large width is not an error; nodes compare it with the memory
    }
    const auto model = configured.model(inputs);
    MemoryHost host;
    Trainer trainer(model, train, toy_streams(*model, 2, 4, 8), toy_validation(*model, 4, 1, 4),
                    host);
    trainer.train();
    return "";
  } catch (const Error& error) {
    const bool clean = error.code() == Exit::kSomeFailed || error.code() == Exit::kBadConfig ||
                       error.code() == Exit::kOutOfResources;
    return clean ? "" : error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string text_of(const Path& path, const std::string& value) {
  return join(path, ".") + " = " + value;
}

/// What else differs from the defaults when an option has an extreme value.
enum class Siblings { kDefault, kEachChoice };

/// Calls `check` with the tree for each extreme value of each option, with its sibling choices at
/// their defaults, or at each other name in turn.
void for_each_extreme(const Schema& schema, const Node& base, Siblings siblings,
                      const std::function<void(const Node&, const std::string&)>& check) {
  std::vector<NumericOption> options;
  find_numeric(schema.fields, {}, {}, options);
  for (const NumericOption& option : options) {
    Node chosen = base;
    std::string of;
    for (const auto& [path, name] : option.components) {
      chosen = with_value(chosen, path, Node::scalar(name));
      of += " with " + text_of(path, name);
    }
    std::vector<std::pair<Node, std::string>> bases;
    if (siblings == Siblings::kDefault) {
      bases.emplace_back(chosen, of);
    } else {
      for (const auto& [path, choice] : option.choices) {
        for (const auto& name : choice->type.names) {
          if (name.name == choice->default_value.text()) continue;
          bases.emplace_back(with_value(chosen, path, Node::scalar(name.name)),
                             of + " with " + text_of(path, name.name));
        }
      }
    }
    std::vector<std::string> values = kExtremes;
    for (const auto& bound : {option.field->rules.low, option.field->rules.high}) {
      if (bound) values.push_back(format_number(*bound));
    }
    for (const auto& [tree, beside] : bases) {
      for (const std::string& value : values) {
        check(with_value(tree, option.path, Node::scalar(value)),
              text_of(option.path, value) + beside);
      }
    }
  }
}

TrainOptions two_updates(TrainOptions train) {
  train.device = "cpu";
  train.stop = {{Period::updates(2)}};
  train.validate_every = train.log_every = Period::updates(1);
  return train;
}

void check_models(Siblings siblings) {
  int tried_in_all = 0;
  Registries registries;
  register_all_models(registries);
  for (const auto& name : registries.models.names()) {
    const Component& entry = registries.models.get(name);
    if (entry.is_fitted) continue;
    Node small = small_options(entry);
    for (const Path& width : {Path{"embedding"},
                              {"encoder", "hidden"},
                              {"decoder", "hidden"},
                              {"hidden"},
                              {"discriminator", "channels"},
                              {"latent", "size"}}) {
      Errors errors;
      const Node narrower = with_value(small, width, Node::scalar("4"));
      entry.configure(narrower, errors, "");
      if (errors.empty()) small = narrower;
    }
    REQUIRE(outcome(registries, entry, small, two_updates({})).empty());
    int tried = 0;
    for_each_extreme(
        entry.about.schema, small, siblings, [&](const Node& options, const std::string& what) {
          Errors errors;
          entry.configure(options, errors, "");
          if (!errors.empty()) return;
          ++tried;
          const std::string wrong = outcome(registries, entry, options, two_updates({}));
          INFO(name << ": " << what);
          CAPTURE(wrong);
          CHECK(wrong.empty());
        });
    if (siblings == Siblings::kDefault) CHECK(tried > 0);
    tried_in_all += tried;
  }
  CHECK(tried_in_all > 100);
}

void check_training(Siblings siblings) {
  Registries registries;
  register_all_models(registries);
  const Component& entry = registries.models.get("rnn_lm");
  const Node model = parse_yaml_or_throw("{embedding: 4, decoder: {hidden: 4}}", "model");
  int tried = 0;
  for_each_extreme(describe<TrainOptions>(), Node::mapping({}), siblings,
                   [&](const Node& options, const std::string& what) {
                     Errors errors;
                     const auto train = parse_options<TrainOptions>(options, errors);
                     if (!errors.empty()) return;
                     ++tried;
                     INFO(what);
                     const std::string failure =
                         outcome(registries, entry, model, two_updates(train));
                     INFO(failure);
                     CHECK(failure.empty());
                   });
  CHECK(tried > 100);
}

}  // namespace

TEST_CASE("extremes: no numeric option of training causes an internal error", "[contract]") {
  check_training(Siblings::kDefault);
}

TEST_CASE("extremes: no numeric option of a model causes an internal error", "[contract][long]") {
  check_models(Siblings::kDefault);
}

TEST_CASE("extremes: no numeric option beside any choice causes an internal error",
          "[contract][long]") {
  check_models(Siblings::kEachChoice);
  check_training(Siblings::kEachChoice);
}
