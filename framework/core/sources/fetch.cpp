#include "framework/core/sources/fetch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/pins.h"

namespace lvtext {
namespace {

/// How the file at `path` differs from the expected size and SHA-256; empty if it does not.
std::string problem_of(const Pin& expected, const std::filesystem::path& path) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);
  if (failed) return "it cannot be read (" + failed.message() + ")";
  if (static_cast<int64_t>(bytes) != expected.bytes) {
    return "it has " + format_count(static_cast<int64_t>(bytes), "byte") + ", expected " +
           format_count(expected.bytes) +
           (static_cast<int64_t>(bytes) < expected.bytes ? " (truncated?)" : "");
  }
  const std::string hash = sha256_file(path);
  return hash == expected.sha256 ? "" : "its SHA-256 is " + hash + ", expected " + expected.sha256;
}

/// Expected size and SHA-256; nullopt for an unpinned file before its first fetch.
std::optional<Pin> expected_pin(const DataFile& file, const DataLocations& locations) {
  if (!file.sha256.empty()) return Pin{file.bytes, file.sha256};
  return read_pin(file, locations.cache);
}

/// Path of the file in the mirror, else in the cache, unverified; empty if neither has it.
std::filesystem::path find(const DataFile& file, const DataLocations& locations) {
  for (const auto& folder : {locations.mirror, locations.cache}) {
    if (!folder.empty() && std::filesystem::exists(folder / file.path)) return folder / file.path;
  }
  return {};
}

MissingError missing(const Manifest& set, const DataFile& file, const DataLocations& locations,
                     const std::string& tried) {
  std::string text = "data.set=" + set.name + ": the file '" + file.path + "' is missing. ";
  std::error_code absent;
  text += file.urls.empty() ? "It has no public URL (mirror-only). "
                            : "Download failed from all URLs (" + tried + "). ";
  text += locations.mirror.empty()
              ? "Set LVTEXT_DATA_MIRROR or give --mirror DIR, a folder that contains it"
              : "The mirror '" + locations.mirror.string() + "' " +
                    (std::filesystem::exists(locations.mirror, absent) ? "does not contain it"
                                                                       : "does not exist") +
                    "; use another one";
  if (!set.relatives.empty()) text += ", or use data.set=" + join(set.relatives, " or data.set=");
  return MissingError(text + ". The cache is '" + locations.cache.string() + "'.");
}

/// Temporary file next to `target`; removed by the destructor unless put_in_place() was called.
class PartialFile {
 public:
  explicit PartialFile(const std::filesystem::path& target)
      : target_(target), path_(target.string() + ".partial-" + std::to_string(::getpid())) {
    make_folders(target.parent_path());
    remove_stale();
  }
  ~PartialFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

  void put_in_place() {
    const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = fd >= 0 && ::fsync(fd) == 0;
    const int failed = errno;
    if (fd >= 0) ::close(fd);
    if (!synced) throw io_error("sync", path_.string(), failed);
    if (::rename(path_.c_str(), target_.c_str()) != 0) {
      throw io_error("rename to", target_.string(), errno);
    }
    sync_folder(target_.parent_path());
  }

 private:
  /// Removes files of killed processes: those not modified for an hour.
  void remove_stale() const {
    const std::string begin = target_.filename().string() + ".partial-";
    const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(target_.parent_path(), failed)) {
      if (!entry.path().filename().string().starts_with(begin)) continue;
      const auto written = entry.last_write_time(failed);
      if (!failed && written < old) std::filesystem::remove(entry.path(), failed);
    }
  }

  std::filesystem::path target_, path_;
};

// Exit statuses of curl.
constexpr int kCurlNoHost = 6, kCurlNoConnection = 7, kCurlHttpError = 22, kCurlTimeout = 28,
              kCurlTooLarge = 63;

/// Time after which the progress of a download is shown.
constexpr std::chrono::seconds kShowAfter(2);

std::string reason_of(int curl_exit_code) {
  switch (curl_exit_code) {
    case kCurlNoHost: return " (the host is unknown)";
    case kCurlNoConnection: return " (no connection)";
    case kCurlHttpError: return " (the server refused it)";
    case kCurlTimeout: return " (no connection in 30 s, or no data for 60 s)";
    case kCurlTooLarge: return " (the file is larger than expected)";
    default: return "";
  }
}

