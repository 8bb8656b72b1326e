// `lvtext eval RUN` and `lvtext eval --outputs FILE`: scores without a recipe.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the command to `app`. It works on `session`, which must live as long as `app`.
void add_eval(CLI::App& app, Session& session);

}  // namespace lvtext
