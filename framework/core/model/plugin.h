// What a plug-in contains: a shared library with components of its own.
//
//   LVTEXT_PLUGIN(registries) {
//     lvtext::add_model<MyModel, MyOptions>(registries, "my_model", "what it is",
//                                           {"citation", "https://..."});
//     lvtext::add_component<MyReader, lvtext::RecordReader>(registries, "my_reader", "what it
//     reads");
//   }
#pragma once

#include <string>

#include "framework/core/model/registration.h"
#include "framework/core/options/choice.h"

namespace lvtext {

/// Version of everything that a plug-in compiles against: raised when a class in the installed
/// headers changes. A program refuses plug-ins of another version.
inline constexpr int kPluginInterface = 13;

/// Adds a plug-in's component to a family of options: a reader, a tokenizer, a packer, a schedule,
/// a stop condition or a trigger. `Class` derives from the family and declares its options in
/// visit().
template <class Class, class Family>
void add_component(const Registries& registries, const std::string& name, const std::string& help) {
  add_component<Class>(Family::components(), name, help, registries.loading);
}

}  // namespace lvtext

/// Begins the one function that a plug-in must have; the program calls it once, when the plug-in is
/// loaded. `registries` names its parameter, an lvtext::Registries&.
// NOLINTBEGIN(bugprone-macro-parentheses): `registries` is a name, which takes none.
#define LVTEXT_PLUGIN(registries)                                                   \
  extern "C" __attribute__((visibility("default"))) int lvtext_plugin_interface() { \
    return lvtext::kPluginInterface;                                                \
  }                                                                                 \
  extern "C" __attribute__((visibility("default"))) void lvtext_register(           \
      lvtext::Registries& registries)
// NOLINTEND(bugprone-macro-parentheses)
