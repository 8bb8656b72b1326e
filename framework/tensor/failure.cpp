#include "framework/tensor/failure.h"

#include <c10/util/Exception.h>

#include <cstdlib>
#include <new>
#include <string>
#include <system_error>

#include "lvtext_version.h"

namespace lvtext {
namespace {

Failure bug(const std::string& what) {
  return {Exit::kBug, "this is a bug of lvtext: " + what +
                          "\nPlease report it with the command line and this text (lvtext " +
                          std::string(kVersion) + " " + std::string(kCommit) +
                          "). LVTEXT_TRACE=1 shows more."};
}

Failure out_of_memory(const std::string& what) {
  return {Exit::kOutOfResources,
          "out of memory: " + what +
              ". Use smaller batches (train.batch.micro_sentences) or a smaller profile."};
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
    return out_of_memory("an allocation failed");
  } catch (const c10::OutOfMemoryError& error) {
    return out_of_memory(error.what_without_backtrace());
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    if (tells_of_memory(what)) return out_of_memory(what);
    return bug(traced ? std::string(error.what()) : what);
  } catch (const std::system_error& error) {
    const Error shown = io_error("use", error.what(), error.code().value());
    return {shown.code(), shown.what()};
  } catch (const std::exception& error) {
    return bug(error.what());
  } catch (...) {
    return bug("something was thrown that is no exception");
  }
}

}  // namespace lvtext
