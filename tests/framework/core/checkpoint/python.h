// Runs Python's safetensors library, if installed, as an independent reference.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/catch.h"

namespace lvtext {

/// Runs a Python program with LVTEXT_TEST_FILE set to `file` and returns its output; nothing if it
/// fails. The interpreter is LVTEXT_TEST_PYTHON, else the one of the project's private environment.
inline std::optional<std::string> python(const std::string& program,
                                         const std::filesystem::path& file) {
  const char* named = std::getenv("LVTEXT_TEST_PYTHON");
  const std::string interpreter = named ? named : ".lvtext-env/bin/python";
  const std::string command = "LVTEXT_TEST_FILE='" + file.string() + "' '" + interpreter +
                              "' -c '" + program + "' 2>/dev/null";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  char block[4096];
  for (size_t got; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) output.append(block, got);
  return ::pclose(pipe) == 0 ? std::optional(output) : std::nullopt;
}

inline bool python_has_safetensors() {
  if (python("import safetensors.numpy, numpy", "")) return true;
  WARN("not compared with Python (LVTEXT_TEST_PYTHON lacks safetensors or numpy)");
  return false;
}

}  // namespace lvtext
