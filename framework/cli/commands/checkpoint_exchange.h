// `lvtext checkpoint export|import`: weights to and from folders that other programs read.
#pragma once

namespace CLI {
class App;
}

namespace lvtext {

class Session;

/// Adds the commands to `group`. They work on `session`, which must live as long as `group`.
void add_checkpoint_exchange(CLI::App& group, Session& session);

}  // namespace lvtext
