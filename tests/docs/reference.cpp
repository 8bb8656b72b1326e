// Generates the reference pages of declared options: docs_reference FOLDER writes recipe.md,
// data.md, train.md, models.md and evaluators.md. scripts/reference.sh adds the commands.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "evaluators/evaluator.h"
#include "evaluators/register.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/json.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/recipe/recipe.h"
#include "models/register.h"
#include "trainers/options.h"

namespace lvtext {

namespace {

std::string page(const std::string& title, const std::string& text) {
  return "<!-- Written by scripts/reference.sh from the code: change the code, not this file. "
         "-->\n# " +
         title + "\n\n" + text;
}

std::string about_text(const About& about) {
  std::string text = "## `" + about.name + "`\n" + about.description + ".";
  if (!about.source.citation.empty()) {
    text += about.source.url.empty()
                ? " Source: " + about.source.citation + "."
                : " Source: [" + about.source.citation + "](" + about.source.url + ").";
  }
  return text + "\n\n";
}

/// The table of options. Escapes "<" outside code, which would start an HTML tag.
std::string options_text(const Schema& schema) {
  if (schema.fields.empty()) return "No options.\n";
  std::string text;
  bool in_code = false;
  for (const char c : markdown_table(schema)) {
    if (c == '`') in_code = !in_code;
    text += c == '<' && !in_code ? std::string("&lt;") : std::string(1, c);
  }
  return text;
}

std::string models_page(const Registry<Component>& models) {
  std::string text =
      "The options are keys of a row of `models:`, like `model`, `label` and `train`.\n"
      "At a terminal: `lvtext help model NAME`.\n";
  for (const auto& name : models.names()) {
    const Component& entry = models.get(name);
    text += "\n" + about_text(entry.about) + options_text(entry.about.schema) +
            "\nCapabilities: " + join(entry.capabilities) + ". Revision " +
            std::to_string(entry.revision) + ".\n";
  }
  return page("Models", text);
}

std::string default_text(const InputDecl& input) {
  if (input.type == ArtifactType::kScores) return "none: the recipe names metrics";
  return "`" +
         (input.by_default.is_mapping() ? canonical_json(input.by_default).dump()
                                        : input.by_default.text()) +
         "`";
}

/// One line for each input: its default and the required capabilities.
std::string inputs_text(const std::vector<InputDecl>& inputs) {
  std::string text = "| input | description | default |\n|---|---|---|\n";
  for (const InputDecl& input : inputs) {
    const bool is_model = input.type == ArtifactType::kModel;
    text += "| `" + input.name + "` | " + input.help +
            (is_model ? " (" + join(input.capabilities) + ")" : "") + " | " + default_text(input) +
            " |\n";
  }
  return text;
}

std::string evaluators_page(const Registry<Component>& evaluators) {
  std::string text =
      "The options are keys of a metric of `evaluate:`, like `evaluator`, `score` and `inputs`.\n"
      "At a terminal: `lvtext help evaluator NAME`.\n";
  for (const auto& name : evaluators.names()) {
    const Component& entry = evaluators.get(name);
    text += "\n" + about_text(entry.about) + options_text(entry.about.schema) + "\n" +
            inputs_text(entry.configure().inputs) + "\nScores:\n";
    for (const ScoreDecl& each : entry.scores) {
      text += "- `" + each.id + "`" + (each.help.empty() ? "" : ": " + each.help) + "\n";
    }
    text += "\nRevision " + std::to_string(entry.revision) + ".\n";
  }
  return page("Evaluators", text);
}

void write_pages(const std::filesystem::path& folder) {
  Registries registries;
  register_all_models(registries);
  register_all_evaluators(registries);
  const auto write = [&folder](const char* name, const std::string& text) {
    write_file_atomic(folder / name, text);
  };
  write("recipe.md", page("Keys of a recipe",
                          "How to combine them: [recipes](../recipes.md).\n"
                          "Further pages: [data](data.md), [train](train.md), [models](models.md), "
                          "[evaluators](evaluators.md).\n\n" +
                              options_text(describe<RecipeOptions>())));
  write("data.md", page("The `data:` block", "How it is used: [data](../data.md).\n\n" +
                                                 options_text(describe<DataBlock>())));
  write("train.md",
        page("The `train:` block",
             "The recipe's block is the default of all rows; a row's own block overrides it.\n"
             "Periods: `500u` updates, `2e` epochs, `64t`, `10Kt`, `10Mt` tokens, `30s`, `10min`, "
             "`2h`. At a terminal: `lvtext help train`.\n\n" +
                 options_text(describe<TrainOptions>())));
  write("models.md", models_page(registries.models));
  write("evaluators.md", evaluators_page(registries.evaluators));
}

}  // namespace
}  // namespace lvtext

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: docs_reference FOLDER\n", stderr);
    return 64;
  }
  try {
    lvtext::write_pages(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "docs_reference: %s\n", error.what());
    return 70;
  }
}
