#include "framework/core/tensor/wait_policy.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

/// A process on a machine whose load changes: counts preemptions at the given rates, and the time
/// that it spends spinning and sleeping.
struct Machine {
  WaitPolicy policy{2};
  ProcessorUse use{100, 5000};
  double spinning = 0, sleeping = 0;
  bool spins = true;

  /// Runs for `seconds` with a call every `every` seconds. `spin_rate`, `sleep_rate`: preemptions
  /// per second while threads spin and while they sleep.
  void run(double seconds, double spin_rate, double sleep_rate, double every = 0.001) {
    double counted = 0;
    spinning = sleeping = 0;
    double t = 0;
    while (t < seconds) {
      t += every;
      spins = policy.spins(use);
      (spins ? spinning : sleeping) += every;
      use.seconds += every;
      counted += every * (spins ? spin_rate : sleep_rate);
      const auto whole = static_cast<int64_t>(counted);
      use.preemptions += whole;
      counted -= static_cast<double>(whole);
    }
  }
};

}  // namespace

TEST_CASE("wait policy: threads spin on an idle machine", "[tensor]") {
  Machine machine;
  machine.run(30, 40, 15000);
  CHECK(machine.sleeping == 0);
}

TEST_CASE("wait policy: threads sleep on a busy machine, except in short trials", "[tensor]") {
  Machine machine;
  machine.run(60, 600, 300);
  CHECK_FALSE(machine.spins);
  CHECK(machine.spinning < 0.03 * 60);
  // Whatever the counts while threads sleep.
  Machine woken;
  woken.run(60, 600, 15000);
  CHECK(woken.spinning == machine.spinning);
}

TEST_CASE("wait policy: threads spin again when the machine has become idle", "[tensor]") {
  Machine machine;
  machine.run(20, 600, 300);
  machine.run(10, 40, 15000);
  CHECK(machine.spins);
  CHECK(machine.sleeping < 4.1);
  machine.run(10, 40, 15000);
  CHECK(machine.sleeping == 0);
  // Short trials follow soon after the next load, too.
  machine.run(0.06, 600, 300);
  CHECK_FALSE(machine.spins);
  machine.run(1, 40, 15000);
  CHECK(machine.sleeping < 0.3);
}

TEST_CASE("wait policy: rare calls measure over the time between them", "[tensor]") {
  Machine machine;
  machine.run(60, 600, 300, 0.5);
  CHECK(machine.spinning < 10);
  machine.run(60, 40, 300, 0.5);
  CHECK(machine.sleeping <= 4.5);
}
