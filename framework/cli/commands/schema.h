// `lvtext schema [FILE]`: the shape of recipes and of the program's JSON files.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the command to `app`. It works on `session`, which must live as long as `app`.
void add_schema(CLI::App& app, Session& session);

}  // namespace lvtext
