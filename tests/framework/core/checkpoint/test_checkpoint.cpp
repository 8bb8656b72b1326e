#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/checkpoint/checkpoint_tools.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/checkpoint/manifest.h"
#include "framework/core/checkpoint/run_folder.h"
#include "tests/catch.h"
#include "tests/framework/core/checkpoint/checkpoint_fixture.h"
#include "tests/text.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

std::vector<int64_t> steps_in(const fs::path& parent) {
  std::vector<int64_t> steps;
  for (const auto& [step, folder] : list_checkpoints(parent)) steps.push_back(step);
  return steps;
}

/// Makes a checkpoint unreadable.
void damage(const fs::path& folder) {
  std::string bytes = read_file(folder / "model.safetensors");
  bytes.back() = static_cast<char>(bytes.back() ^ 4);
  write_file_synced(folder / "model.safetensors", bytes);
}

}  // namespace

TEST_CASE("checkpoint: saved data are loaded bit for bit", "[checkpoint]") {
  TemporaryFolder temporary;
  const CheckpointContents saved = small_contents();
  const fs::path folder = save_checkpoint(temporary.path / "checkpoints", 12000, saved);
  CHECK(folder.filename() == "step-00012000");
  const Checkpoint loaded = load_checkpoint(folder);
  CHECK(loaded.step == 12000);
  REQUIRE(loaded.contents.model.size() == saved.model.size());
  for (const auto& [name, tensor] : saved.model) {
    CHECK(at::equal(loaded.contents.model.at(name), tensor));
    CHECK(loaded.contents.model.at(name).scalar_type() == tensor.scalar_type());
  }
  CHECK(at::equal(loaded.contents.ema->at("encoder.weight"), saved.ema->at("encoder.weight")));
  CHECK(loaded.contents.optimizers.at("adam").contains("encoder.weight.exp_avg"));
  CHECK(loaded.contents.state == saved.state);
  CHECK(loaded.contents.config == saved.config);
  CHECK(loaded.contents.extra == saved.extra);
}

TEST_CASE("checkpoint: equal contents give equal bytes", "[checkpoint]") {
  TemporaryFolder temporary;
  const fs::path a = save_checkpoint(temporary.path / "a", 3, small_contents());
  const fs::path b = save_checkpoint(temporary.path / "b", 3, small_contents());
  for (const auto& entry : fs::directory_iterator(a)) {
    CHECK(read_file(entry.path()) == read_file(b / entry.path().filename()));
  }
}

TEST_CASE("checkpoint: a snapshot contains only the model", "[checkpoint]") {
  TemporaryFolder temporary;
  CheckpointContents contents;
  contents.model = small_contents().model;
  const fs::path folder = save_checkpoint(temporary.path, 5, contents);
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 2);
  CHECK(load_model_tensors(folder).size() == 3);
}

TEST_CASE("checkpoint: saving a step again replaces it, even if damaged", "[checkpoint]") {
  TemporaryFolder temporary;
  damage(save_checkpoint(temporary.path, 5, small_contents(1)));
  const fs::path folder = save_checkpoint(temporary.path, 5, small_contents(2));
  CHECK(load_model_tensors(folder).at("encoder.bias")[0].item<double>() == 2);
  CHECK(std::distance(fs::directory_iterator(temporary.path), {}) == 1);
}

TEST_CASE("checkpoint: names that leave the folder are rejected", "[checkpoint]") {
  TemporaryFolder temporary;
  CheckpointContents contents = small_contents();
  const std::string name = GENERATE("../x", "/x", "a/b", ".hidden", "manifest.json", "");
  contents.extra[name] = "x";
  CHECK_THROWS_AS(save_checkpoint(temporary.path, 1, contents), DataError);
  CHECK(fs::is_empty(temporary.path));
}

TEST_CASE("checkpoint: a newer format is distinguished from damage", "[checkpoint]") {
  TemporaryFolder temporary;
  const fs::path folder = save_checkpoint(temporary.path, 1, small_contents());
  auto fields = parse_sealed(read_file(folder / "manifest.json"), "m");
  fields["schema"] = schema_id("checkpoint-manifest", kManifestVersion + 1);
  write_file_synced(folder / "manifest.json", seal(fields));
  CHECK(contains(message_of([&] { load_checkpoint(folder); }), "newer lvtext"));
}

TEST_CASE("checkpoint: the newest valid one is found and rejected ones are reported",
          "[checkpoint]") {
  TemporaryFolder temporary;
  for (int step : {10, 20, 30}) save_checkpoint(temporary.path, step, small_contents(step));
  fs::create_directory_symlink(temporary.path / "step-00000010", temporary.path / "step-00000040");
  damage(temporary.path / "step-00000030");
  const FoundCheckpoint found = find_newest_valid(temporary.path);
  REQUIRE(found.newest);
  CHECK(found.newest->step == 20);
  REQUIRE(found.refused.size() == 1);
  CHECK(contains(found.refused[0].reason, "model.safetensors"));
  CHECK_FALSE(find_newest_valid(temporary.path / "none").newest);
}

