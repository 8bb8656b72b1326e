#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "framework/cli/app.h"

int main(int argc, char** argv) {
  const int code = lvtext::run_command_line(argc, argv);
#ifdef LVTEXT_SKIP_DESTRUCTORS
  // The destructors of LibTorch's static objects take 80 ms, a sixth of a short command.
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