/// A running curl, which is terminated by the destructor.
class Curl {
 public:
  explicit Curl(std::vector<std::string> words) {
    if (::pipe2(output_.data(), O_CLOEXEC) != 0) throw io_error("create a pipe for", "curl", errno);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output_[1], STDOUT_FILENO);
    const int failed =
        ::posix_spawnp(&child_, "curl", &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(output_[1]);
    ::fcntl(output_[0], F_SETFL, O_NONBLOCK);
    if (failed == 0) return;
    ::close(output_[0]);
    throw DeviceError(std::string("cannot start curl, which is required to download data (") +
                      std::strerror(failed) + "); install it or use a mirror");
  }
  ~Curl() {
    stop();
    while (!has_ended_ && ::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::close(output_[0]);
  }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  /// Waits at most `time`; returns whether curl has ended.
  bool wait(std::chrono::milliseconds time) {
    const pid_t ended = ::waitpid(child_, &status_, WNOHANG);
    if (ended < 0 && errno != EINTR) throw io_error("wait for", "curl", errno);
    has_ended_ = ended == child_;
    if (!has_ended_) std::this_thread::sleep_for(time);
    return has_ended_;
  }
  void stop() {
    if (!has_ended_ && !std::exchange(is_stopped_, true)) ::kill(child_, SIGTERM);
  }
  /// -1 if it was killed.
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }
  /// The status that curl writes when it ends; 0 if there is none.
  int http_status() const {
    char text[16] = {};
    const ssize_t size = ::read(output_[0], text, sizeof text - 1);
    return size > 0 ? static_cast<int>(std::strtol(text, nullptr, 10)) : 0;
  }

 private:
  std::array<int, 2> output_ = {};
  pid_t child_ = 0;
  int status_ = 0;
  bool has_ended_ = false, is_stopped_ = false;
};

std::filesystem::path download_file(const Manifest& set, const DataFile& file,
                                    const DataLocations& locations) {
  auto target = locations.cache / file.path;
  const auto expected = expected_pin(file, locations);
  std::vector<std::string> tried;
  bool is_unavailable = false;  // a service does not answer; another time it may
  for (const std::string& url : file.urls) {
    PartialFile partial(target);
    std::string problem;
    try {
      locations.download(url, partial.path(), expected ? expected->bytes : file.bytes);
      if (expected) problem = problem_of(*expected, partial.path());
    } catch (const DeviceError& error) {
      problem = error.what();
      is_unavailable = true;
    } catch (const MissingError& error) {
      problem = error.what();
    } catch (const DataError& error) {
      problem = error.what();
    }
    if (problem.empty()) {
      if (!expected) take_pin(file, partial.path(), locations.cache);
      partial.put_in_place();
      return target;
    }
    tried.push_back(url + ": " + problem);
  }
  const MissingError error = missing(set, file, locations, join(tried, "; "));
  if (is_unavailable) throw DeviceError(error.what());
  throw error;
}

/// Copies a file unless `target` has its content already.
void copy_file(const std::filesystem::path& source, const std::filesystem::path& target,
               const Pin& expected) {
  if (std::filesystem::exists(target) && problem_of(expected, target).empty()) return;
  PartialFile partial(target);
  std::error_code failed;
  std::filesystem::copy_file(source, partial.path(), failed);
  if (failed) throw io_error("write", partial.path().string(), failed.value());
  const std::string problem = problem_of(expected, partial.path());
  if (!problem.empty()) {
    throw DataError("'" + source.string() + "' was modified while it was copied: " + problem);
  }
  partial.put_in_place();
}

}  // namespace

const std::vector<EnumName<IfMissing>>& enum_names(IfMissing) {
  static const std::vector<EnumName<IfMissing>> names = {
      {"fail", IfMissing::kFail, "the node fails; nodes that depend on it are blocked"},
      {"skip", IfMissing::kSkip, "nodes that depend on it are reported as not run; not an error"}};
  return names;
}

