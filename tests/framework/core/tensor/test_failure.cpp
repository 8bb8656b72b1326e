// Error messages of exceptions: source location, problem and advice, without internals of other
// libraries.
#include "framework/core/tensor/failure.h"

#include <sys/resource.h>

#include <filesystem>
#include <system_error>

#include "framework/core/tensor/device.h"
#include "framework/core/tensor/torch.h"
#include "tests/framework/core/base/child.h"

using namespace lvtext;

namespace {

template <class Action>
Failure failure_of(const Action& action) {
  try {
    action();
  } catch (...) {
    return describe_failure();
  }
  return {Exit::kDone, ""};
}

}  // namespace

TEST_CASE("failure: a failed allocation reports its size and what to do", "[tensor]") {
  const Failure tensor = failure_of([] { at::empty({int64_t{1} << 50}, at::kByte); });
  CHECK(tensor.code == Exit::kOutOfResources);
  CHECK_THAT(tensor.message, Contains("out of memory: an allocation of 1") &&
                                 Contains("iB failed") && Contains("train.batch.micro_size"));
  CHECK_THAT(tensor.message,
             !Contains("Allocator") && !Contains(".cpp") && !Contains("Error code"));
  const Failure cuda = failure_of([] {
    TORCH_CHECK_WITH(OutOfMemoryError, false,
                     "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity");
  });
  CHECK(cuda.code == Exit::kOutOfResources);
  CHECK_THAT(cuda.message,
             Contains("out of memory: an allocation of 2.5 GiB failed") && !Contains("GPU 0"));
  CHECK(failure_of([] { throw std::bad_alloc(); }).code == Exit::kOutOfResources);
}

TEST_CASE("failure: errors of files name only the file", "[tensor]") {
  const auto denied = std::make_error_code(std::errc::permission_denied);
  const Failure failure =
      failure_of([&] { throw std::filesystem::filesystem_error("status", "runs/a", denied); });
  CHECK(failure.code == Exit::kNoPermission);
  CHECK_THAT(failure.message,
             Catch::Matchers::StartsWith("cannot use 'runs/a': Permission denied; ") &&
                 !Contains("filesystem error") && !Contains("status"));
}

TEST_CASE("failure: if no thread can be started, the error reports it without using OpenMP",
          "[tensor]") {
  CHECK_NOTHROW(check_threads());
  const Failure thread = failure_of([] {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again), "x");
  });
  CHECK(thread.code == Exit::kOutOfResources);
  CHECK_THAT(thread.message,
             Catch::Matchers::StartsWith("cannot start a thread: ") && Contains("ulimit -u"));
  if (::getuid() != 0) {
    WARN("not tested: the limit of threads (requires root)");
    return;
  }
  CHECK(run_as_nobody([] {
          const rlimit one{1, 1};
          ::setrlimit(RLIMIT_NPROC, &one);
          const Failure failure = failure_of([] { check_threads(); });
          const bool said = failure.message.find("cannot start ") == 0 &&
                            failure.message.find("OMP_NUM_THREADS=1") != std::string::npos;
          return said ? static_cast<int>(failure.code) : 1;
        }) == 71);
}

TEST_CASE("failure: an exception of a plug-in names its component, an Error keeps its message",
          "[tensor]") {
  const std::string plugin = "the component 'a' of the plug-in 'b.so'";
  const auto failure = [&](const auto& action) {
    try {
      action();
    } catch (...) {
      return describe_failure(plugin);
    }
    return Failure{Exit::kDone, ""};
  };
  for (const Failure& thrown : {failure([] { throw std::out_of_range("map::at"); }),
                                failure([] { TORCH_CHECK(false, "map::at"); })}) {
    CHECK(thrown.code == Exit::kBadData);
    CHECK_THAT(thrown.message, Catch::Matchers::StartsWith(plugin + " failed: map::at\n") &&
                                   !Contains("bug in lvtext"));
  }
  CHECK(failure([] { throw 1; }).message.find(plugin + " failed: unknown exception") == 0);
  const Failure error = failure([] { throw DataError("its own message"); });
  CHECK(error.message == "its own message");
  CHECK(failure([] { throw std::bad_alloc(); }).code == Exit::kOutOfResources);
}
