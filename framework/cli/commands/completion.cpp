#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "framework/cli/completions.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/values.h"

namespace lvtext {
namespace {

/// The hidden command that the scripts call.
constexpr const char* kCompleteCommand = "__complete";

// Each script runs `lvtext __complete -- WORDS...`, which prints completions of the last word. No
// space is appended to completions that end in '.', '=', ':' or ','.

// Readline also splits words at '=', ':' and '@' and replaces only the part after the last split.
constexpr const char* kBash = R"sh(_lvtext() {
  local line="${COMP_LINE:0:COMP_POINT}" part="${COMP_WORDS[COMP_CWORD]}" each
  local -a words found
  read -ra words <<<"$line"
  case "$line" in *[[:space:]]) words+=("") ;; esac
  local word="${words[${#words[@]}-1]}"
  case "$part" in [=:@]) part="" ;; esac
  local before="${word%"$part"}"
  COMPREPLY=()
  while IFS= read -r each; do
    [ -n "$each" ] && COMPREPLY+=("${each#"$before"}")
  done < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)
  if [ "${#COMPREPLY[@]}" -eq 0 ]; then
    while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen -f -- "$part")
    compopt -o filenames 2>/dev/null
  fi
  case "${COMPREPLY[0]}" in *[.=:,]) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _lvtext lvtext
)sh";

constexpr const char* kZsh = R"sh(#compdef lvtext
_lvtext() {
  local -a found open
  found=(${(f)"$(${words[1]} __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  open=(${(M)found:#*[.=:,]})
  found=(${found:#*[.=:,]})
  (( $#open )) && compadd -S '' -- $open
  (( $#found )) && compadd -- $found
  (( $#open + $#found )) || _files
}
compdef _lvtext lvtext
)sh";

constexpr const char* kFish = R"sh(function __lvtext_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete -- $words[2..] 2>/dev/null
end
complete -c lvtext -a '(__lvtext_complete)'
)sh";

void print_script(const std::string& shell) {
  print_text(shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish);
}

}  // namespace

void add_completion(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("completion", "prints a shell script that completes commands of lvtext");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "the shell")
      ->required()
      ->check(name_among({"bash", "fish", "zsh"}));
  command->callback([shell] { print_script(*shell); });

  CLI::App* asked =
      app.add_subcommand(kCompleteCommand, "prints completions of the last word")->group("");
  auto words = std::make_shared<std::vector<std::string>>();
  asked->add_option("WORDS", *words, "words of the command line");
  asked->callback([words, &app, &session] {
    for (const auto& each : completions(app, session, *words)) print_text(each);
  });
}

}  // namespace lvtext
