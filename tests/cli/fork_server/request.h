// One call of the program through the fork server: what a client sends.
#pragma once

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

/// Environment variable with the path of the server's socket.
inline constexpr const char* kForkServer = "FORK_SERVER_SOCKET";

/// Files that a client hands over: standard input, output and error, and the working directory.
inline constexpr size_t kFiles = 4;

/// What precedes the strings: arguments, then the environment, each ended by a zero byte.
struct RequestHead {
  uint64_t bytes = 0;      ///< of all strings
  uint64_t arguments = 0;  ///< their number
  std::array<rlimit, RLIM_NLIMITS> limits{};
  uint64_t ignored = 0;  ///< a bit for each ignored signal
  mode_t mask = 0;       ///< of the modes of new files
};

/// A message with `kFiles` descriptors; `head` is its content.
struct FilesMessage {
  explicit FilesMessage(RequestHead& head) : part{&head, sizeof(head)} {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }

  iovec part;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kFiles * sizeof(int))> control{};
  msghdr message{};
};

inline bool write_all(int to, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(to, bytes, count);
    if (written <= 0) return false;
    bytes += written;
    count -= static_cast<size_t>(written);
  }
  return true;
}

inline bool read_all(int from, char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t got = read(from, bytes, count);
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<size_t>(got);
  }
  return true;
}

/// The address of a socket file; empty if its path is too long.
inline sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() < sizeof(address.sun_path)) {
    std::memcpy(address.sun_path, path.c_str(), path.size());
  }
  return address;
}