TEST_CASE("checkpoint: retention keeps the last, the periodic and the best", "[checkpoint]") {
  TemporaryFolder temporary;
  CheckpointContents contents;
  contents.model = {{"w", at::ones({2})}};
  for (int step = 1; step <= 10; ++step) save_checkpoint(temporary.path, step, contents);
  prune_checkpoints(temporary.path, {.keep_last = 2, .every = 4, .best = {3}}, 10);
  CHECK(steps_in(temporary.path) == std::vector<int64_t>{3, 4, 8, 9, 10});
  fs::remove(temporary.path / "step-00000009" / "manifest.json");
  prune_checkpoints(temporary.path, {.keep_last = 2, .every = 0, .best = {}}, 10);
  CHECK(steps_in(temporary.path) == std::vector<int64_t>{8, 10});
  CHECK(contains(message_of([] { check_retention({.keep_last = 1, .every = 0, .best = {}}); }),
                 "at least 2"));
}

TEST_CASE("checkpoint: load_into lists all mismatched names and copies nothing", "[checkpoint]") {
  TensorMap model = {{"a", at::zeros({2})}, {"b", at::zeros({3})}, {"c", at::zeros({1})}};
  const TensorMap source = {{"a", at::ones({2})}, {"b", at::ones({4})}, {"d", at::ones({1})}};
  const std::string message = message_of([&] { load_into(model, source, "file"); });
  CHECK(contains(message, "missing: c Float [1]"));
  CHECK(contains(message, "extra: d Float [1]"));
  CHECK(contains(message, "b is Float [4] in the file and Float [3] in the model"));
  CHECK(model["a"].sum().item<float>() == 0);
  const TensorMap fitting = {{"a", at::ones({2})}, {"b", at::ones({3})}, {"c", at::ones({1})}};
  load_into(model, fitting, "file");
  CHECK(model["b"].sum().item<float>() == 3);
}

TEST_CASE("checkpoint: show, diff and average", "[checkpoint]") {
  TemporaryFolder temporary;
  const fs::path a = save_checkpoint(temporary.path, 1, small_contents(1));
  const fs::path b = save_checkpoint(temporary.path, 2, small_contents(2));
  for (const auto& row : describe_checkpoint(a)) {
    if (row.file == "model.safetensors" && row.name == "encoder.bias") {
      CHECK(row.norm == Approx(2));  // four ones
      CHECK(row.dtype == "F64");
    }
  }
  int compared = 0;
  for (const auto& row : diff_checkpoints(a, b)) {
    if (row.name == "encoder.weight" && row.file == "model.safetensors") {
      CHECK(row.max_abs == Approx(23));
      ++compared;
    }
    if (row.name == "decoder.count") CHECK(row.equal_bits);
  }
  CHECK(compared == 1);
  const TensorMap mean = average_checkpoints({a, b});
  CHECK(mean.at("encoder.bias")[0].item<double>() == 1.5);
  CHECK(mean.at("encoder.weight").scalar_type() == at::kFloat);
  CHECK(mean.at("decoder.count").item<int64_t>() == 7);
}

TEST_CASE("run folder: one owner, a log that is truncated to a copy, a mark of completion",
          "[checkpoint]") {
  TemporaryFolder temporary;
  const fs::path path = temporary.path / "run";
  {
    RunFolder run(path);
    const std::string message = message_of([&] { RunFolder second(path); });
    CHECK(contains(message, "process " + std::to_string(::getpid())));
    run.log().append({{"step", 1}});
    const std::string copy = run.log().content();
    run.log().append({{"step", 2}});
    CHECK(run.log().restore(copy));
    const std::string first = "{\"schema\":\"lvtext.log/1\",\"step\":1}\n";
    CHECK(read_file(path / "log.jsonl") == first);
    for (const std::string changed : {"", "{\"st", "{\"step\":7}\n{\"step\":2}\n"}) {
      write_file_synced(path / "log.jsonl", changed);
      CHECK_FALSE(run.log().restore(copy));
      run.log().append({{"step", 2}});
      CHECK(read_file(path / "log.jsonl") == first + "{\"step\":2}\n");
      CHECK(run.log().restore(copy));
    }
    CHECK_FALSE(read_run_manifest(path));
    run.mark_finished({"log.jsonl"}, {{"identity", "abc"}});
  }
  CHECK((*read_run_manifest(path))["identity"] == "abc");
  CHECK(verify_run(path).empty());
  write_file_synced(path / "log.jsonl", "{\"step\":3}\n");
  CHECK(verify_run(path).size() == 1);
  CHECK_FALSE(fs::exists(path / "lock"));
}
