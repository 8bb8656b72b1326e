// Runs a command that calls fork_client in place of the program; each call is a fork of this
// process. LibTorch's registration of its operators takes 0.2 s of CPU time in each new process,
// more than most cases of the command line need, and is done once here.
//
// usage: fork_server --serve COMMAND [ARGUMENT...]
//
// With other arguments it is the program, because forks start their workers as /proc/self/exe.
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "framework/cli/app.h"
#include "tests/cli/fork_server/request.h"

namespace {

/// Runs the program and ends as it does: without destructors in release builds, and normally in
/// others, because sanitizers and coverage report at a normal exit.
[[noreturn]] void run(std::vector<char*> arguments) {
  const int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  const int code = lvtext::run_command_line(count, arguments.data());
  std::cout.flush();
  std::fflush(nullptr);
#ifdef LVTEXT_SKIP_DESTRUCTORS
  std::_Exit(code);
#endif
  std::exit(code);
}

/// Runs one request in this process, which has only that to do.
[[noreturn]] void serve(std::string& strings, const RequestHead& head,
                        const std::array<int, kFiles>& files) {
  std::vector<char*> arguments, variables;
  for (size_t at = 0; at < strings.size(); at += std::strlen(&strings[at]) + 1) {
    (arguments.size() < head.arguments ? arguments : variables).push_back(&strings[at]);
  }
  variables.push_back(nullptr);
  environ = variables.data();
  unsetenv(kForkServer);
  if (fchdir(files[3]) != 0) std::_Exit(125);
  for (int i = 0; i < 3; ++i) dup2(files[i], i);
  for (const int file : files) close(file);
  umask(head.mask);
  for (int i = 0; i < RLIM_NLIMITS; ++i) {
    setrlimit(static_cast<__rlimit_resource>(i), &head.limits[static_cast<size_t>(i)]);
  }
  for (int i = 1; i < 32; ++i) {
    if (head.ignored >> i & 1) signal(i, SIG_IGN);
  }
  run(arguments);
}

/// Answers a client with the status of a fork that runs its request.
void answer(int client) {
  RequestHead head;
  FilesMessage message(head);
  const bool is_whole =
      recvmsg(client, &message.message, MSG_CMSG_CLOEXEC) == static_cast<ssize_t>(sizeof(head));
  const cmsghdr* control = CMSG_FIRSTHDR(&message.message);
  std::string strings(is_whole && control ? head.bytes : 0, '\0');
  if (strings.empty() || !read_all(client, strings.data(), strings.size())) return;
  std::array<int, kFiles> files{};
  std::memcpy(files.data(), CMSG_DATA(control), sizeof(files));
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve(strings, head, files);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return;  // the client fails
  write_all(client, reinterpret_cast<const char*>(&status), sizeof(status));
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_server = argc > 2 && std::string(argv[1]) == "--serve";
  if (!is_server) run({argv, argv + argc});

  char folder[] = "/tmp/lvtext-fork-server-XXXXXX";
  if (!mkdtemp(folder)) return 125;
  const std::string path = std::string(folder) + "/socket";
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(path);
  if (server < 0 ||
      bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(server, 64) != 0) {
    std::perror(path.c_str());
    return 125;
  }
  const pid_t listener = fork();
  if (listener == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // ends with the server, however that ends
    signal(SIGCHLD, SIG_IGN);          // the processes of requests are not waited for
    while (true) {
      const int client = accept4(server, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGCHLD, SIG_DFL);
        answer(client);
        std::_Exit(0);
      }
      close(client);
    }
  }
  setenv(kForkServer, path.c_str(), 1);
  pid_t command = 0;
  int status = 0;
  const int failed = posix_spawnp(&command, argv[2], nullptr, nullptr, argv + 2, environ);
  if (failed == 0) waitpid(command, &status, 0);
  kill(listener, SIGTERM);
  waitpid(listener, nullptr, 0);
  unlink(path.c_str());
  rmdir(folder);
  if (failed != 0) std::fprintf(stderr, "%s: %s\n", argv[2], std::strerror(failed));
  return failed == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
