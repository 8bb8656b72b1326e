// `lvtext runs export` and `import`: finished runs copied to another folder or machine.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds both to the group `runs`. `session` must outlive `group`.
void add_runs_exchange(CLI::App& group, Session& session);

}  // namespace lvtext
