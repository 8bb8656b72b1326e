// `lvtext explain RECIPE LINE.COLUMN`: what stands behind a cell of a table.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the command to `app`. It works on `session`, which must live as long as `app`.
void add_explain(CLI::App& app, Session& session);

}  // namespace lvtext
