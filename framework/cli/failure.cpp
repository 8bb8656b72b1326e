#include "framework/cli/failure.h"

#include <c10/util/Exception.h>

#include <cstdlib>
#include <new>
#include <string>
#include <system_error>

#include "framework/base/error.h"
#include "framework/base/log.h"
#include "lvtext_version.h"

namespace lvtext {
namespace {

int bug(const std::string& what) {
  log_error("this is a bug of lvtext: " + what + "\nPlease report it with the command line and " +
            "this text (lvtext " + std::string(kVersion) + " " + std::string(kCommit) +
            "). LVTEXT_TRACE=1 shows more.");
  return static_cast<int>(Exit::kBug);
}

int out_of_memory(const std::string& what) {
  log_error("out of memory: " + what +
            ". Use smaller batches (train.batch.micro_sentences) or a smaller profile.");
  return static_cast<int>(Exit::kOutOfResources);
}

// LibTorch's allocators report exhausted memory as errors of their own.
bool tells_of_memory(const std::string& what) {
  return what.find("can't allocate memory") != std::string::npos ||
         what.find("not enough memory") != std::string::npos;
}

}  // namespace

int report_failure() {
  const char* trace = std::getenv("LVTEXT_TRACE");
  const bool traced = trace != nullptr && std::string(trace) == "1";
  try {
    throw;
  } catch (const Error& error) {
    log_error(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    return out_of_memory("an allocation failed");
  } catch (const c10::OutOfMemoryError& error) {
    return out_of_memory(error.what_without_backtrace());
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    if (tells_of_memory(what)) return out_of_memory(what);
    return bug(traced ? std::string(error.what()) : what);
  } catch (const std::system_error& error) {
    const Error shown = io_error("use", error.what(), error.code().value());
    log_error(shown.what());
    return static_cast<int>(shown.code());
  } catch (const std::exception& error) {
    return bug(error.what());
  } catch (...) {
    return bug("something was thrown that is no exception");
  }
}

}  // namespace lvtext
