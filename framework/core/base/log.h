// Messages and progress for people, all on stderr; stdout belongs to results. Messages go through
// spdlog's default logger; parts that compute use the functions below, because LibTorch's headers
// bring an {fmt} of their own that spdlog's do not compile with.
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

/// One message each, on spdlog's default logger.
void log_info(const std::string& message);
void log_warning(const std::string& message);
void log_error(const std::string& message);

/// True if stderr is a terminal that can redraw a line.
bool stderr_is_terminal();

/// The state of one long task. On a terminal: one live line, redrawn at most ten times a second and
/// gone when the object ends. Elsewhere: one line per period. Silent in quiet mode. Messages logged
/// meanwhile do not tear the live line. One object at a time is drawn.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  /// `stream` is where it is drawn and `terminal` says how; the defaults are stderr and what it is.
  explicit ProgressLine(std::chrono::milliseconds period = std::chrono::seconds(30));
  ProgressLine(std::chrono::milliseconds period, FILE* stream, bool terminal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Shows `text` now if it is time to. Cheap otherwise; `text` has no line end.
  void update(const std::string& text, Clock::time_point now = Clock::now());
  /// Shows the last text, if it was not shown yet, as a line that stays.
  void finish();
  /// Takes the live line off the screen until the next update; what the logger calls.
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
