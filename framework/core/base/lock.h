// One owner per folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lvtext {

/// The process that owns a folder, as its file `lock` tells it.
struct LockOwner {
  int64_t pid = 0;
  std::string host;
  /// The kernel's boot id and the process's start in clock ticks after boot: a pid may be reused.
  std::string boot_id;
  uint64_t start_ticks = 0;
};

/// This process.
LockOwner current_owner();
/// True if the owner cannot be alive: it ran on this host before the last boot, or no process of
/// its pid and start time exists here. Another host's owner is never provably dead.
bool provably_dead(const LockOwner& owner);
/// The owner that `folder/lock` names; none if there is no readable one.
std::optional<LockOwner> read_lock_owner(const std::filesystem::path& folder);

/// Exclusive ownership of a folder, released when the object or the process ends. The kernel's
/// flock is taken on the folder itself, so that deleting the file `lock` (which only names the
/// owner) does not let a second process in; and on its empty file `.flock`, because NFS locks files
/// among hosts, but folders on one host alone. On file systems without flock the file `lock` alone
/// decides, and it is taken over only from an owner that is provably dead.
class FolderLock {
 public:
  /// Throws Interrupted (75) naming pid and host if a live process owns `folder`, or an io_error.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  const std::filesystem::path& folder() const { return folder_; }
  /// The dead owner whose lock was taken over, if there was one.
  const std::optional<LockOwner>& previous_owner() const { return previous_; }

 private:
  void lock_across_hosts();

  std::filesystem::path folder_;
  std::optional<LockOwner> previous_;
  int fd_ = -1, across_fd_ = -1;
};

}  // namespace lvtext
