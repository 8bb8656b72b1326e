#include "framework/pipeline/sweep/trials.h"

#include <chrono>
#include <future>
#include <memory>

#include "framework/core/base/files.h"
#include "framework/core/base/lock.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;

TEST_CASE("sweep folder: trials are kept, added and extended", "[sweep]") {
  const TemporaryFolder scratch;
  const auto file = scratch / "s.yaml";
  const auto write = [&](const std::string& search) {
    write_file_atomic(file,
                      "sweep: some\nrecipe: a/b\nobjective: {validation: true}\n"
                      "space: {a: {range: [0, 1]}, b: {values: [x], when: {a: 0.5}}}\nsearch: " +
                          search + "\n");
  };
  write("{type: random, trials: 2}");
  SweepFolder folder = open_sweep(file, scratch.path);
  REQUIRE(folder.trials.size() == 2);
  CHECK_FALSE(std::filesystem::exists(folder.path));
  CHECK(add_trial(folder, {"b=x", "a=0.5"}) == 2);
  CHECK(add_trial(folder, {"a=0.5", "b=x"}) == 2);  // known
  CHECK(add_trial(folder, {"a=0.25"}) == 3);
  CHECK(contains(message_of([&] { add_trial(folder, {"a=0.5"}); }), "no value for 'b'"));
  CHECK(contains(message_of([&] { add_trial(folder, {"a=0.1", "b=x"}); }), "does not hold"));
  CHECK(contains(message_of([&] { add_trial(folder, {"c=1"}); }), "sets no path of the space"));

  REQUIRE(save_sweep(folder));
  const SweepFolder again = open_sweep(scratch / "some", scratch.path);
  CHECK((again.trials == folder.trials));
  CHECK((open_sweep(file, scratch.path).trials == folder.trials));

  // More trials of the search follow those that were added.
  write("{type: random, trials: 3}");
  const SweepFolder longer = open_sweep(file, scratch.path);
  REQUIRE(longer.trials.size() == 5);
  CHECK(std::equal(folder.trials.begin(), folder.trials.end(), longer.trials.begin()));
  CHECK_FALSE(longer.trials[4].is_added);
  REQUIRE(save_sweep(longer));

  write("{type: random, trials: 1}");
  CHECK(contains(message_of([&] { open_sweep(file, scratch.path); }), "other values of search"));
  write("{type: random, trials: 3, seed: 2}");
  CHECK(contains(message_of([&] { open_sweep(file, scratch.path); }), "other values of search"));
}

TEST_CASE("sweep folder: no trial of another process is lost", "[sweep]") {
  const TemporaryFolder scratch;
  const auto file = scratch / "s.yaml";
  write_file_atomic(file,
                    "sweep: some\nrecipe: a/b\nobjective: {validation: true}\n"
                    "space: {a: {range: [0, 1]}}\nsearch: {type: random, trials: 1}\n");
  REQUIRE(save_sweep(open_sweep(file, scratch.path)));
  SweepFolder one = open_sweep(scratch / "some", scratch.path), other = one;
  add_trial(one, {"a=0.5"});
  add_trial(other, {"a=0.25"});
  REQUIRE(save_sweep(other));
  CHECK_FALSE(save_sweep(one));  // decided from old trials
  one = open_sweep(file, scratch.path);
  CHECK((one.trials == other.trials));
  CHECK(add_trial(one, {"a=0.5"}) == 2);
  // It waits for a process that is writing.
  auto lock = std::make_unique<FolderLock>(scratch / "some/trials.lock");
  auto saved = std::async(std::launch::async, [&] { return save_sweep(one); });
  CHECK(saved.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout);
  CHECK((open_sweep(scratch / "some", scratch.path).trials == other.trials));
  lock.reset();
  CHECK(saved.get());
  CHECK((open_sweep(scratch / "some", scratch.path).trials == one.trials));
}
