// What registers this folder: the definition is generated from its folders
// (cmake/registration.cmake).
#pragma once

namespace lvtext {

struct Registries;

/// Adds every model below models/.
void register_all_models(Registries& registries);

}  // namespace lvtext
