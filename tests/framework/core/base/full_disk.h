// Small file systems for tests of full disks.
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

/// Mounts a memory file system of `kib` KiB at `folder` in a new mount namespace, visible only to
/// this process. Returns false if the machine does not allow it. Only for child processes.
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

/// Runs `body` in a child, with the path of a mounted file system of `kib` KiB. The exit code must
/// be 0; if the file system cannot be mounted, prints a warning.
inline void on_small_disk(int kib, const std::function<int(const std::filesystem::path&)>& body) {
  const TemporaryFolder folder;
  constexpr int kNoDisk = 96;
  const int code = wait_for(
      spawn([&] { return mount_small_disk(folder.path, kib) ? body(folder.path) : kNoDisk; }));
  if (code == kNoDisk) {
    WARN("not tested: a full disk (cannot mount a small file system)");
    return;
  }
  CHECK(code == 0);
}

}  // namespace lvtext
