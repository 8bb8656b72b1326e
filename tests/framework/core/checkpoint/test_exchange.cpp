#include "framework/core/checkpoint/exchange.h"

#include <cmath>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "tests/framework/core/checkpoint/checkpoint_fixture.h"
#include "tests/framework/core/checkpoint/python.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

ExchangeFolder small_model() {
  ExchangeFolder contents;
  contents.tensors = {{"embedding.weight", at::arange(8, at::kFloat).reshape({4, 2}) - 2.5},
                      {"decoder.bias", at::tensor({0.25f, -1.f})}};
  contents.config = {{"model_type", "lvtext"},
                     {"vocab_size", 4},
                     {"own", {{"files", {"tokenizer.model"}}, {"inputs", {"lm"}}}}};
  contents.files["tokenizer.model"] = std::string("model\0bytes", 11);
  ExchangeFolder inner;
  inner.tensors = {{"w", at::ones({2})}};
  inner.config = {{"own", {{"files", {"words.json"}}}}};
  inner.files["words.json"] = "{}";
  contents.inputs["lm"] = inner;
  return contents;
}

}  // namespace

TEST_CASE("exchange: an exported folder is imported unchanged, equal contents give equal bytes",
          "[checkpoint]") {
  const TemporaryFolder folder;
  const ExchangeFolder written = small_model();
  write_exchange(folder.path / "a", written);
  write_exchange(folder.path / "b", written);
  for (const char* name : {"model.safetensors", "config.json", "tokenizer.model"}) {
    CHECK(read_file(folder.path / "a" / name) == read_file(folder.path / "b" / name));
  }
  CHECK(std::distance(fs::directory_iterator(folder.path / "a"), {}) == 4);
  for (const fs::path& given : {folder.path / "a", folder.path / "a" / "model.safetensors"}) {
    const ExchangeFolder read = read_exchange(given, "own");
    CHECK(read.config == written.config);
    CHECK(read.files == written.files);
    REQUIRE(read.inputs.size() == 1);
    CHECK(read.inputs.at("lm").files == written.inputs.at("lm").files);
    CHECK(at::equal(read.inputs.at("lm").tensors.at("w"), at::ones({2})));
    REQUIRE(read.tensors.size() == 2);
    for (const auto& [name, tensor] : written.tensors) {
      CHECK(at::equal(read.tensors.at(name), tensor));
    }
  }
}

TEST_CASE("exchange: weights that are not finite are refused with the tensor's name",
          "[checkpoint]") {
  const TemporaryFolder folder;
  for (const float value : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
    ExchangeFolder contents = small_model();
    contents.tensors["decoder.bias"][1] = value;
    write_exchange(folder.path / "a", contents);
    CHECK_THROWS_WITH(read_exchange(folder.path / "a", "own"),
                      Contains("not finite") && Contains("decoder.bias Float [2]: 1 value") &&
                          !Contains("embedding.weight"));
    fs::remove_all(folder.path / "a");
  }
}

TEST_CASE("exchange: the configuration cannot name files outside of the folder", "[checkpoint]") {
  const TemporaryFolder folder;
  ExchangeFolder contents = small_model();
  contents.config["own"]["files"] = {"../secret"};
  write_exchange(folder.path / "a", contents);
  CHECK_THROWS_WITH(read_exchange(folder.path / "a", "own"), Contains("../secret"));
}

TEST_CASE("exchange: Python's library reads the folder's file and its values", "[checkpoint]") {
  if (!python_has_safetensors()) return;
  const TemporaryFolder folder;
  write_exchange(folder.path / "a", small_model());
  const auto output = python(R"(
import os, json, numpy, safetensors
folder = os.environ["LVTEXT_TEST_FILE"]
f = safetensors.safe_open(os.path.join(folder, "model.safetensors"), "np")
print(f.metadata()["format"], json.load(open(os.path.join(folder, "config.json")))["vocab_size"])
for name in sorted(f.keys()):
    t = f.get_tensor(name)
    print(name, t.dtype, list(t.shape), t.ravel().tolist())
)",
                             folder.path / "a");
  REQUIRE(output);
  CHECK(*output ==
        "pt 4\ndecoder.bias float32 [2] [0.25, -1.0]\n"
        "embedding.weight float32 [4, 2] [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5]\n");
}

TEST_CASE("exchange: files saved by Python's library are imported", "[checkpoint]") {
  if (!python_has_safetensors()) return;
  const TemporaryFolder folder;
  REQUIRE(python(R"(
import os, json, numpy as np, safetensors.numpy
folder = os.environ["LVTEXT_TEST_FILE"]
safetensors.numpy.save_file({"w": np.array([[1.5, -2.0]], dtype=np.float32)},
                            os.path.join(folder, "model.safetensors"), {"format": "pt"})
json.dump({"lvtext": {"model": "vae"}}, open(os.path.join(folder, "config.json"), "w"))
)",
                 folder.path));
  const ExchangeFolder read = read_exchange(folder.path, "own");
  CHECK(at::equal(read.tensors.at("w"), at::tensor({1.5f, -2.f}).reshape({1, 2})));
  CHECK(read.config["lvtext"]["model"] == "vae");
}

TEST_CASE("exchange: nothing is overwritten and no partial output remains", "[checkpoint]") {
  const TemporaryFolder folder;
  write_file_synced(folder.path / "a", "mine");
  try {
    write_exchange(folder.path / "a", small_model());
    FAIL("was overwritten");
  } catch (const Error& error) {
    CHECK(error.code() == Exit::kCannotWrite);
  }
  CHECK(read_file(folder.path / "a") == "mine");
  ExchangeFolder bad = small_model();
  bad.tensors["complex"] = at::zeros({1}, at::kComplexFloat);
  CHECK_THROWS(write_exchange(folder.path / "b", bad));
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("exchange: missing and foreign files are distinguished", "[checkpoint]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_exchange(folder.path / "none", "own"), MissingError);
  CHECK_THROWS_AS(read_exchange(folder.path, "own"), MissingError);
  write_exchange(folder.path / "a", small_model());
  fs::remove(folder.path / "a/config.json");
  CHECK_THROWS_AS(read_exchange(folder.path / "a", "own"), MissingError);
  write_file_synced(folder.path / "a/config.json", "[1]");
  CHECK_THROWS_WITH(read_exchange(folder.path / "a", "own"), Contains("not a JSON object"));
  write_file_synced(folder.path / "a/model.safetensors", "PK\x03\x04 a torch archive");
  CHECK_THROWS_AS(read_exchange(folder.path / "a", "own"), DataError);
}
