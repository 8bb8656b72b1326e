#include "framework/cli/completions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "framework/cli/catalog.h"
#include "framework/cli/run_argument.h"
#include "framework/cli/session.h"
#include "framework/cli/usage.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/recipe/recipe.h"
#include "framework/pipeline/runs/run_name.h"
#include "framework/pipeline/store/trained_run.h"
#include "trainers/options.h"

namespace lvtext {
namespace {

using Words = std::vector<std::string>;

/// An incomplete command line.
struct Line {
  const CLI::App* command = nullptr;
  std::string path;                          ///< "runs show"
  Words given;                               ///< positional arguments
  std::map<std::string, std::string> flags;  ///< flags with a value, as --name
  std::string open_flag;                     ///< flag whose value is completed, or empty
  std::string word;                          ///< word to complete
};

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

/// The values that the declaration of an option lists (name_among()); empty if it lists none.
Words declared_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();  // "TEXT:{auto,cpu,cuda}"
  const size_t from = type.find('{'), to = type.rfind('}');
  return from < to && to != type.npos ? split(type.substr(from + 1, to - from - 1), ',') : Words();
}

/// The positional arguments of a command.
std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

/// The argument that the line gives for RECIPE or RUN; empty if it does not.
std::string main_argument(const Line& line) {
  const auto arguments = arguments_of(*line.command);
  for (size_t i = 0; i < std::min(arguments.size(), line.given.size()); ++i) {
    const std::string name = arguments[i]->get_name();
    if (name == "RECIPE" || name == "RUN") return line.given[i];
  }
  return "";
}

/// The subcommand of that name or alias; null if there is none.
const CLI::App* subcommand(const CLI::App& command, const std::string& name) {
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->check_name(name)) return each;
  }
  return nullptr;
}

Line read_line(const CLI::App& app, const Words& words) {
  Line line{.command = &app};
  line.word = words.empty() ? "" : words.back();
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (!line.open_flag.empty()) {
      line.flags[line.open_flag] = word;
      line.open_flag.clear();
      continue;
    }
    if (word.size() > 1 && word[0] == '-') {
      const size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      if (!takes_value(line.command->get_option_no_throw(name))) continue;
      if (equals == std::string::npos) {
        line.open_flag = name;
      } else {
        line.flags[name] = word.substr(equals + 1);
      }
      continue;
    }
    const CLI::App* next = subcommand(*line.command, word);
    if (next == nullptr) {
      line.given.push_back(word);
      continue;
    }
    line.command = next;
    line.path += (line.path.empty() ? "" : " ") + word;
  }
  return line;
}

Words names_of(const std::string& kind, Session& session) {
  Words names;
  for (const auto& each : catalog(kind, session)) names.push_back(each.name);
  return names;
}

/// Loads a recipe, ignoring its structural errors. Throws the exceptions of load_recipe().
Recipe recipe_of(const Line& line, const std::string& profile, const Session& session) {
  Errors ignored;
  return load_recipe({main_argument(line), profile, "cpu", {}, session.installation}, ignored);
}

Words profiles_of(const Recipe& recipe) {
  Words names;
  for (const auto& [name, unused] : recipe.options.profiles) names.push_back(name);
  return names;
}

/// Adds the dotted keys of declared options with their allowed values.
void add_fields(const std::vector<FieldSchema>& fields, const std::string& prefix,
                std::map<std::string, Words>& keys) {
  for (const FieldSchema& field : fields) {
    const std::string key = prefix + field.key;
    if (field.type.kind == TypeSchema::Kind::kStruct) {
      add_fields(field.type.fields, key + ".", keys);
      continue;
    }
    Words& values = keys[key];
    if (field.type.kind == TypeSchema::Kind::kBool) values = {"false", "true"};
    for (const auto& each : field.type.names) values.push_back(each.name);
  }
}

