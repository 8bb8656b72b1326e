// `lvtext rate export` and `rate import`: people's judgment of generated text.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the commands to `app`. They work on `session`, which must live as long as `app`.
void add_rate(CLI::App& app, Session& session);

}  // namespace lvtext
