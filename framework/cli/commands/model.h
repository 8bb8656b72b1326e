// `lvtext generate|reconstruct|interpolate|encode RUN`: one capability of a trained model each.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the commands to `app`. They work on `session`, which must live as long as `app`.
void add_model_commands(CLI::App& app, Session& session);

}  // namespace lvtext
