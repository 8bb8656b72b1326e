#include "framework/core/base/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/program.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

constexpr const char* kOwnerFile = "lock";
constexpr const char* kAcrossHosts = ".flock";

/// The first 4096 bytes of a file in /proc, which has no known size; empty if it cannot be read.
std::string read_proc(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::array<char, 4096> block;
  const ssize_t got = ::read(fd, block.data(), block.size());
  ::close(fd);
  return got > 0 ? std::string(block.data(), got) : "";
}

/// Start time of a process in clock ticks since boot; 0 if there is no such process.
uint64_t start_ticks(int64_t pid) {
  const std::string stat = read_proc("/proc/" + std::to_string(pid) + "/stat");
  // The second field is the program's name in parentheses, which may contain spaces and ')'.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 > stat.size()) return 0;
  const auto fields = split(std::string_view(stat).substr(name_end + 2), ' ');
  constexpr size_t kStartTime = 22 - 3;  // field 22 of proc(5); the split starts at field 3
  return fields.size() > kStartTime ? std::strtoull(fields[kStartTime].c_str(), nullptr, 10) : 0;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<SlurmJob> current_job() {
  const std::string array = variable("SLURM_ARRAY_JOB_ID");
  SlurmJob job{variable("SLURM_CLUSTER_NAME"), array.empty() ? variable("SLURM_JOB_ID") : array,
               variable("SLURM_ARRAY_TASK_ID"),
               std::strtoll(variable("SLURM_RESTART_COUNT").c_str(), nullptr, 10)};
  return job.job.empty() ? std::nullopt : std::optional(job);
}

/// True if `job` is an earlier start of the job of this process.
bool was_requeued(const SlurmJob& job) {
  auto now = current_job();
  if (!now || now->restarts <= job.restarts) return false;
  now->restarts = job.restarts;
  return *now == job;
}

/// The output of a program of Slurm; none if it fails or does not exist.
std::optional<std::string> slurm_output(std::vector<std::string> words) {
  try {
    ProgramEnd end = run_program(std::move(words), /*quiet=*/true);
    if (end.code == 0) return std::move(end.output);
  } catch (const Error&) {  // there is no Slurm here
  }
  return std::nullopt;
}

/// True if `text` has a line "NAME = VALUE", with blanks around the parts.
bool has_setting(const std::string& text, const std::string& name, const std::string& value) {
  for (const auto& line : split(text, '\n')) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos || trim(line.substr(0, equals)) != name) continue;
    return trim(line.substr(equals + 1)) == value;
  }
  return false;
}

/// True if Slurm answers that this start of a job has ended: the job is unknown, is not in the
/// queue, waits, or has been started more often.
bool is_gone(const SlurmJob& job) {
  const auto config = slurm_output({"scontrol", "show", "config"});
  if (!config || !has_setting(*config, "ClusterName", job.cluster)) return false;
  // Jobs of other users look as if they had ended if they are private.
  if (!has_setting(*config, "PrivateData", "none")) return false;
  const auto found =
      slurm_output({"squeue", "--noheader", "--array", "--jobs=" + job.job, "--format=%F %K %t"});
  // squeue fails for a job that the controller has forgotten; it must answer otherwise.
  if (!found) return slurm_output({"squeue", "--me", "--noheader"}).has_value();
  const std::string task = job.task.empty() ? "N/A" : job.task;
  for (const auto& line : split(*found, '\n')) {
    const auto words = split(trim(line), ' ');
    if (words.size() != 3 || words[0] != job.job || words[1] != task || words[2] == "PD") continue;
    const auto shown = slurm_output(
        {"scontrol", "--oneliner", "show", "job", job.job + (job.task.empty() ? "" : "_" + task)});
    if (!shown) return false;
    const size_t at = shown->find(" Restarts=");
    if (at == std::string::npos) return false;
    const std::string restarts = shown->substr(at + std::string(" Restarts=").size());
    return std::strtoll(restarts.c_str(), nullptr, 10) > job.restarts;
  }
  return true;
}

