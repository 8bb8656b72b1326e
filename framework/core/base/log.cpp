#include "framework/core/base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "framework/core/base/characters.h"
#include "framework/core/base/printable.h"

namespace lvtext {
namespace {

std::atomic<ProgressLine*> live_line{nullptr};
std::atomic<Verbosity> chosen_verbosity{Verbosity::kNormal};

/// Writes messages to stderr, after removing the progress line from the screen.
class StderrSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit StderrSink(bool colored) : colored_(colored) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (ProgressLine* line = live_line) line->clear();
    const char* prefix = "";
    const char* color = "";
    if (message.level >= spdlog::level::err) {
      prefix = "error: ";
      color = "\033[31m";
    } else if (message.level == spdlog::level::warn) {
      prefix = "warning: ";
      color = "\033[33m";
    }
    const std::string text = printable({message.payload.data(), message.payload.size()});
    // A report of mistakes has "LOCATION: error: TEXT" in each line.
    const size_t end = text.substr(0, text.find('\n')).find(": error: ");
    const bool is_report = end != std::string::npos && end > 0 && is_digit(text[end - 1]);
    if (message.level >= spdlog::level::err && is_report) prefix = "";
    const bool paint = colored_ && *color && *prefix;
    std::fprintf(stderr, "%s%s%s%s\n", paint ? color : "", prefix, paint ? "\033[0m" : "",
                 text.c_str());
  }
  void flush_() override { std::fflush(stderr); }

 private:
  bool colored_;
};

int terminal_columns(FILE* stream) {
  struct winsize size {};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

/// As many whole UTF-8 characters of `text` as fit into `columns`, one column each.
std::string cut(const std::string& text, int columns) {
  size_t at = 0;
  for (int used = 0; at < text.size() && used < columns; ++used) {
    do {
      ++at;
    } while (at < text.size() && is_utf8_continuation(text[at]));
  }
  return text.substr(0, at);
}

}  // namespace

void set_up_log(Verbosity verbosity) {
  chosen_verbosity = verbosity;
  const char* no_color = std::getenv("NO_COLOR");
  const bool colored = stderr_is_terminal() && !(no_color && *no_color);
  auto logger = std::make_shared<spdlog::logger>("lvtext", std::make_shared<StderrSink>(colored));
  logger->set_level(verbosity == Verbosity::kQuiet     ? spdlog::level::warn
                    : verbosity == Verbosity::kVerbose ? spdlog::level::debug
                                                       : spdlog::level::info);
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

void log_info(const std::string& message) {
  spdlog::info("{}", message);
}
void log_warning(const std::string& message) {
  spdlog::warn("{}", message);
}
void log_error(const std::string& message) {
  spdlog::error("{}", message);
}

bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) && !(kind && std::string(kind) == "dumb");
}

ProgressLine::ProgressLine(std::chrono::milliseconds period)
    : ProgressLine(period, stderr, stderr_is_terminal()) {}

ProgressLine::ProgressLine(std::chrono::milliseconds period, FILE* stream, bool terminal)
    : period_(terminal ? std::chrono::milliseconds(100) : period),
      stream_(stream),
      terminal_(terminal) {
  ProgressLine* none = nullptr;
  live_line.compare_exchange_strong(none, this);
}

ProgressLine::~ProgressLine() {
  clear();
  ProgressLine* self = this;
  live_line.compare_exchange_strong(self, nullptr);
}

void ProgressLine::update(const std::string& text, Clock::time_point now) {
  text_ = printable_line(text);
  pending_ = true;
  if (drawn_once_ && now - last_ < period_) return;
  drawn_once_ = true;
  last_ = now;
  draw(text_);
}

void ProgressLine::draw(const std::string& text) {
  if (chosen_verbosity == Verbosity::kQuiet || live_line != this) return;
  if (terminal_) {
    // One column stays free: some terminals wrap as soon as the last one is used.
    std::fprintf(stream_, "\r\033[K%s", cut(text, terminal_columns(stream_) - 1).c_str());
    visible_ = true;
  } else {
    std::fprintf(stream_, "%s\n", text.c_str());
  }
  std::fflush(stream_);
  pending_ = false;
}

void ProgressLine::finish() {
  if (terminal_ && visible_) pending_ = true;
  clear();
  if (pending_ && chosen_verbosity != Verbosity::kQuiet && live_line == this) {
    std::fprintf(stream_, "%s\n", text_.c_str());
    std::fflush(stream_);
  }
  pending_ = false;
}

void ProgressLine::clear() {
  if (!visible_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
  visible_ = false;
}

}  // namespace lvtext
