// A disk that can be filled.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <functional>
#include <string>

#include "framework/core/base/error.h"
#include "tests/framework/core/base/child.h"

namespace lvtext {

/// A memory file system of `kib` KiB, mounted at `folder` for this process alone (a mount namespace
/// of its own); false where the machine does not allow it. Only for child processes.
inline bool mount_small_disk(const std::filesystem::path& folder, int kib) {
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    const auto write = [](const char* path, const std::string& text) {
      const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
      const bool written =
          fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
      if (fd >= 0) ::close(fd);
      return written;
    };
    if (!write("/proc/self/setgroups", "deny") ||
        !write("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") ||
        !write("/proc/self/gid_map", "0 " + std::to_string(group) + " 1")) {
      return false;
    }
  }
  ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  const std::string size = "size=" + std::to_string(kib) + "k";
  return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

/// Runs `body` in a child whose disk of `kib` KiB is mounted at the folder that it gets. Its exit
/// code is `body`'s, which must be 0; where no disk can be mounted, a warning says so.
inline void on_small_disk(int kib, const std::function<int(const std::filesystem::path&)>& body) {
  const TemporaryFolder folder;
  constexpr int kNoDisk = 96;
  const int code = wait_for(
      spawn([&] { return mount_small_disk(folder.path, kib) ? body(folder.path) : kNoDisk; }));
  if (code == kNoDisk) {
    WARN("no small disk can be mounted here: a full disk was not tested");
    return;
  }
  CHECK(code == 0);
}

}  // namespace lvtext