std::string owner_json(const LockOwner& owner) {
  nlohmann::ordered_json json;
  json["pid"] = owner.pid;
  json["host"] = owner.host;
  json["boot_id"] = owner.boot_id;
  json["start_ticks"] = owner.start_ticks;
  if (const auto& slurm = owner.slurm) {
    json["slurm"] = {{"cluster", slurm->cluster}, {"job", slurm->job}};
    if (!slurm->task.empty()) json["slurm"]["task"] = slurm->task;
    json["slurm"]["restarts"] = slurm->restarts;
  }
  return json.dump() + "\n";
}

[[noreturn]] void refuse(const std::filesystem::path& folder) {
  // The owner writes its file only after it has acquired the lock: wait for it up to 200 ms.
  std::optional<LockOwner> owner;
  for (int attempt = 0; attempt < 20 && !owner; ++attempt) {
    owner = read_lock_owner(folder);
    if (!owner) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw Interrupted("'" + folder.string() + "' is in use by " +
                    (owner ? describe_owner(*owner) : "another process") +
                    "; wait for it or stop it, then run the command again");
}

bool flock_unsupported(int error) {
  return error == ENOLCK || error == EOPNOTSUPP || error == EINVAL || error == ENOSYS;
}

enum class Locked { kYes, kBusy, kUnsupported };

/// Applies flock. `kind`: LOCK_EX or LOCK_SH.
Locked try_lock(int fd, int kind) {
  if (::flock(fd, kind | LOCK_NB) == 0) return Locked::kYes;
  return flock_unsupported(errno) ? Locked::kUnsupported : Locked::kBusy;
}

/// Locks exclusively, despite the momentary locks of is_owned().
Locked lock_exclusively(int fd) {
  Locked locked = Locked::kBusy;
  for (int attempt = 0; attempt < 10 && locked == Locked::kBusy; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    locked = try_lock(fd, LOCK_EX);
  }
  return locked;
}

/// Whether a file or folder is locked by a process; kUnsupported also if it cannot be opened.
Locked probe(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return Locked::kUnsupported;
  const Locked free = try_lock(fd, LOCK_SH);
  ::close(fd);
  return free;
}

/// For file systems without flock: creates the owner file atomically, as a link to a complete file.
/// False if it exists.
bool create_owner_file(const std::filesystem::path& file, const std::string& content) {
  const std::string temporary = file.string() + ".tmp-" + std::to_string(::getpid());
  write_file_synced(temporary, content);
  const int failed = ::link(temporary.c_str(), file.c_str()) == 0 ? 0 : errno;
  ::unlink(temporary.c_str());
  if (failed && failed != EEXIST) throw io_error("create", file.string(), failed);
  return !failed;
}

/// Replaces a dead owner's file by `content`; false if another process does. Of several processes
/// that find the same dead owner, only the one that creates the guard file named after this owner
/// may replace the file; a process that creates the guard later finds the file changed. The file
/// exists at all times, so that no other process can create it meanwhile.
bool take_over(const std::filesystem::path& file, const LockOwner& dead,
               const std::string& content) {
  const std::string guard = file.string() + ".guard-" + sha256(owner_json(dead)).substr(0, 16);
  if (!create_owner_file(guard, content)) return false;
  const auto present = read_lock_owner(file.parent_path());
  const bool unchanged = present && owner_json(*present) == owner_json(dead);
  if (unchanged) write_file_atomic(file, content);
  ::unlink(guard.c_str());
  return unchanged;
}

}  // namespace

LockOwner current_owner() {
  LockOwner owner;
  owner.pid = ::getpid();
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  owner.host = host.data();
  owner.boot_id = std::string(trim(read_proc("/proc/sys/kernel/random/boot_id")));
  owner.start_ticks = start_ticks(owner.pid);
  owner.slurm = current_job();
  return owner;
}

std::string describe_owner(const LockOwner& owner) {
  std::string text = "process " + std::to_string(owner.pid) + " on host '" + owner.host + "'";
  if (const auto& slurm = owner.slurm) {
    text += " (Slurm job " + slurm->job + (slurm->task.empty() ? "" : "_" + slurm->task) +
            (slurm->cluster.empty() ? "" : " of cluster '" + slurm->cluster + "'") + ")";
  }
  return text;
}