/// Adds the dotted keys of the leaves of a recipe's tree.
void add_leaves(const Node& node, const std::string& path, std::map<std::string, Words>& keys) {
  if (!node.is_mapping() || node.entries().empty()) {
    keys.try_emplace(path);
    return;
  }
  for (const auto& entry : node.entries()) {
    if (path.empty() && entry.key == "profiles") continue;
    add_leaves(entry.value, path.empty() ? entry.key : path + "." + entry.key, keys);
  }
}

/// The option keys of a recipe, with the allowed values where these are declared.
std::map<std::string, Words> option_keys(const Recipe& recipe, Session& session) {
  std::map<std::string, Words> keys;
  add_leaves(recipe.tree, "", keys);
  const std::vector<FieldSchema> train = describe<TrainOptions>().fields;
  add_fields(train, "train.", keys);
  for (const auto& entry : recipe.options.models.entries()) {
    const std::string prefix = "models." + entry.key + ".";
    const Node* name = component_name(entry.value);
    const Component* model = name ? session.registries().models.find(name->text()) : nullptr;
    if (!model) continue;
    add_fields(model->about.schema.fields, prefix, keys);
    add_fields(train, prefix + "train.", keys);
  }
  return keys;
}

/// Completes `word` to the next '.' of matching keys; complete keys end in '='.
Words keys_at(const std::map<std::string, Words>& keys, const std::string& word) {
  if (const size_t equals = word.find('='); equals != std::string::npos) {
    const auto found = keys.find(word.substr(0, equals));
    Words values = found == keys.end() ? Words() : found->second;
    for (auto& value : values) value.insert(0, found->first + "=");
    return values;
  }
  std::set<std::string> next;
  for (const auto& [key, values] : keys) {
    if (!key.starts_with(word)) continue;
    const size_t point = key.find('.', word.size());
    next.insert(point == std::string::npos ? key + "=" : key.substr(0, point + 1));
  }
  return {next.begin(), next.end()};
}

Words keys_of(const Line& line, Session& session, bool chooses_run) {
  const auto flag = line.flags.find("--profile");
  std::string profile = flag == line.flags.end() ? "" : flag->second;
  for (const auto& word : line.given) {
    if (chooses_run && word.starts_with("profile=")) profile = word.substr(8);
  }
  const Recipe recipe = recipe_of(line, profile, session);
  auto keys = option_keys(recipe, session);
  if (chooses_run) {
    keys["row"] = recipe.rows();
    keys["profile"] = profiles_of(recipe);
    keys["seed"];
  }
  return keys_at(keys, line.word);
}

Words runs_of(const Session& session, bool models_alone) {
  Words names = {kLatestRun};
  std::map<std::string, std::set<std::string>> by_name;
  for (const FoundRun& run : find_runs(session.runs)) {
    if (!models_alone || run.is_model()) by_name[short_name(run.name())].insert(run.name());
  }
  for (auto& [name, folders] : by_name) {  // an ambiguous short name is replaced by the folders
    if (folders.size() == 1) folders = {name};
    names.insert(names.end(), folders.begin(), folders.end());
  }
  return names;
}

/// Completes the last name of a comma-separated list.
Words next_of_list(const Words& names, const std::string& word) {
  const size_t comma = word.rfind(',');
  const std::string typed = comma == std::string::npos ? "" : word.substr(0, comma + 1);
  Words found;
  for (const auto& name : names) found.push_back(typed + name);
  return found;
}

Words checkpoints_of(const Line& line, Session& session) {
  Words names = {"best:objective", "last"};
  try {
    const FoundRun run = find_model(main_argument(line), session.runs);
    const char* kept = run.finished() ? "snapshots" : "checkpoints";
    for (const auto& [step, folder] : list_checkpoints(run.folder / kept)) {
      names.push_back("step:" + std::to_string(step));
    }
  } catch (const Error&) {  // no such run: only the names that every run has
  }
  return names;
}

