#include "framework/core/base/tensorboard.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "tests/framework/core/base/child.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

/// Bitwise CRC-32C, from its polynomial.
uint32_t slow_masked_crc(const std::string& bytes) {
  uint32_t crc = ~0u;
  for (const unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

template <typename T>
T raw(const std::string& bytes, size_t at) {
  T value;
  REQUIRE(at + sizeof value <= bytes.size());
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// Records of an event file, with all checksums verified.
std::vector<std::string> records_of(const std::string& file) {
  std::vector<std::string> records;
  for (size_t at = 0; at < file.size();) {
    const auto length = raw<uint64_t>(file, at);
    REQUIRE(raw<uint32_t>(file, at + 8) == slow_masked_crc(file.substr(at, 8)));
    REQUIRE(length <= file.size() - at - 16);
    records.push_back(file.substr(at + 12, length));
    REQUIRE(raw<uint32_t>(file, at + 12 + length) == slow_masked_crc(records.back()));
    at += 16 + length;
  }
  return records;
}

/// Fields of a protocol-buffer message: numbers as bytes, each field at most once.
class Message {
 public:
  explicit Message(const std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      const uint64_t key = varint(bytes, at);
      const int field = static_cast<int>(key >> 3);
      REQUIRE(fields_.count(field) == 0);
      if ((key & 7) == 0) {
        const uint64_t value = varint(bytes, at);
        fields_[field] = std::string(reinterpret_cast<const char*>(&value), 8);
      } else {
        REQUIRE(((key & 7) == 1 || (key & 7) == 2 || (key & 7) == 5));
        const size_t size = (key & 7) == 1 ? 8 : (key & 7) == 5 ? 4 : varint(bytes, at);
        REQUIRE(size <= bytes.size() - at);
        fields_[field] = bytes.substr(at, size);
        at += size;
      }
    }
  }

  bool has(int field) const { return fields_.count(field) > 0; }
  std::string bytes(int field) const { return has(field) ? fields_.at(field) : ""; }
  Message message(int field) const { return Message(bytes(field)); }
  int64_t integer(int field) const { return has(field) ? raw<int64_t>(bytes(field), 0) : 0; }
  double float64(int field) const { return raw<double>(bytes(field), 0); }
  float float32(int field) const { return raw<float>(bytes(field), 0); }

 private:
  static uint64_t varint(const std::string& bytes, size_t& at) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      REQUIRE(at < bytes.size());
      REQUIRE(shift < 64);
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::map<int, std::string> fields_;
};

std::vector<Message> events_of(const fs::path& path) {
  std::vector<Message> events;
  for (const auto& record : records_of(read_file(path))) events.emplace_back(record);
  return events;
}

/// Event.summary.value of an event that contains one.
Message value_of(const Message& event) {
  return event.message(5).message(1);
}

}  // namespace

TEST_CASE("tensorboard: checksums match published values", "[tensorboard]") {
  // RFC 3720, B.4: CRC-32C of 32 zero bytes is 8a9136aa; masked as the record format requires.
  const uint32_t zeros = 0x8a9136aau;
  CHECK(masked_crc32c(std::string(32, '\0')) == ((zeros >> 15) | (zeros << 17)) + 0xa282ead8u);
  CHECK(masked_crc32c("123456789") == slow_masked_crc("123456789"));
  CHECK(masked_crc32c("") == 0xa282ead8u);
}

TEST_CASE("tensorboard: scalars, texts and restarts are complete records", "[tensorboard]") {
  const TemporaryFolder folder;
  fs::path path;
  {
    TensorboardWriter writer(folder.path / "curves", "0.test");
    path = writer.path();
    writer.scalar("valid/nll", 0, 1.5);
    writer.scalar("valid/nll", 1'000'000'000'000, -0.1);
    writer.scalar("ü", 128, std::nan(""));
    writer.text("samples", 3, "# heading\n\nthe cat");
    writer.restart(77);
  }
  CHECK(path == folder.path / "curves" / "events.out.tfevents.0.test");
  const auto events = events_of(path);
  REQUIRE(events.size() == 6);
  CHECK(events[0].bytes(3) == "brain.Event:2");
  const double now = static_cast<double>(std::time(nullptr));
  for (const auto& event : events) CHECK(std::abs(event.float64(1) - now) < 100);

  CHECK(value_of(events[1]).bytes(1) == "valid/nll");
  CHECK(value_of(events[1]).float32(2) == 1.5f);
  CHECK(events[1].integer(2) == 0);
  CHECK(events[2].integer(2) == 1'000'000'000'000);
  CHECK(value_of(events[2]).float32(2) == -0.1f);
  CHECK(events[3].integer(2) == 128);
  CHECK(value_of(events[3]).bytes(1) == "ü");
  CHECK(std::isnan(value_of(events[3]).float32(2)));

  const Message text = value_of(events[4]);
  CHECK(events[4].integer(2) == 3);
  CHECK(text.bytes(1) == "samples");
  CHECK(text.message(8).integer(1) == 7);                        // DT_STRING
  CHECK(text.message(8).message(2).message(2).integer(1) == 1);  // shape [1]
  CHECK(text.message(8).bytes(8) == "# heading\n\nthe cat");
  CHECK(text.message(9).message(1).bytes(1) == "text");

  CHECK(events[5].integer(2) == 77);
  CHECK(events[5].message(7).integer(1) == 1);  // SessionLog START
}

TEST_CASE("tensorboard: flush writes all data to the file", "[tensorboard]") {
  const TemporaryFolder folder;
  TensorboardWriter writer(folder.path, "x");
  writer.scalar("a", 1, 2);
  writer.flush();
  CHECK(events_of(writer.path()).size() == 2);
  writer.flush();
  CHECK(events_of(writer.path()).size() == 2);
}

TEST_CASE("tensorboard: an existing file is continued without its truncated or damaged end",
          "[tensorboard]") {
  const TemporaryFolder folder;
  fs::path path;
  {
    TensorboardWriter writer(folder.path, "x");
    path = writer.path();
    for (int step = 1; step <= 3; ++step) writer.scalar("a", step, step);
  }
  const std::string whole = read_file(path);
  const auto records = records_of(whole);
  const size_t last = records.back().size() + 16;
  std::string damaged = whole;
  damaged[whole.size() - 10] ^= 1;
  size_t kept = 4;
  SECTION("intact") {
    write_file_synced(path, whole);
  }
  SECTION("damaged") {
    write_file_synced(path, damaged), kept = 3;
  }
  SECTION("followed by zeros") {
    write_file_synced(path, whole + std::string(100, '\0'));
  }
  SECTION("followed by an impossible length") {
    write_file_synced(path, whole + std::string(100, '\xff'));
  }
  SECTION("empty") {
    write_file_synced(path, ""), kept = 1;
  }
  for (size_t cut = 1; cut <= last; cut += 5) {
    DYNAMIC_SECTION("torn " << cut << " bytes before its end") {
      write_file_synced(path, whole.substr(0, whole.size() - cut));
      kept = 3;
    }
  }
  { TensorboardWriter(folder.path, "x").scalar("a", 9, 9); }
  const auto events = events_of(path);
  REQUIRE(events.size() == kept + 1);
  CHECK(events.front().bytes(3) == "brain.Event:2");
  for (size_t i = 1; i < events.size(); ++i) CHECK_FALSE(events[i].has(3));
  CHECK(events.back().integer(2) == 9);
  CHECK(value_of(events.back()).float32(2) == 9);
}

TEST_CASE("tensorboard: a folder that cannot be created is an error that contains its path",
          "[tensorboard]") {
  const TemporaryFolder folder;
  write_file_synced(folder.path / "file", "x");
  CHECK_THROWS_AS(TensorboardWriter(folder.path / "file", "x"), Error);
  CHECK_THROWS_AS(TensorboardWriter(folder.path, "a/b"), std::logic_error);
}

TEST_CASE("tensorboard: TensorBoard reads the steps and values", "[tensorboard]") {
  const char* python = std::getenv("LVTEXT_TEST_PYTHON");
  if (python == nullptr) return;
  const auto run = [&](const std::string& program, const fs::path& location) {
    const std::string command = "'" + std::string(python) + "' -c '" + program + "' '" +
                                location.string() + "' 2>/dev/null";
    FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    char block[4096];
    for (size_t got; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) {
      output.append(block, got);
    }
    return std::pair(::pclose(pipe), output);
  };
  if (run("import tensorboard", "").first != 0) {
    WARN("not compared with tensorboard (not installed for LVTEXT_TEST_PYTHON)");
    return;
  }
  const TemporaryFolder folder;
  {
    TensorboardWriter writer(folder.path, "x");
    for (int step = 0; step < 5; ++step) writer.scalar("train/loss", step, 10.0 - step / 8.0);
  }
  {
    TensorboardWriter writer(folder.path, "x");
    writer.restart(3);  // values of steps 3 and 4 are dropped
    writer.scalar("train/loss", 3, 0.25);
    writer.text("samples", 3, "the **cat**");
  }
  const auto [code, output] = run(R"(
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
a = EventAccumulator(sys.argv[1])
a.Reload()
print([(e.step, e.value) for e in a.Scalars("train/loss")] if a.Tags()["scalars"] else
      [(e.step, e.tensor_proto.float_val[0]) for e in a.Tensors("train/loss")])
print([(e.step, list(e.tensor_proto.string_val)) for e in a.Tensors("samples")])
print(a.SummaryMetadata("samples").plugin_data.plugin_name)
)",
                                  folder.path);
  CHECK(code == 0);
  CHECK(output == "[(0, 10.0), (1, 9.875), (2, 9.75), (3, 0.25)]\n[(3, [b'the **cat**'])]\ntext\n");
}
