#include "framework/core/base/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"

namespace lvtext {

ProgramEnd run_program(std::vector<std::string> words, bool quiet) {
  std::array<int, 2> output = {};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) {
    throw io_error("create a pipe for", words.front(), errno);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  if (quiet) {
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(output[1]);
  if (failed != 0) {
    ::close(output[0]);
    throw DeviceError("cannot start " + words.front() + " (" + std::strerror(failed) + ")");
  }
  ProgramEnd end;
  std::array<char, 4096> bytes = {};
  for (;;) {
    const ssize_t count = ::read(output[0], bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    end.output.append(bytes.data(), static_cast<size_t>(count));
  }
  ::close(output[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

std::string quoted_words(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    const bool is_plain = std::all_of(word.begin(), word.end(), [](char c) {
      return is_name_character(ascii_lower(c)) || std::string_view("-./=,:@%+").find(c) < 9;
    });
    std::string quoted;
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    text += is_plain && !word.empty() ? " " + word : " '" + quoted + "'";
  }
  return text;
}

}  // namespace lvtext
