// `lvtext reproduce`, `train` and `report`: from a recipe to trained runs, scores and a report.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the three commands to `app`. They work on `session`, which must live as long as `app`.
void add_reproduce(CLI::App& app, Session& session);

}  // namespace lvtext
