// `lvtext data pack|build|import`: what is made of data sets and of texts.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the commands to `group`. They work on `session`, which must live as long as `group`.
void add_data_makers(CLI::App& group, Session& session);

}  // namespace lvtext
