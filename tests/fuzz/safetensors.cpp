// Safetensors: the header, and datasets in safetensors files.
#include "framework/core/base/safetensors_format.h"
#include "framework/core/datasets/dataset.h"
#include "tests/fuzz/fuzz.h"

namespace lvtext::fuzz {
namespace {

void read_header(std::string_view text) {
  SafetensorsHeader header;
  uint64_t length = 0;
  if (!accepted([&] {
        length = safetensors_header_length(text.substr(0, 8), text.size(), "x");
        require(8 + length <= text.size(), "the header is within the file");
        header = parse_safetensors_header(text.substr(8, length), text.size() - 8 - length, "x");
      })) {
    return;
  }
  uint64_t end = 0;
  for (const TensorEntry& entry : header.entries) {
    require(entry.begin == end && entry.end >= entry.begin, "tensors are contiguous");
    end = entry.end;
  }
  require(8 + length + end == text.size(), "tensors cover the data");

  const auto entries = lay_out_tensors(header.entries, "x");
  std::string prefix;
  if (!accepted([&] { prefix = safetensors_prefix(entries, header.metadata, "x"); })) return;
  const auto again = parse_safetensors_header(std::string_view(prefix).substr(8), end, "x");
  require(again.metadata == header.metadata && again.entries.size() == header.entries.size(),
          "a written header is read back");
}

void read_dataset(std::string_view text) {
  const auto file = write_file("set.safetensors", text);
  accepted([&] {
    const Dataset set(file);
    set.lengths();
    set.total_tokens();
    for (const int64_t parent : set.parents()) require(parent >= 0, "parents are indices");
    if (set.size() > 0) set.select(std::vector<int64_t>{0, set.size() - 1}).lengths();
  });
}

}  // namespace
}  // namespace lvtext::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = lvtext::fuzz::text_of(data, size);
  lvtext::fuzz::read_header(text);
  lvtext::fuzz::read_dataset(text);
  return 0;
}
