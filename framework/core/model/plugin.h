// Entry point of plug-ins, shared libraries that add components:
//
//   LVTEXT_PLUGIN(registries) {
//     lvtext::add_model<MyModel, MyOptions>(registries, "my_model", "description",
//                                           {"citation", "https://..."});
//     lvtext::add_component<MyReader, lvtext::RecordReader>(registries, "my_reader",
//                                                           "what it reads");
//   }
#pragma once

#include <string>

#include "framework/core/model/registration.h"
#include "framework/core/options/choice.h"

namespace lvtext {

/// Version of the plug-in interface. Must be increased when a class in the installed headers
/// changes. Plug-ins of another version are rejected.
inline constexpr int kPluginInterface = 55;

/// Adds a plug-in's component to a family of options: a reader, a tokenizer, a packer, a schedule,
/// a stop condition or a trigger. `Class` derives from the family and declares its options in
/// visit().
template <class Class, class Family>
void add_component(const Registries& registries, const std::string& name, const std::string& help) {
  add_component<Class>(Family::components(), name, help, registries.loading);
}

}  // namespace lvtext

/// Defines the registration function of a plug-in, which is called once, when the plug-in is
/// loaded. `registries` is the name of its parameter, an lvtext::Registries&.
// NOLINTBEGIN(bugprone-macro-parentheses): `registries` is a parameter name and cannot be
// parenthesized.
#define LVTEXT_PLUGIN(registries)                                                   \
  extern "C" __attribute__((visibility("default"))) int lvtext_plugin_interface() { \
    return lvtext::kPluginInterface;                                                \
  }                                                                                 \
  extern "C" __attribute__((visibility("default"))) void lvtext_register(           \
      lvtext::Registries& registries)
// NOLINTEND(bugprone-macro-parentheses)
