#include "framework/core/tensor/failure.h"

#include <c10/util/Exception.h>

#include <cstdlib>
#include <filesystem>
#include <new>
#include <sstream>
#include <string>
#include <system_error>

#include "framework/core/base/strings.h"
#include "lvtext_version.h"

namespace lvtext {
namespace {

Failure bug(const std::string& what) {
  return {Exit::kBug, "this is a bug of lvtext: " + what +
                          "\nPlease report it with the command line and this text (lvtext " +
                          std::string(kVersion) + " " + std::string(kCommit) +
                          "). LVTEXT_TRACE=1 shows more."};
}

/// `wanted` is an amount, or empty.
Failure out_of_memory(const std::string& wanted) {
  return {Exit::kOutOfResources,
          "out of memory: " + (wanted.empty() ? "an allocation" : wanted + " in one allocation") +
              " was refused. Use smaller batches (train.batch.micro_size), a smaller profile, "
              "or fewer jobs at once."};
}

/// Requested size in an out-of-memory message of LibTorch: "64 GiB"; empty if there is none.
std::string wanted_memory(const std::string& what) {
  const std::string phrase = "ried to allocate ";
  const size_t at = what.find(phrase);
  if (at == std::string::npos) return "";
  std::istringstream text(what.substr(at + phrase.size()));
  double amount = 0;
  std::string unit;
  if (!(text >> amount >> unit)) return "";
  unit.erase(std::min(unit.find_first_not_of("abcdefghijklmnopqrstuvwxyzGKMTB"), unit.size()));
  if (unit == "bytes") return format_bytes(static_cast<uint64_t>(amount));
  return format_number(amount) + " " + unit;
}

// LibTorch's allocators report exhausted memory as errors of their own.
bool tells_of_memory(const std::string& what) {
  return what.find("can't allocate memory") != std::string::npos ||
         what.find("not enough memory") != std::string::npos;
}

}  // namespace

Failure describe_failure() {
  const char* trace = std::getenv("LVTEXT_TRACE");
  const bool traced = trace != nullptr && std::string(trace) == "1";
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return out_of_memory("");
  } catch (const c10::OutOfMemoryError& error) {
    return out_of_memory(wanted_memory(error.what_without_backtrace()));
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    if (tells_of_memory(what)) return out_of_memory(wanted_memory(what));
    return bug(traced ? std::string(error.what()) : what);
  } catch (const std::filesystem::filesystem_error& error) {
    const Error shown = io_error("use", error.path1().string(), error.code().value());
    return {shown.code(), shown.what()};
  } catch (const std::system_error& error) {  // std::thread's
    return {Exit::kOutOfResources,
            "cannot start a thread: " + error.code().message() +
                "; raise the limit of processes (ulimit -u), or run fewer jobs"};
  } catch (const std::exception& error) {
    return bug(error.what());
  } catch (...) {
    return bug("something was thrown that is no exception");
  }
}

}  // namespace lvtext
