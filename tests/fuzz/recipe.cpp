// Recipes: YAML to a tree and back, and to a recipe with its profile, axes and defaults.
#include "framework/pipeline/recipe/recipe.h"

#include "framework/core/options/dump.h"
#include "framework/core/options/json.h"
#include "framework/core/options/yaml.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lvtext;
  const std::string text(fuzz::text_of(data, size));
  Node tree;
  if (!fuzz::accepted([&] { tree = parse_yaml_or_throw(text); })) return 0;
  Node again;
  const bool read = fuzz::accepted([&] { again = parse_yaml_or_throw(to_yaml(tree)); });
  fuzz::require(read && to_json(again) == to_json(tree), "a tree written as YAML is read back");

  const auto file = fuzz::write_file("recipe.yaml", text);
  Recipe recipe;
  if (!fuzz::accepted([&] { recipe = load_recipe({file.string(), "", "cpu", {}, {}}); })) return 0;
  const auto expanded = fuzz::write_file("expanded.yaml", to_yaml(expanded_recipe(recipe)));
  Recipe same;
  const bool loaded = fuzz::accepted([&] {
    same = load_recipe({expanded.string(), recipe.profile, "", {}, {}});
  });
  fuzz::require(loaded, "the expanded recipe is accepted");
  fuzz::require(same.rows() == recipe.rows(), "the expanded recipe has the same rows");
  return 0;
}
