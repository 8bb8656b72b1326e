// Exclusive ownership of folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lvtext {

/// The Slurm job of a process.
struct SlurmJob {
  std::string cluster;
  std::string job;       ///< the array's id for a task of a job array
  std::string task;      ///< task of a job array; otherwise empty
  int64_t restarts = 0;  ///< how often it was requeued
  bool operator==(const SlurmJob&) const = default;
};

/// The process that owns a folder, from its file `lock`.
struct LockOwner {
  int64_t pid = 0;
  std::string host;
  /// Boot id of the kernel and start time of the process in clock ticks since boot, because process
  /// ids are reused.
  std::string boot_id;
  uint64_t start_ticks = 0;
  std::optional<SlurmJob> slurm = {};
};

/// This process.
LockOwner current_owner();
/// "process 12 on host 'n1'", with the Slurm job if there is one.
std::string describe_owner(const LockOwner& owner);
/// True if the owner cannot be alive: it ran on this host before the last boot, no process with
/// its pid and start time exists, this process runs in the same Slurm job after a requeue, or its
/// job on another host is gone from the queue of this cluster or was requeued since (`squeue`).
/// Other owners on other hosts are never provably dead.
bool provably_dead(const LockOwner& owner);
/// The owner in `folder/lock`; none if the file is missing or invalid.
std::optional<LockOwner> read_lock_owner(const std::filesystem::path& folder);

/// Exclusive ownership of a folder, released when the object or the process ends. flock() is
/// applied to the folder, so that deleting the file `lock` (which only names the owner) does not
/// release it, and to its empty file `.flock`, because NFS locks files across hosts but folders
/// only on one host. Where the file system refuses to lock files, other hosts are excluded by the
/// file `lock`, and ownership is taken over only from an owner that is provably dead.
class FolderLock {
 public:
  /// Throws Interrupted (75) naming pid and host if a live process owns `folder`, or an io_error.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  const std::filesystem::path& folder() const { return folder_; }
  /// The dead owner whose lock was taken over, if any.
  const std::optional<LockOwner>& previous_owner() const { return previous_; }

 private:
  bool lock_across_hosts();
  void take_owner_file();

  std::filesystem::path folder_;
  std::optional<LockOwner> previous_;
  int fd_ = -1, across_fd_ = -1;
};

/// True if a live process owns `folder`. Tries the locks, for a moment and without writing; the
/// file `lock` counts only where the file system refuses locks.
bool is_owned(const std::filesystem::path& folder);

}  // namespace lvtext
