#include "framework/core/base/parallel.h"

#include <sched.h>

#include "tests/framework/core/base/child.h"

using namespace lvtext;

TEST_CASE("parallel: a CPU quota allows its share of processors, rounded up", "[base]") {
  CHECK(processors_of_quota("150000 100000") == 2);
  CHECK(processors_of_quota("100000 100000\n") == 1);
  CHECK(processors_of_quota("5000 100000") == 1);
  CHECK_FALSE(processors_of_quota("max 100000"));
  CHECK_FALSE(processors_of_quota(""));
  CHECK_FALSE(processors_of_quota("100000"));
}

TEST_CASE("parallel: the processors of the affinity mask are usable, no others", "[base]") {
  CHECK(usable_processors() >= 1);
  const pid_t child = spawn([] {
    cpu_set_t own, one;
    ::sched_getaffinity(0, sizeof(own), &own);
    CPU_ZERO(&one);
    for (int i = 0; CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &own)) CPU_SET(i, &one);
    }
    ::sched_setaffinity(0, sizeof(one), &one);
    return usable_processors();
  });
  CHECK(wait_for(child) == 1);
}
