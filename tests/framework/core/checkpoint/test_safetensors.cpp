#include "framework/core/checkpoint/safetensors.h"

#include <cstring>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/memory.h"
#include "framework/core/base/safetensors_format.h"
#include "tests/catch.h"
#include "tests/framework/core/checkpoint/checkpoint_fixture.h"
#include "tests/framework/core/checkpoint/python.h"
#include "tests/text.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(uint64_t value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A file with this header text and this many bytes of data.
std::string file_of(const std::string& header, size_t data_bytes) {
  return bytes_of(header.size()) + header + std::string(data_bytes, '\0');
}

/// One entry of a header.
std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" +
         offsets + "}";
}

/// Writes `content` and reads it: must be rejected with a DataError that contains the file and
/// `part`.
void check_refused(const std::string& content, const std::string& part) {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "hostile.safetensors";
  write_file_synced(path, content);
  const uint64_t before = peak_memory();
  try {
    read_safetensors(path);
    FAIL("was read: " << content.substr(8, 200));
  } catch (const DataError& error) {
    INFO(error.what());
    CHECK(error.code() == Exit::kBadData);
    CHECK(contains(error.what(), path.string()));
    CHECK(contains(error.what(), part));
    CHECK(std::string(error.what()).size() < 1000);
  }
  CHECK(peak_memory() - before < (64 << 20) + 10 * content.size());
}

void check_header_refused(const std::string& header, size_t data_bytes, const std::string& part) {
  INFO(header.substr(0, 300));
  check_refused(file_of(header, data_bytes), part);
}

TensorMap every_dtype() {
  const double inf = std::numeric_limits<double>::infinity();
  const at::Tensor floats =
      at::tensor({0.0, -0.0, 1.5, -2.75, inf, -inf, 1e-8, 65504.0}, at::kDouble);
  TensorMap tensors;
  for (const auto dtype : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    tensors["float." + dtype_name(dtype)] = floats.to(dtype).reshape({2, 4});
  }
  for (const auto dtype : {at::kLong, at::kInt, at::kShort, at::kChar, at::kByte}) {
    const int64_t low = dtype == at::kByte ? 0 : -128;
    tensors["int." + dtype_name(dtype)] =
        at::tensor({low, int64_t{0}, int64_t{127}}, at::kLong).to(dtype);
  }
  tensors["int.far"] = at::tensor({INT64_MIN, INT64_MAX}, at::kLong);
  tensors["bool"] = at::tensor({1, 0, 1}, at::kInt).to(at::kBool);
  return tensors;
}

void check_same_bits(const at::Tensor& read, const at::Tensor& written) {
  REQUIRE(read.scalar_type() == written.scalar_type());
  REQUIRE(read.sizes() == written.sizes());
  const at::Tensor a = read.contiguous(), b = written.detach().contiguous();
  CHECK((a.nbytes() == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0));
}

}  // namespace

TEST_CASE("safetensors: all dtypes are read back bit for bit", "[safetensors]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "all.safetensors";
  TensorMap tensors = every_dtype();
  tensors["nan"] = at::full({3}, std::nan(""), at::kFloat);
  const auto written = write_safetensors(path, tensors, {{"format", "pt"}, {"note", "\"ü\"\n"}});
  CHECK(written.bytes == fs::file_size(path));
  const auto read = read_safetensors(path);
  CHECK(read.metadata.at("note") == "\"ü\"\n");
  CHECK(read.sha256 == written.sha256);
  CHECK(read.tensor_sha256 == written.tensor_sha256);
  REQUIRE(read.tensors.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    INFO(name);
    check_same_bits(read.tensors.at(name), tensor);
  }
}

