#include "framework/core/base/error.h"

#include <cerrno>
#include <cstring>

namespace lvtext {

Error io_error(const std::string& doing, const std::string& path, int errno_value) {
  Exit code = Exit::kIo;
  std::string hint;
  switch (errno_value) {
    case EACCES:
    case EPERM:
      code = Exit::kNoPermission;
      hint = "check the owner and the mode of the file and of its folder";
      break;
    case EROFS:
    case ENOTDIR:
    case EISDIR:
    case EEXIST:
      code = Exit::kCannotWrite;
      hint = "choose another path";
      break;
    case ENOENT:
      code = Exit::kMissingInput;
      hint = "check the path";
      break;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:  // the limit of threads and processes
      code = Exit::kOutOfResources;
      hint = "raise the limit (ulimit -n, -u or -v) or run fewer jobs";
      break;
    case ENOSPC:
    case EDQUOT: hint = "free some space and run the command again; finished work is kept"; break;
    case EFBIG: hint = "raise the limit of file sizes (ulimit -f) and run the command again"; break;
    default: break;
  }
  std::string message = "cannot " + doing + " '" + path + "': " + std::strerror(errno_value);
  if (!hint.empty()) message += "; " + hint;
  return Error(code, message);
}

void fail_invariant(const char* condition, const char* file, int line, const std::string& message) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " + message +
                         " (violated: " + condition + ")");
}

}  // namespace lvtext
