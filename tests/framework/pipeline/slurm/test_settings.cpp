#include "framework/pipeline/slurm/settings.h"

#include "framework/core/base/files.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Catch::Matchers::Contains;

TEST_CASE("slurm settings: GPUs and time limits as sbatch takes them", "[slurm]") {
  CHECK(gpus_in("2") == 2);
  CHECK(gpus_in("a100:4") == 4);
  for (const char* wrong : {"", ":2", "a100", "a100:", "-1", "1.5"}) CHECK_FALSE(gpus_in(wrong));
  CHECK(time_limit_in("90") == 90 * 60);
  CHECK(time_limit_in("90:30") == 90 * 60 + 30);
  CHECK(time_limit_in("4:00:01") == 4 * 3600 + 1);
  CHECK(time_limit_in("1-12") == 36 * 3600);
  CHECK(time_limit_in("1-12:30") == 36 * 3600 + 30 * 60);
  CHECK(time_limit_in("2-0:0:5") == 2 * 86400 + 5);
  for (const char* wrong : {"", "4h", "1:2:3:4", "1-", "-1", ":"}) {
    CHECK_FALSE(time_limit_in(wrong));
  }
}

TEST_CASE("slurm settings: a file is checked like a recipe", "[slurm]") {
  const TemporaryFolder scratch;
  const auto file = scratch.path / "slurm.yaml";
  const auto read = [&](const std::string& text) {
    write_file_atomic(file, text);
    return read_slurm_settings(file).settings;
  };
  const SlurmSettings settings = read(
      "partition: gpu\ngpus: 1\ncpus: 8\nmemory: 32G\ntime: 4:00:00\nparallel: 16\n"
      "setup: [module load cuda]\noptions: [--constraint=a100]\n");
  CHECK(settings.has_gpus());
  CHECK(settings.cpus == 8);
  CHECK(settings.time == "4:00:00");
  CHECK(settings.warning == 120);
  CHECK(settings.attempts == 20);
  CHECK_FALSE(read("{}").has_gpus());
  // All mistakes are reported together, with their lines.
  CHECK_THROWS_WITH(read("partion: gpu\ncpus: 0\n"),
                    Contains("slurm.yaml:1") && Contains("partition") && Contains("slurm.yaml:2"));
  CHECK_THROWS_WITH(read("gpus: many\n"), Contains("a100:1"));
  CHECK_THROWS_WITH(read("time: 4h\n"), Contains("HOURS:MINUTES:SECONDS"));
  CHECK_THROWS_WITH(read("time: 2\n"), Contains("not shorter than the time limit 2"));
  CHECK_THROWS_WITH(read("options: [--array=1-3]\n"), Contains("`parallel`"));
  CHECK_THROWS_WITH(read("options: [constraint=x]\n"), Contains("does not start with"));
  CHECK_THROWS_WITH(read_slurm_settings(scratch.path / "none.yaml"), Contains("none.yaml"));
}
