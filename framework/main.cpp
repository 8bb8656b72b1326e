#include "framework/cli/app.h"

int main(int argc, char** argv) {
  return lvtext::run_command_line(argc, argv);
}
