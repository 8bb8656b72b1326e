// Options whose value is a component of a family, selected by its `type`: `cosine`, or
// `{type: cosine, warmup: 500u}`.
//
//   struct LrSchedule {                          // the family: the interface of its components
//     static constexpr const char* kKind = "schedule";
//     static Choices<LrSchedule>& components();   // all of them; see also cmake/registration.cmake
//     virtual double rate(const LrState& state) const = 0;
//   };
//   struct StepDecay : LrSchedule { visit(), rate() };  // a component: options, implementation
//   void add_step(Choices<LrSchedule>& all) {
//     add_component<StepDecay>(all, "step", "help");
//   }
//
//   Choice<LrSchedule> schedule{"constant"};  // a field of options
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "framework/core/base/plugin_file.h"
#include "framework/core/base/registry.h"
#include "framework/core/options/options.h"

namespace lvtext {

/// A registered component of a family.
template <class Family>
struct ChoiceEntry {
  std::string name, help;
  Schema schema;
  /// Parses its options. Adds mistakes to `errors`, with keys below `path`.
  std::function<std::shared_ptr<const Family>(const Node&, Errors&, const std::string& path)> read;
  /// Its options with all values, including defaults.
  std::function<Node(const Family&)> write;
  std::shared_ptr<const Plugin> plugin;  ///< the plug-in that adds it; null for built-in ones
};

/// All components of a family, by name.
template <class Family>
using Choices = Registry<ChoiceEntry<Family>>;

/// Adds `Class`, which derives from the family and declares its options in visit().
template <class Class, class Family>
void add_component(Choices<Family>& components, const std::string& name, const std::string& help,
                   const std::shared_ptr<const Plugin>& plugin = {}) {
  components.add(
      name,
      {name, help, describe<Class>(),
       [](const Node& node, Errors& errors,
          const std::string& path) -> std::shared_ptr<const Family> {
         return std::make_shared<const Class>(parse_options<Class>(node, errors, {}, path));
       },
       [](const Family& value) { return to_node(static_cast<const Class&>(value)); }, plugin},
      plugin ? plugin->file : "lvtext");
}

/// A component of the family with its options; immutable and shared by copies.
template <class Family>
class Choice {
 public:
  /// No component.
  Choice() = default;
  /// The component with this name. Throws ConfigError with all mistakes in its options.
  explicit Choice(const std::string& name, const Node& options = Node::mapping({})) {
    Errors errors;
    *this = Choice(name, Family::components().get(name).read(options, errors, ""));
    errors.throw_if_any();
  }
  Choice(std::string name, std::shared_ptr<const Family> component)
      : name_(std::move(name)), component_(std::move(component)) {}

  const std::string& name() const { return name_; }
  /// The plug-in of the component; null for built-in ones.
  std::shared_ptr<const Plugin> plugin() const { return Family::components().get(name_).plugin; }
  explicit operator bool() const { return component_ != nullptr; }
  const Family& operator*() const { return *component_; }
  const Family* operator->() const { return component_.get(); }

 private:
  std::string name_;
  std::shared_ptr<const Family> component_;
};

template <class Family>
bool read_option(const options_detail::ParseContext& context, Choice<Family>& value) {
  const Node& node = context.node;
  if (node.is_null()) return true;  // the default
  std::string name = value.name();
  const Node* type = node.is_mapping() ? node.find("type") : &node;
  if (type || name.empty()) {
    const auto names = Family::components().names();
    const std::string path =
        node.is_mapping() ? options_detail::child_path(context.path, "type") : context.path;
    static const Node missing;
    const auto index = options_detail::read_name(
        {type ? *type : missing, path, context.rules, context.errors}, names);
    if (!index) return false;
    name = names[*index];
  }
  const size_t before = context.errors.count();
  const Node options =
      node.is_mapping() ? node.without("type") : Node::mapping({}, node.location());
  auto component = Family::components().get(name).read(options, context.errors, context.path);
  if (context.errors.count() != before) return false;
  value = Choice<Family>(name, std::move(component));
  return true;
}

template <class Family>
Node write_option(const Choice<Family>& value) {
  if (!value) return {};
  std::vector<Node::Entry> entries{{"type", options_detail::write(value.name()), {}}};
  const Node options = Family::components().get(value.name()).write(*value);
  entries.insert(entries.end(), options.entries().begin(), options.entries().end());
  return Node::mapping(std::move(entries));
}

template <class Family>
TypeSchema option_type(const Choice<Family>&) {
  TypeSchema type{TypeSchema::Kind::kChoice, {}, {}, {}};
  for (const auto& name : Family::components().names()) {
    const auto& component = Family::components().get(name);
    type.names.push_back({name, component.help});
    type.element.push_back({TypeSchema::Kind::kStruct, {}, component.schema.fields, {}});
  }
  return type;
}

/// A number or a component.
template <class Family>
using NumberOr = std::variant<double, Choice<Family>>;

template <class Family>
bool read_option(const options_detail::ParseContext& context, NumberOr<Family>& value) {
  const auto& names = Family::components().names();
  const std::string& text = context.node.text();
  const bool is_name = std::find(names.begin(), names.end(), text) != names.end();
  if (context.node.is_mapping() || is_name) {
    Choice<Family> chosen;
    if (!read_option(context, chosen)) return false;
    value = std::move(chosen);
    return true;
  }
  double number = 0;
  if (!options_detail::read(context, number)) return false;
  value = number;
  return true;
}

template <class Family>
Node write_option(const NumberOr<Family>& value) {
  if (const auto* number = std::get_if<double>(&value)) return options_detail::write(*number);
  return write_option(std::get<Choice<Family>>(value));
}

template <class Family>
TypeSchema option_type(const NumberOr<Family>&) {
  return {TypeSchema::Kind::kNumberOr, {}, {}, {option_type(Choice<Family>())}};
}

}  // namespace lvtext