Words values_of_flag(const Line& line, Session& session) {
  const std::string& flag = line.open_flag;
  Words declared = declared_values(*line.command->get_option(flag));
  if (!declared.empty()) return declared;
  if (flag == "--policy") {
    return {"beam:", "greedy", "nucleus:", "sample", "temperature:", "topk:"};
  }
  if (flag == "--recipe") return names_of("recipes", session);
  if (flag == "--evaluators") return next_of_list(names_of("evaluators", session), line.word);
  if (flag == "--checkpoint") return checkpoints_of(line, session);
  if (flag == "--from" || flag == "--to") {
    return style_names(find_model(main_argument(line), session.runs).folder);
  }
  if (flag == "--rows") return next_of_list(recipe_of(line, "", session).rows(), line.word);
  return flag == "--profile" ? profiles_of(recipe_of(line, "", session)) : Words();
}

Words cells_of(const Recipe& recipe) {
  Words cells;
  for (const auto& row : recipe.rows()) {
    for (const auto& metric : recipe.known_metrics()) cells.push_back(row + "." + metric);
  }
  return cells;
}

/// Runs, recipes, and after a recipe its option keys.
Words run_words(const Line& line, Session& session, bool models_alone) {
  if (is_recipe(main_argument(line), session)) return keys_of(line, session, true);
  Words names = runs_of(session, models_alone);
  const Words recipes = names_of("recipes", session);
  names.insert(names.end(), recipes.begin(), recipes.end());
  return names;
}

/// Words that `help` explains: commands and kinds of components.
Words topics(const CLI::App& app) {
  Words names = command_names(app);
  for (const std::string& kind : component_kinds()) names.push_back(singular(kind));
  return names;
}

/// Candidates after `help TOPIC`: names of components or of subcommands.
Words subtopics(const CLI::App& app, const std::string& topic, Session& session) {
  const std::string kind = component_kind(topic);
  if (!kind.empty()) return names_of(kind, session);
  const CLI::App* command = subcommand(app, topic);
  return command == nullptr ? Words() : command_names(*command);
}

/// Candidates for the next positional argument, by its name in the declaration of the command.
Words positionals(const Line& line, Session& session) {
  const auto arguments = arguments_of(*line.command);
  if (arguments.empty()) return {};
  const CLI::Option& next = *arguments[std::min(line.given.size(), arguments.size() - 1)];
  const bool is_over = line.given.size() >= arguments.size() && next.get_items_expected_max() < 2;
  if (is_over) return {};
  Words declared = declared_values(next);
  if (!declared.empty()) return declared;
  const std::string name = next.get_name();
  if (name == "RECIPE") return names_of("recipes", session);
  if (name == "OVERRIDES") return keys_of(line, session, false);
  if (name == "RUN") return run_words(line, session, !line.path.starts_with("runs "));
  if (name == "LINE.COLUMN") return cells_of(recipe_of(line, "", session));
  if (name == "SET" || name == "SOURCE") return names_of("datasets", session);
  if (name == "SHEET") return names_of("sheets", session);
  if (line.path != "help") return {};
  const CLI::App& app = *line.command->get_parent();
  return name == "KIND" ? topics(app) : subtopics(app, line.given.front(), session);
}

Words candidates(const Line& line, Session& session) {
  if (!line.open_flag.empty()) return values_of_flag(line, session);
  if (line.word.starts_with("-")) return flag_names(*line.command);
  Words names = command_names(*line.command);
  if (!names.empty()) return names;
  return positionals(line, session);
}

}  // namespace

Words completions(const CLI::App& app, Session& session, const Words& words) {
  const Line line = read_line(app, words);
  if (const auto out = line.flags.find("--out"); out != line.flags.end())
    session.runs = out->second;
  Words names;
  try {
    names = candidates(line, session);
  } catch (const Error&) {  // from a recipe, run or plug-in; the command itself reports it
    return {};
  }
  std::erase_if(names, [&](const auto& name) { return !name.starts_with(line.word); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace lvtext
