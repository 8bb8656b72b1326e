// `lvtext runs ls|show|compare|rm|gc|reindex`: what stands in the folder of runs.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the command to `app`. It works on `session`, which must live as long as `app`.
void add_runs(CLI::App& app, Session& session);

}  // namespace lvtext
