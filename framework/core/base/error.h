// Errors that end a command. Each kind has one exit code (docs/errors.md); any other exception that
// reaches main() is a bug and exits with 70.
#pragma once

#include <stdexcept>
#include <string>

namespace lvtext {

/// Exit codes, as in sysexits.h where it defines one.
enum class Exit : int {
  kDone = 0,
  kSomeFailed = 1,
  kUsage = 64,
  kBadData = 65,
  kMissingInput = 66,
  kUnavailable = 69,
  kBug = 70,
  kOutOfResources = 71,
  kCannotWrite = 73,
  kIo = 74,
  kInterrupted = 75,
  kPeerFailed = 76,
  kNoPermission = 77,
  kBadConfig = 78,
};

/// A mistake or failure that a user can act on: the message states the location, what is wrong,
/// what is allowed and the nearest fix. Printed without a stack trace.
class Error : public std::runtime_error {
 public:
  Error(Exit code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

/// An invalid recipe, key or value (78).
struct ConfigError : Error {
  explicit ConfigError(const std::string& message) : Error(Exit::kBadConfig, message) {}
};
/// An unknown command, flag or override (64).
struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(Exit::kUsage, message) {}
};
/// A file with damaged, malformed or unknown content (65).
struct DataError : Error {
  explicit DataError(const std::string& message) : Error(Exit::kBadData, message) {}
};
/// A missing file, data set or run (66).
struct MissingError : Error {
  explicit MissingError(const std::string& message) : Error(Exit::kMissingInput, message) {}
};
/// A missing device or service (69).
struct DeviceError : Error {
  explicit DeviceError(const std::string& message) : Error(Exit::kUnavailable, message) {}
};
/// Stopped by a signal after saving, or the run is owned by a live process (75): run it again.
struct Interrupted : Error {
  explicit Interrupted(const std::string& message) : Error(Exit::kInterrupted, message) {}
};

/// An Error for a failed system call, with exit code 71, 73, 74 or 77 depending on `errno_value`.
/// `doing`: a phrase such as "write" or "create the folder".
Error io_error(const std::string& doing, const std::string& path, int errno_value);

/// A violated invariant: a bug (70), never a mistake of the user.
[[noreturn]] void fail_invariant(const char* condition, const char* file, int line,
                                 const std::string& message);

}  // namespace lvtext

/// Checks an invariant; on failure throws std::logic_error with location and message.
#define LVT_ASSERT(condition, message)                                                     \
  do {                                                                                     \
    if (!(condition)) ::lvtext::fail_invariant(#condition, __FILE__, __LINE__, (message)); \
  } while (false)
