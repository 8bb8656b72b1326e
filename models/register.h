// Registration of all models. The definition is generated from the subfolders
// (cmake/registration.cmake).
#pragma once

namespace lvtext {

struct Registries;

/// Adds all models in models/.
void register_all_models(Registries& registries);

}  // namespace lvtext
