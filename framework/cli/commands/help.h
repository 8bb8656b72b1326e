// `lvtext help [KIND NAME]`: the commands, or a component and its options.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the command to `app`. It works on `session`, which must live as long as `app`.
void add_help(CLI::App& app, Session& session);

}  // namespace lvtext