TEST_CASE("safetensors: views, scalars, empty tensors and gradients are stored as plain tensors",
          "[safetensors]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "views.safetensors";
  const at::Tensor base = at::arange(24, at::kFloat).reshape({4, 6});
  const TensorMap tensors = {{"transposed", base.t()},
                             {"column", base.select(1, 2)},
                             {"strided", base.slice(1, 1, 6, 2)},
                             {"expanded", base.select(1, 0).unsqueeze(0).expand({3, 4})},
                             {"scalar", at::full({}, 7, at::kShort)},
                             {"empty", at::empty({0}, at::kDouble)},
                             {"empty.inside", at::empty({3, 0, 2}, at::kBool)},
                             {"leaf", at::ones({2}).requires_grad_(true)},
                             {"name with \"quotes\" and ü", at::ones({1}, at::kByte)}};
  write_safetensors(path, tensors);
  const auto read = read_safetensors(path);
  REQUIRE(read.tensors.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    INFO(name);
    check_same_bits(read.tensors.at(name), tensor);
    CHECK(read.tensors.at(name).is_contiguous());
    CHECK_FALSE(read.tensors.at(name).requires_grad());
  }
  write_safetensors(path, {});
  CHECK(read_safetensors(path).tensors.empty());
}

TEST_CASE("safetensors: names and dtypes that the format does not support are rejected",
          "[safetensors]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "x.safetensors";
  const at::Tensor one = at::ones({1});
  for (const std::string& name : {std::string(""), std::string("__metadata__"), std::string("a\nb"),
                                  std::string("\xff"), std::string(2000, 'x')}) {
    CHECK_THROWS_AS(write_safetensors(path, {{name, one}}), DataError);
  }
  CHECK_THROWS_AS(write_safetensors(path, {{"c", one.to(at::kComplexFloat)}}), DataError);
  CHECK_THROWS_AS(write_safetensors(path, {{"u", at::Tensor()}}), DataError);
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("safetensors: wrong lengths are rejected before any allocation", "[safetensors]") {
  const std::string good = "{" + entry("a", "F32", "[2]", "[0,8]") + "}";
  const std::string rest = good + std::string(8, '\0');
  check_refused("", "empty or cut off");
  check_refused("\x01\x02\x03", "3 bytes");
  check_refused(bytes_of(uint64_t{1} << 63) + rest, "header");
  check_refused(bytes_of(UINT64_MAX) + rest, "header");
  check_refused(bytes_of(rest.size() + 1) + rest, "header");
  check_refused(bytes_of(kMaxHeaderBytes) + rest, "header");
  check_refused(bytes_of(0) + rest, "header");
  check_refused(bytes_of(good.size() - 1) + rest, "JSON");
  check_refused(file_of(good, 7), "not within");
  check_refused(file_of(good, 9), "end at byte 8 of 9");
}

TEST_CASE("safetensors: offsets must cover the data without gap or overlap", "[safetensors]") {
  const auto two = [](const std::string& first, const std::string& second) {
    return "{" + entry("a", "F32", "[2]", first) + "," + entry("b", "F32", "[2]", second) + "}";
  };
  check_header_refused(two("[0,8]", "[4,12]"), 12, "overlap");
  check_header_refused(two("[0,8]", "[0,8]"), 8, "overlap");
  check_header_refused(two("[0,8]", "[12,20]"), 20, "gap");
  check_header_refused(two("[4,12]", "[12,20]"), 20, "gap");
  check_header_refused(two("[0,8]", "[8,16]"), 20, "end at byte 16 of 20");
  check_header_refused(two("[0,8]", "[8,16]"), 12, "'b'");
  check_header_refused(two("[0,8]", "[-8,0]"), 16, "negative");
  check_header_refused(two("[0,8]", "[16,8]"), 16, "not within");
  check_header_refused(two("[0,8]", "[18446744073709551608,0]"), 8, "not within");
  check_header_refused(two("[0,8]", "[8,18446744073709551615]"), 16, "not within");
  check_header_refused(two("[0,8]", "[8,18446744073709551616]"), 16, "not an integer");
  check_header_refused(two("[0,8]", "[8,16.0]"), 16, "not an integer");
  check_header_refused(two("[0,8]", "[8]"), 16, "two data_offsets");
  check_header_refused(two("[0,8]", "[8,16,24]"), 16, "two data_offsets");
}

TEST_CASE("safetensors: shapes that overflow, mismatch or nest are rejected", "[safetensors]") {
  const auto one = [](const std::string& dtype, const std::string& shape) {
    return "{" + entry("a", dtype, shape, "[0,8]") + "}";
  };
  check_header_refused(one("F32", "[3]"), 8, "needs 12 bytes");
  check_header_refused(one("F64", "[2]"), 8, "needs 16 bytes");
  check_header_refused(one("BF16", "[2]"), 8, "needs 4 bytes");
  check_header_refused(one("F32", "[4294967296,4294967296]"), 8, "2^63");
  // 2^62 + 2 floats wrap to 8 bytes in 64 bits.
  check_header_refused(one("F32", "[4611686018427387906]"), 8, "2^63");
  check_header_refused(one("F32", "[9223372036854775807,9223372036854775807,0]"), 8, "2^63");
  check_header_refused(one("F32", "[9223372036854775808]"), 8, "64 bits");
  check_header_refused(one("F32", "[-2]"), 8, "negative");
  check_header_refused(one("F32", "[" + repeated("1,", 999) + "2]"), 8, "dimensions");
  check_header_refused(one("F32", "[[2]]"), 8, "list");
  check_header_refused(one("F32", "2"), 8, "number");
  check_header_refused(one("C64", "[1]"), 8, "supported: F64");
  check_header_refused(one("f32", "[2]"), 8, "supported: F64");
  check_header_refused(one(std::string(100'000, 'F'), "[2]"), 8, "supported: F64");
}

TEST_CASE("safetensors: JSON that is not a header is rejected", "[safetensors]") {
  const std::string a = entry("a", "U8", "[0]", "[0,0]");
  check_header_refused("{" + a + "," + a + "}", 0, "twice");
  check_header_refused(R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0,
                       "twice");
  check_header_refused(R"({"a":{"dtype":"U8","shape":[0]}})", 0, "lacks");
  check_header_refused(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})", 0,
                       "unknown field");
  check_header_refused(R"({"a":{"dtype":null,"shape":[0],"data_offsets":[0,0]}})", 0, "null");
  check_header_refused(R"({"__metadata__":{"a":1}})", 0, "number");
  check_header_refused(R"({"__metadata__":[]})", 0, "list");
  check_header_refused(R"({"a":7})", 0, "number");
  check_header_refused("[]", 0, "'{'");
  check_header_refused("{" + a + "}}", 0, "JSON");
  check_header_refused("{" + a, 0, "JSON");
  check_header_refused("{" + entry("a\xff", "U8", "[0]", "[0,0]") + "}", 0, "JSON");
  check_header_refused("{" + entry("\xc0\xaf", "U8", "[0]", "[0,0]") + "}", 0, "JSON");
  check_header_refused("{" + entry("a\\u0000b", "U8", "[0]", "[0,0]") + "}", 0, "control");
  check_header_refused("{" + entry(std::string(5000, 'n'), "U8", "[0]", "[0,0]") + "}", 0, "name");
  check_header_refused(repeated("{\"a\":", 100'000), 0, "unknown field");
  check_header_refused("{\"__metadata__\":" + repeated("{\"a\":", 100'000), 0, "object");
  check_header_refused("{\"a\":" + repeated("[", 1'000'000), 0, "list");
  check_header_refused("{" + std::string(20 << 20, ' ') + "}", 0, "entries");
}

TEST_CASE("safetensors: bools other than 0 and 1 are rejected", "[safetensors]") {
  std::string file = file_of("{" + entry("flags", "BOOL", "[2]", "[0,2]") + "}", 2);
  file.back() = 2;
  check_refused(file, "'flags'");
}

TEST_CASE("safetensors: foreign files are recognized", "[safetensors]") {
  check_refused("PK\x03\x04" + std::string(100, 'x'), "zip");
  check_refused("\x80\x02}q" + std::string(100, 'x'), "pickle");
}

TEST_CASE("safetensors: Python's library reads files written by lvtext", "[safetensors]") {
  if (!python_has_safetensors()) return;
  const TemporaryFolder folder;
  const fs::path path = folder.path / "ours.safetensors";
  TensorMap tensors = every_dtype();
  // numpy has no bfloat16; the library's parser still checks that entry.
  tensors["transposed"] = at::arange(6, at::kFloat).reshape({2, 3}).t();
  tensors["scalar"] = at::full({}, 2.5, at::kDouble);
  tensors["empty"] = at::empty({0, 3}, at::kFloat);
  write_safetensors(path, tensors, {{"format", "pt"}});
  const auto output = python(R"(
import os, numpy, safetensors
f = safetensors.safe_open(os.environ["LVTEXT_TEST_FILE"], "np")
print(f.metadata()["format"], len(f.keys()))
for name in sorted(f.keys()):
    s = f.get_slice(name)
    if s.get_dtype() == "BF16":
        print(name, "BF16", s.get_shape())
    else:
        t = f.get_tensor(name)
        print(name, t.dtype, list(t.shape), t.astype("float64").ravel().tolist())
)",
                             path);
  REQUIRE(output);
  const std::string floats = "[0.0, -0.0, 1.5, -2.75, inf, -inf, ";
  for (const std::string& line :
       {std::string("pt 14\n"), std::string("bool bool [3] [1.0, 0.0, 1.0]\n"),
        std::string("empty float32 [0, 3] []\n"), std::string("scalar float64 [] [2.5]\n"),
        "float.F64 float64 [2, 4] " + floats + "1e-08, 65504.0]\n",
        "float.F32 float32 [2, 4] " + floats, "float.F16 float16 [2, 4] " + floats,
        std::string("float.BF16 BF16 [2, 4]\n"),
        std::string("int.I64 int64 [3] [-128.0, 0.0, 127.0]\n"),
        std::string("int.I32 int32 [3] [-128.0, 0.0, 127.0]\n"),
        std::string("int.I16 int16 [3] [-128.0, 0.0, 127.0]\n"),
        std::string("int.I8 int8 [3] [-128.0, 0.0, 127.0]\n"),
        std::string("int.U8 uint8 [3] [0.0, 0.0, 127.0]\n"),
        std::string("transposed float32 [3, 2] [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]\n")}) {
    INFO(*output);
    INFO(line);
    CHECK(contains(*output, line));
  }
}

TEST_CASE("safetensors: files written by Python's library are read", "[safetensors]") {
  if (!python_has_safetensors()) return;
  const TemporaryFolder folder;
  const fs::path path = folder.path / "theirs.safetensors";
  const auto output = python(R"(
import os, numpy as np, safetensors.numpy
safetensors.numpy.save_file({
    "z": np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5,
    "half": np.array([0.5, -1.0], dtype=np.float16),
    "flags": np.array([True, False]),
    "long": np.array(-7, dtype=np.int64),
    "byte": np.array([255], dtype=np.uint8),
    "none": np.zeros((0, 2), dtype=np.float64)},
    os.environ["LVTEXT_TEST_FILE"], {"who": "numpy"})
)",
                             path);
  REQUIRE(output);
  const auto read = read_safetensors(path);
  CHECK(read.metadata.at("who") == "numpy");
  CHECK(read.tensors.size() == 6);
  check_same_bits(read.tensors.at("z"), at::arange(6, at::kFloat).reshape({2, 3}) - 2.5);
  check_same_bits(read.tensors.at("half"), at::tensor({0.5, -1.0}, at::kDouble).to(at::kHalf));
  check_same_bits(read.tensors.at("flags"), at::tensor({1, 0}, at::kInt).to(at::kBool));
  check_same_bits(read.tensors.at("long"), at::full({}, -7, at::kLong));
  check_same_bits(read.tensors.at("byte"), at::full({1}, 255, at::kByte));
  check_same_bits(read.tensors.at("none"), at::empty({0, 2}, at::kDouble));
}
