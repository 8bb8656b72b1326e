#include "framework/cli/commands/completion.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "framework/cli/catalog.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/usage.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"

namespace lvtext {
namespace {

using Words = std::map<std::string, std::vector<std::string>>;

// What may follow each command ("" for the program itself): subcommands, flags and known names.
void collect(const CLI::App& command, const std::string& path, Words& words) {
  std::vector<std::string>& here = words[path];
  here = command_names(command);
  for (const auto& flag : flag_names(command)) here.push_back(flag);
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    collect(*each, path.empty() ? each->get_name() : path + " " + each->get_name(), words);
  }
}

void add_names(Words& words, Session& session) {
  const auto append = [&](const std::string& path, const std::vector<std::string>& names) {
    words[path].insert(words[path].end(), names.begin(), names.end());
  };
  const auto names_of = [&](const std::string& kind) {
    std::vector<std::string> names;
    for (const auto& each : catalog(kind, session)) names.push_back(each.name);
    return names;
  };
  append("list", catalog_kinds());
  append("help", {"model", "evaluator", "inference", "figure", "sheet", "train"});
  append("help model", names_of("models"));
  append("help evaluator", names_of("evaluators"));
  append("help inference", names_of("inference"));
  append("help figure", names_of("figures"));
  append("help sheet", names_of("sheets"));
  append("data get", names_of("datasets"));
  append("data verify", names_of("datasets"));
  append("completion", {"bash", "zsh", "fish"});
  append("config", names_of("recipes"));
  append("explain", names_of("recipes"));
  for (const auto& [path, unused] : Words(words)) {
    if (path == "reproduce" || path == "train" || path == "report") {
      append(path, names_of("recipes"));
    }
  }
}

// Bash, and zsh through its bashcompinit: the two words before the cursor choose the list.
std::string bash_script(const Words& words) {
  std::string script =
      "_lvtext() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" path=\"\" words=\"\"\n"
      "  [ \"$COMP_CWORD\" -gt 1 ] && path=\"${COMP_WORDS[1]}\"\n"
      "  case \"$path ${COMP_WORDS[2]}\" in\n";
  for (const auto& [path, unused] : words) {
    if (path.find(' ') == std::string::npos) continue;
    script += "    \"" + path + "\") [ \"$COMP_CWORD\" -gt 2 ] && path=\"" + path + "\";;\n";
  }
  script += "  esac\n  case \"$path\" in\n";
  for (const auto& [path, list] : words) {
    script += "    \"" + path + "\") words=\"" + join(list, " ") + "\";;\n";
  }
  return script +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "}\n"
         "complete -F _lvtext lvtext\n";
}

std::string fish_script(const Words& words) {
  std::string script;
  for (const auto& [path, list] : words) {
    std::string condition = "__fish_use_subcommand";
    if (!path.empty()) {
      std::vector<std::string> seen;
      for (const auto& word : split(path, ' ')) {
        seen.push_back("__fish_seen_subcommand_from " + word);
      }
      condition = join(seen, "; and ");
    }
    script += "complete -c lvtext -n '" + condition + "' -a '" + join(list, " ") + "'\n";
  }
  return script;
}

void run(const std::string& shell, const CLI::App& app, Session& session) {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  Words words;
  collect(app, "", words);
  add_names(words, session);
  if (shell == "bash") return print_text(bash_script(words));
  if (shell == "zsh") {
    return print_text("#compdef lvtext\nautoload -U +X bashcompinit && bashcompinit\n" +
                      bash_script(words));
  }
  if (shell == "fish") return print_text(fish_script(words));
  throw UsageError("unknown shell " + shown(shell) + "; " + suggestion(shell, shells));
}

}  // namespace

void add_completion(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("completion", "prints a script that completes lvtext's commands");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  command->callback([shell, &app, &session] { run(*shell, app, session); });
}

}  // namespace lvtext
