// What may stand at the end of a command line.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// The words that may stand in the place of the last of `words` (the command line without the
/// program's name) and begin with it, sorted: commands, flags and their values, recipes, rows,
/// profiles, option keys of a recipe (one level at a time: "train.", "train.stop="), runs, names of
/// components. Empty where nothing is known: files, numbers. Never throws because of a recipe or a
/// run that is damaged.
std::vector<std::string> completions(const CLI::App& app, Session& session,
                                     const std::vector<std::string>& words);

}  // namespace lvtext
