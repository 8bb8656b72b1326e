#include "framework/cli/versions.h"

#include <torch/headeronly/version.h>

#include "framework/core/checkpoint/manifest.h"
#include "framework/core/model/plugin.h"
#include "framework/pipeline/recipe/recipe.h"
#include "lvtext_version.h"

namespace lvtext {

std::string version_text() {
  std::string text = "lvtext " + std::string(kVersion);
  if (!kCommit.empty()) text += " (" + std::string(kCommit) + ")";
  text += "\nLibTorch " + std::string(TORCH_VERSION);
  text += "\nformats: recipe " + std::to_string(kRecipeVersion);
  text += ", checkpoint and run " + std::to_string(kManifestVersion);
  text += ", plug-in interface " + std::to_string(kPluginInterface);
  return text;
}

}  // namespace lvtext
