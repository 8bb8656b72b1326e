// What registers this folder: the definition is generated from its folders
// (cmake/registration.cmake).
#pragma once

namespace lvtext {

struct Registries;

/// Adds every component of this folder.
void register_all_inference(Registries& registries);

}  // namespace lvtext
