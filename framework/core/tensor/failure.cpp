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

Failure bug(const std::string& what, const std::string& plugin) {
  if (!plugin.empty()) {
    return {Exit::kBadData, plugin + " failed: " + what +
                                "\nPlease report it to the authors of the plug-in. LVTEXT_TRACE=1 "
                                "shows more."};
  }
  return {Exit::kBug, "this is a bug in lvtext: " + what +
                          "\nPlease report it with the command line and this message (lvtext " +
                          std::string(kVersion) + " " + std::string(kCommit) +
                          "). LVTEXT_TRACE=1 shows more."};
}

/// `amount`: the requested amount, such as "64 GiB"; empty: unknown.
Failure out_of_memory(const std::string& amount) {
  return {Exit::kOutOfResources,
          "out of memory: an allocation" + (amount.empty() ? "" : " of " + amount) +
              " failed. Use smaller batches (train.batch.micro_size), a smaller profile, or run "
              "fewer jobs at once."};
}

/// The requested amount in an error message of a LibTorch allocator: "64 GiB"; empty if none.
std::string requested_memory(const std::string& what) {
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

// Some LibTorch allocators report exhausted memory as a plain c10::Error.
bool is_memory_error(const std::string& what) {
  return what.find("can't allocate memory") != std::string::npos ||
         what.find("not enough memory") != std::string::npos;
}

}  // namespace

Failure describe_failure(const std::string& plugin) {
  const char* trace = std::getenv("LVTEXT_TRACE");
  const bool traced = trace != nullptr && std::string(trace) == "1";
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return out_of_memory("");
  } catch (const c10::OutOfMemoryError& error) {
    return out_of_memory(requested_memory(error.what_without_backtrace()));
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    if (is_memory_error(what)) return out_of_memory(requested_memory(what));
    return bug(traced ? std::string(error.what()) : what, plugin);
  } catch (const std::filesystem::filesystem_error& error) {
    const Error shown = io_error("use", error.path1().string(), error.code().value());
    return {shown.code(), shown.what()};
  } catch (const std::system_error& error) {  // thrown by std::thread
    return {Exit::kOutOfResources,
            "cannot start a thread: " + error.code().message() +
                "; increase the limit on processes (ulimit -u), or run fewer jobs"};
  } catch (const std::exception& error) {
    return bug(error.what(), plugin);
  } catch (...) {
    return bug("unknown exception, not derived from std::exception", plugin);
  }
}

}  // namespace lvtext
