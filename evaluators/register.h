// Registration of all evaluators. The definition is generated from the subfolders
// (cmake/registration.cmake).
#pragma once

namespace lvtext {

struct Registries;

/// Adds all evaluators in evaluators/.
void register_all_evaluators(Registries& registries);

}  // namespace lvtext