bool provably_dead(const LockOwner& owner) {
  if (owner.slurm && was_requeued(*owner.slurm)) return true;
  const LockOwner self = current_owner();
  if (owner.host != self.host) return owner.slurm && is_gone(*owner.slurm);
  if (owner.boot_id != self.boot_id) return true;
  if (::kill(static_cast<pid_t>(owner.pid), 0) != 0 && errno == ESRCH) return true;
  const uint64_t start = start_ticks(owner.pid);
  return start != 0 && start != owner.start_ticks;
}

std::optional<LockOwner> read_lock_owner(const std::filesystem::path& folder) {
  try {
    const auto json = nlohmann::json::parse(read_file(folder / kOwnerFile, 1 << 16));
    LockOwner owner;
    owner.pid = json.at("pid");
    owner.host = json.at("host");
    owner.boot_id = json.at("boot_id");
    owner.start_ticks = json.at("start_ticks");
    if (owner.pid <= 0 || owner.pid > INT32_MAX) return std::nullopt;
    if (json.contains("slurm")) {
      const auto& slurm = json.at("slurm");
      owner.slurm = {slurm.at("cluster"), slurm.at("job"), slurm.value("task", ""),
                     slurm.at("restarts")};
    }
    return owner;
  } catch (const Error&) {
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

FolderLock::FolderLock(const std::filesystem::path& folder) : folder_(folder) {
  fd_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) throw io_error("open the folder", folder.string(), errno);
  try {
    if (lock_exclusively(fd_) == Locked::kBusy) refuse(folder);
    if (lock_across_hosts()) {
      previous_ = read_lock_owner(folder);
      write_file_atomic(folder / kOwnerFile, owner_json(current_owner()));
    } else {
      take_owner_file();
    }
  } catch (...) {
    if (across_fd_ >= 0) ::close(across_fd_);
    ::close(fd_);
    throw;
  }
}

/// Locks the file `.flock`; false if the file system does not lock files.
bool FolderLock::lock_across_hosts() {
  const std::filesystem::path file = folder_ / kAcrossHosts;
  for (;;) {
    across_fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (across_fd_ < 0) throw io_error("create", file.string(), errno);
    const Locked locked = lock_exclusively(across_fd_);
    if (locked == Locked::kUnsupported) {
      ::unlink(file.c_str());
      ::close(std::exchange(across_fd_, -1));
      return false;
    }
    if (locked == Locked::kBusy) refuse(folder_);
    struct stat held {};
    struct stat named {};
    const bool same = ::fstat(across_fd_, &held) == 0 && ::stat(file.c_str(), &named) == 0 &&
                      held.st_ino == named.st_ino && held.st_dev == named.st_dev;
    if (same) return true;
    ::close(std::exchange(across_fd_, -1));  // its last owner removed it meanwhile
  }
}

/// Creates the file `lock`, or takes it over from a dead owner.
void FolderLock::take_owner_file() {
  const std::filesystem::path file = folder_ / kOwnerFile;
  const std::string self = owner_json(current_owner());
  if (create_owner_file(file, self)) return;
  previous_ = read_lock_owner(folder_);
  if (!previous_ || !provably_dead(*previous_)) refuse(folder_);
  if (!take_over(file, *previous_, self)) refuse(folder_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : folder_(std::move(other.folder_)),
      previous_(std::move(other.previous_)),
      fd_(std::exchange(other.fd_, -1)),
      across_fd_(std::exchange(other.across_fd_, -1)) {}

FolderLock::~FolderLock() {
  if (fd_ < 0) return;
  const auto owner = read_lock_owner(folder_);
  if (owner && owner_json(*owner) == owner_json(current_owner()))
    ::unlink((folder_ / kOwnerFile).c_str());
  if (across_fd_ >= 0) {
    ::unlink((folder_ / kAcrossHosts).c_str());
    ::close(across_fd_);
  }
  ::close(fd_);
}

bool is_owned(const std::filesystem::path& folder) {
  if (probe(folder) == Locked::kBusy) return true;
  // An owner that is killed leaves its file `.flock`, where the file system locks files.
  const Locked free = probe(folder / kAcrossHosts);
  if (free != Locked::kUnsupported) return free == Locked::kBusy;
  const auto owner = read_lock_owner(folder);
  return owner && !provably_dead(*owner);
}

}  // namespace lvtext
