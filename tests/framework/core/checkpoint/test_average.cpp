#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/checkpoint/checkpoint_tools.h"
#include "tests/framework/core/checkpoint/checkpoint_fixture.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

/// A snapshot of float32 weights of many magnitudes, different for each `k`.
fs::path save_snapshot(const fs::path& parent, int k) {
  CheckpointContents contents;
  const at::Tensor ramp = at::arange(1000, at::kDouble);
  contents.model["a"] =
      (at::sin(ramp * (k + 1)) * at::exp(ramp / 40 - 12)).to(at::kFloat).reshape({10, 100});
  contents.model["b"] = at::full({3}, 1.f / static_cast<float>(k + 3));
  contents.model["steps"] = at::full({}, 7, at::kLong);
  return save_checkpoint(parent, k, contents);
}

}  // namespace

TEST_CASE("average: each element is the arithmetic mean within half a unit in the last place",
          "[checkpoint]") {
  const TemporaryFolder folder;
  std::vector<fs::path> snapshots;
  for (int k = 0; k < 3; ++k) snapshots.push_back(save_snapshot(folder.path, k));
  for (const size_t count : {size_t{2}, size_t{3}}) {
    const std::vector<fs::path> chosen(snapshots.begin(), snapshots.begin() + count);
    std::vector<TensorMap> parts;
    for (const auto& snapshot : chosen) parts.push_back(load_model_tensors(snapshot));
    const TensorMap mean = average_checkpoints(chosen);
    REQUIRE(mean.size() == 3);
    int64_t compared = 0;
    for (const std::string name : {"a", "b"}) {
      REQUIRE(mean.at(name).scalar_type() == at::kFloat);
      REQUIRE(mean.at(name).sizes() == parts[0].at(name).sizes());
      const at::Tensor flat = mean.at(name).flatten();
      for (int64_t i = 0; i < flat.numel(); ++i) {
        double expected = 0;
        for (const auto& part : parts) expected += part.at(name).flatten()[i].item<float>();
        expected /= static_cast<double>(count);
        const double got = flat[i].item<float>();
        // 2^-24: half the distance of neighboring float32 values, relative to the value.
        if (std::abs(got - expected) > std::abs(expected) * 0x1p-24 + 1e-40) {
          FAIL_CHECK(name << "[" << i << "] is " << got << ", the mean is " << expected);
        }
        ++compared;
      }
    }
    CHECK(compared == 1003);
    CHECK(mean.at("steps").item<int64_t>() == 7);
  }
}

TEST_CASE("average: the average of one checkpoint is bitwise identical to it", "[checkpoint]") {
  const TemporaryFolder folder;
  const fs::path only = save_snapshot(folder.path, 1);
  const TensorMap mean = average_checkpoints({only});
  for (const auto& [name, tensor] : load_model_tensors(only))
    CHECK(at::equal(mean.at(name), tensor));
}

TEST_CASE("average: incompatible checkpoints are rejected with all differences listed",
          "[checkpoint]") {
  const TemporaryFolder folder;
  const fs::path first = save_snapshot(folder.path / "a", 1);
  CheckpointContents other;
  other.model = {
      {"a", at::zeros({10, 99})}, {"c", at::zeros({2})}, {"steps", at::full({}, 8, at::kLong)}};
  const fs::path second = save_checkpoint(folder.path / "b", 1, other);
  CHECK_THROWS_WITH(average_checkpoints({first, second}),
                    Contains("a is F32 [10, 99]") && Contains("F32 [10, 100]") &&
                        Contains("missing: b") && Contains("extra: c") &&
                        Contains("integer and bool tensors must be equal: steps"));
}

TEST_CASE("diff: of folders, equal tensors and the largest difference of the others",
          "[checkpoint]") {
  const TemporaryFolder folder;
  const fs::path first = save_snapshot(folder.path / "a", 1);
  CheckpointContents changed;
  changed.model = load_model_tensors(first);
  changed.model["a"] = changed.model["a"].clone();
  changed.model["a"][3][5] += 0.5;
  changed.model["a"][4][6] -= 0.75;
  changed.model.erase("b");
  const fs::path second = save_checkpoint(folder.path / "b", 9, changed);
  const auto rows = diff_checkpoints(first, second);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "a");
  CHECK_FALSE(rows[0].equal_bits);
  CHECK(rows[0].max_abs == Approx(0.75).epsilon(1e-6));
  CHECK(rows[1].note == "only in A");
  CHECK(rows[2].equal_bits);
}
