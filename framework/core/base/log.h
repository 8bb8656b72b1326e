// Messages and progress on stderr; stdout is reserved for results. Messages are written to spdlog's
// default logger through the functions below, because LibTorch's headers include a version of {fmt}
// that is incompatible with spdlog's headers.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace lvtext {

enum class Verbosity { kQuiet, kNormal, kVerbose };

/// Configures spdlog's default logger: stderr, "warning: text" without times (so that the same run
/// prints the same text), colors on a terminal unless NO_COLOR is set. kQuiet shows warnings and
/// errors only, kVerbose debugging messages too. May be called again.
void set_up_log(Verbosity verbosity);

/// Log a message with spdlog's default logger.
void log_info(const std::string& message);
void log_warning(const std::string& message);
void log_error(const std::string& message);

/// True if stderr is a terminal that can redraw a line.
bool stderr_is_terminal();

/// Progress display of a long task. On a terminal: one line, redrawn at most ten times per second
/// and removed at the end. Otherwise: one line per period. Silent in quiet mode. Log messages do
/// not corrupt the line. Only one object is displayed at a time.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  /// `stream`: output, by default stderr; `terminal`: whether it can redraw a line, by default
  /// detected.
  explicit ProgressLine(std::chrono::milliseconds period = std::chrono::seconds(30));
  ProgressLine(std::chrono::milliseconds period, FILE* stream, bool terminal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Shows `text`, with control characters escaped, if the period has passed; otherwise only stores
  /// it.
  void update(const std::string& text, Clock::time_point now = Clock::now());
  /// Prints the latest text as a permanent line unless it has been printed as one.
  void finish();
  /// Removes the line until the next update; called by the logger.
  void clear();

 private:
  void draw(const std::string& text);
  std::chrono::milliseconds period_;
  FILE* stream_;
  bool terminal_;
  bool visible_ = false;
  bool pending_ = false;
  bool drawn_once_ = false;
  Clock::time_point last_;
  std::string text_;
};

}  // namespace lvtext
