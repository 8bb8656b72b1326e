// In place of the program in tests: has the fork server run the arguments with this process' files,
// working directory and environment, and ends as that run does.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tests/cli/fork_server/request.h"

namespace {

int fail(const char* what) {
  std::perror(what);
  return 125;
}

}  // namespace

int main(int argc, char** argv) {
  const char* path = std::getenv(kForkServer);
  if (!path) {
    std::fprintf(stderr, "%s is not set: run this program below fork_server\n", kForkServer);
    return 125;
  }
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(path);
  if (server < 0 ||
      connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return fail(path);
  }
  std::string strings;
  for (int i = 0; i < argc; ++i) strings.append(argv[i], std::strlen(argv[i]) + 1);
  for (char** each = environ; *each; ++each) strings.append(*each, std::strlen(*each) + 1);
  RequestHead head{.bytes = strings.size(), .arguments = static_cast<uint64_t>(argc)};
  for (int i = 0; i < RLIM_NLIMITS; ++i) {
    getrlimit(static_cast<__rlimit_resource>(i), &head.limits[static_cast<size_t>(i)]);
  }
  head.mask = umask(0);
  for (int i = 1; i < 32; ++i) {
    struct sigaction action {};
    if (sigaction(i, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
      head.ignored |= uint64_t{1} << i;
    }
  }
  FilesMessage files(head);
  const std::array<int, kFiles> handed = {0, 1, 2, open(".", O_RDONLY | O_CLOEXEC)};
  cmsghdr* control = CMSG_FIRSTHDR(&files.message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof(handed));
  std::memcpy(CMSG_DATA(control), handed.data(), sizeof(handed));
  int status = 0;
  const bool answered = sendmsg(server, &files.message, MSG_NOSIGNAL) == sizeof(head) &&
                        write_all(server, strings.data(), strings.size()) &&
                        read_all(server, reinterpret_cast<char*>(&status), sizeof(status));
  if (!answered) return fail("fork server");
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  return raise(WTERMSIG(status));
}
