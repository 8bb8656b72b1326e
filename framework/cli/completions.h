// Shell completion: candidates for the last word of a command line.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Completions of the last of `words` (the command line without the program's name), sorted:
/// commands, flags and their values, recipes, rows, profiles, option keys of a recipe (one level at
/// a time: "train.", "train.stop="), runs, names of components. Empty for files and numbers. Never
/// throws because of a damaged recipe or run.
std::vector<std::string> completions(const CLI::App& app, Session& session,
                                     const std::vector<std::string>& words);

}  // namespace lvtext
