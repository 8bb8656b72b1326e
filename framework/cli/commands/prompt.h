// `lvtext prompt|chat|probe RUN`: a conversation with a trained model.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the commands to `app`. They work on `session`, which must live as long as `app`.
void add_prompt(CLI::App& app, Session& session);

}  // namespace lvtext
