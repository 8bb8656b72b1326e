// What registers this folder: the definition is generated from its folders
// (cmake/registration.cmake).
#pragma once

namespace lvtext {

struct Registries;

/// Adds every evaluator below evaluators/.
void register_all_evaluators(Registries& registries);

}  // namespace lvtext
