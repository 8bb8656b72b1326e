// Lookup of a recipe file by its name on the command line.
#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/recipe/recipe.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

bool is_yaml(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

std::vector<fs::path> yaml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (is_yaml(entry.path()) && entry.is_regular_file(failed)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The names <paper>/<table> of all recipes below a folder.
std::vector<std::string> names_below(const fs::path& root) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& paper : fs::directory_iterator(root, failed)) {
    for (const fs::path& file : yaml_files(paper.path())) {
      names.push_back(paper.path().filename().string() + "/" + file.stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The only recipe of a folder; the path itself if it is not a folder (errors are reported when it
// is read); none if it does not exist.
std::optional<fs::path> one_recipe(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) return std::nullopt;
  if (!fs::is_directory(status)) return path;
  std::vector<fs::path> files = yaml_files(path);
  if (files.size() == 1) return files[0];
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(file.filename().string());
  throw MissingError("the folder " + shown(path.string()) +
                     (names.empty() ? " has no recipe (*.yaml)"
                                    : " has several recipes; specify one: " + join(names)));
}

}  // namespace

std::filesystem::path find_recipe(const std::string& name,
                                  const std::filesystem::path& installation) {
  if (auto found = one_recipe(name)) return *found;
  std::vector<fs::path> roots{"recipes"};
  if (!installation.empty()) roots.push_back(installation / "recipes");
  std::vector<std::string> known;
  for (const fs::path& root : roots) {
    for (const char* extension : {".yaml", ".yml"}) {
      std::error_code failed;
      fs::path file = root / (name + extension);
      if (fs::is_regular_file(file, failed)) return file;
    }
    if (auto found = name.empty() ? std::nullopt : one_recipe(root / name)) return *found;
    for (std::string& each : names_below(root)) known.push_back(std::move(each));
  }
  const std::string none = "there is no folder recipes/ in this directory";
  if (is_yaml(name)) {
    throw MissingError("the recipe file " + shown(name) + " does not exist; " +
                       (known.empty() ? none : "recipes available by name: " + join(known)));
  }
  throw MissingError("no recipe " + shown(name) + "; " +
                     (known.empty() ? none : suggestion(name, known)));
}

}  // namespace lvtext
