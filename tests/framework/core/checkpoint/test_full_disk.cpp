// Saving on a disk with room for one and a half checkpoints, mounted only for a child process.
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/exchange.h"
#include "framework/core/checkpoint/json_lines.h"
#include "tests/framework/core/base/full_disk.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

/// About 256 KiB.
CheckpointContents large_checkpoint(float value) {
  CheckpointContents contents;
  contents.model["w"] = at::full({256, 256}, value);
  contents.state = {{"step", 1}};
  return contents;
}

/// 0 if `action` fails with the error of a full disk, else the number of the failed check.
int check_refused(const std::function<void()>& action, int number) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    if (error.code() != Exit::kIo) return number + 1;
    if (message.find("No space left on device") == std::string::npos) return number + 2;
    return message.find("finished work is kept") == std::string::npos ? number + 3 : 0;
  }
  return number;
}

}  // namespace

// Bodies run in a child; a nonzero result identifies the failed expectation.
TEST_CASE("full disk: a checkpoint that does not fit leaves the old one and its space",
          "[checkpoint]") {
  on_small_disk(420, [](const fs::path& disk) {
    const fs::path parent = disk / "checkpoints";
    const fs::path first = save_checkpoint(parent, 1, large_checkpoint(1));
    const auto free_before = fs::space(disk).available;
    if (int wrong = check_refused([&] { save_checkpoint(parent, 2, large_checkpoint(2)); }, 1)) {
      return wrong;
    }
    if (std::distance(fs::directory_iterator(parent), {}) != 1) return 10;
    if (fs::space(disk).available < free_before) return 11;
    verify_checkpoint(first);
    // Saving the same step again must keep the old folder, too.
    if (int wrong = check_refused([&] { save_checkpoint(parent, 1, large_checkpoint(3)); }, 20)) {
      return wrong;
    }
    if (load_model_tensors(first).at("w")[0][0].item<float>() != 1) return 30;
    if (int wrong = check_refused(
            [&] {
              write_exchange(disk / "out", {large_checkpoint(1).model, {{"a", 1}}, {}, {}});
            },
            40)) {
      return wrong;
    }
    if (fs::exists(disk / "out")) return 50;
    // With free space, the failed save succeeds.
    fs::remove_all(first);
    save_checkpoint(parent, 2, large_checkpoint(2));
    return load_model_tensors(parent / step_folder_name(2)).at("w")[0][0].item<float>() == 2 ? 0
                                                                                             : 60;
  });
}

TEST_CASE("full disk: a log line that does not fit is an error, the previous lines are kept",
          "[checkpoint]") {
  on_small_disk(64, [](const fs::path& disk) {
    JsonLines log(disk / "log.jsonl", "lvtext.log/1");
    uint64_t whole = 0;
    const int wrong = check_refused(
        [&] {
          for (int step = 0; step < 10000; ++step) {
            log.append({{"step", step}, {"loss", 0.5}});
            whole = fs::file_size(log.path());
          }
        },
        1);
    if (wrong != 0) return wrong;
    const std::string text = read_file(disk / "log.jsonl");
    return text.size() == whole && text.ends_with("}\n") ? 0 : 10;
  });
}
