// Registers the kinds of this folder; the definition is generated from its files
// (cmake/registration.cmake).
#pragma once

namespace lvtext {

struct Registries;

/// Adds every kind of rating sheet of this folder.
void register_all_sheets(Registries& registries);

}  // namespace lvtext