void download_with_curl(const std::string& url, const std::filesystem::path& to, int64_t bytes) {
  Curl curl({"curl", "--fail", "--location", "--silent", "--show-error", "--globoff",  //
             "--proto", "=https", "--proto-redir", "=https", "--connect-timeout", "30",
             // Ends a transfer of less than one byte per second in a minute.
             "--speed-limit", "1", "--speed-time", "60",                              //
             "--max-filesize", std::to_string(bytes), "--write-out", "%{http_code}",  //
             "--output", to.string(), "--", url});
  ProgressLine line;
  const auto begin = std::chrono::steady_clock::now();
  int64_t received = 0;
  for (bool has_ended = false; !has_ended;) {
    has_ended = curl.wait(std::chrono::milliseconds(20));
    if (stop_requested()) curl.stop();
    std::error_code absent;
    const auto size = std::filesystem::file_size(to, absent);
    received = absent ? 0 : static_cast<int64_t>(size);
    if (received > bytes) curl.stop();  // curl checks the size only if the server sends it first
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (seconds < kShowAfter) continue;
    line.update("downloading " + url + " | " + format_bytes(static_cast<uint64_t>(received)) +
                " of " + format_bytes(static_cast<uint64_t>(bytes)) + " | " +
                format_seconds(seconds.count()));
  }
  throw_if_stopped();
  if (received > bytes) {
    throw DataError("the server sends more than the expected " + format_count(bytes, "byte"));
  }
  if (curl.exit_code() == 0) return;
  const int status = curl.http_status();
  const std::string failure = "curl failed with exit code " + std::to_string(curl.exit_code()) +
                              reason_of(curl.exit_code()) +
                              (status > 0 ? ", HTTP status " + std::to_string(status) : "");
  if (curl.exit_code() == kCurlTooLarge) throw DataError(failure);
  const bool is_answer = curl.exit_code() == kCurlHttpError && status < 500;
  if (is_answer) throw MissingError(failure);
  throw DeviceError(failure);
}

DataLocations data_locations(const std::string& mirror) {
  DataLocations locations;
  const char* named = std::getenv("LVTEXT_DATA_MIRROR");
  locations.mirror = mirror.empty() ? std::string(named ? named : "") : mirror;
  locations.cache = data_cache();
  return locations;
}

std::filesystem::path obtain(const Manifest& set, const DataFile& file,
                             const DataLocations& locations) {
  auto path = find(file, locations);
  if (path.empty()) return download_file(set, file, locations);
  const auto expected = expected_pin(file, locations);
  if (!expected) take_pin(file, path, locations.cache);
  const std::string problem = expected ? problem_of(*expected, path) : "";
  if (!problem.empty()) {
    throw DataError("data.set=" + set.name + ": '" + path.string() +
                    "' differs from the file of the data set: " + problem +
                    "; delete it and fetch it again, or use another mirror");
  }
  return path;
}

void fetch(const Manifest& set, const DataLocations& locations) {
  for (const DataFile& file : set.files) {
    const auto target = locations.cache / file.path;
    const auto source = obtain(set, file, locations);
    const Pin expected = expected_pin(file, locations).value();
    if (source == target) continue;
    copy_file(source, target, expected);
    for (const Attachment& each : set.reader_of(file)->attachments(source)) {
      const std::string content = read_attachment(source, each);
      copy_file(source.parent_path() / each.path, target.parent_path() / each.path,
                {std::ssize(content), each.sha256});
    }
  }
}

std::vector<FileState> verify(const Manifest& set, const DataLocations& locations) {
  std::vector<FileState> states;
  std::set<std::string> seen;
  for (const DataFile& file : set.files) {
    if (!seen.insert(file.path).second) continue;
    const auto path = find(file, locations);
    if (path.empty()) {
      states.push_back({&file, FileState::Kind::kMissing, {}, ""});
      continue;
    }
    const auto expected = expected_pin(file, locations);
    if (!expected) {
      states.push_back({&file, FileState::Kind::kUnpinned, path, "not fetched yet"});
      continue;
    }
    const std::string problem = problem_of(*expected, path);
    const std::string location =
        file.sha256.empty() ? "pinned at its first fetch: SHA-256 " + expected->sha256 : "";
    states.push_back({&file, problem.empty() ? FileState::Kind::kWhole : FileState::Kind::kDamaged,
                      path, problem.empty() ? location : problem});
  }
  return states;
}

}  // namespace lvtext
