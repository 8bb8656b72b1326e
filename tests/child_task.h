// Runs a task of a test in a child process: this executable, started with only that test. A fork
// would lose LibTorch's threads.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace lvtext::testing {

/// Starts this executable again with only the current test and `task` in LVTEXT_TEST_CHILD.
inline pid_t start_child(const std::string& task) {
  std::string test;
  for (const char c : Catch::getResultCapture().getCurrentTestName()) {
    if (c == ',' || c == '[' || c == ']' || c == '\\') test += '\\';
    test += c;
  }
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string variable = "LVTEXT_TEST_CHILD=" + task;
  char* arguments[] = {program.data(), test.data(), nullptr};
  std::vector<char*> variables;
  for (char** each = environ; *each; ++each) variables.push_back(*each);
  variables.push_back(variable.data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, program.c_str(), &quiet, nullptr, arguments, variables.data());
  posix_spawn_file_actions_destroy(&quiet);
  REQUIRE(failed == 0);
  return pid;
}

/// Task of this process if start_child() started it; else empty.
inline std::string child_task() {
  const char* task = std::getenv("LVTEXT_TEST_CHILD");
  return task ? task : "";
}

}  // namespace lvtext::testing
