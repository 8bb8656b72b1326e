// Headers are untrusted: they are parsed as a stream of events, and each limit is checked before
// memory is allocated.
#include "framework/core/base/safetensors_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored in host byte order");

constexpr size_t kMaxMetadataBytes = 8 << 20;

struct Dtype {
  std::string_view name;
  uint64_t bytes;
};
constexpr std::array<Dtype, 10> kDtypes = {{{"F64", 8},
                                            {"I64", 8},
                                            {"F32", 4},
                                            {"I32", 4},
                                            {"BF16", 2},
                                            {"F16", 2},
                                            {"I16", 2},
                                            {"I8", 1},
                                            {"U8", 1},
                                            {"BOOL", 1}}};

/// Builds the header from nlohmann's parser events; every handler returns false to stop, with the
/// reason in `problem`.
class HeaderBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsHeader header;
  std::string problem;

  bool null() override { return refuse("unexpected null"); }
  bool boolean(bool) override { return refuse("unexpected bool"); }
  bool number_float(double, const std::string&) override {
    return refuse("a number that is not an integer of at most 64 bits");
  }
  bool binary(binary_t&) override { return refuse("unexpected binary data"); }
  bool number_integer(int64_t) override { return refuse("a negative number"); }

  bool number_unsigned(uint64_t value) override {
    if (state_ == State::kShape) {
      if (entry_.shape.size() == kMaxRank) {
        return refuse("has more than " + std::to_string(kMaxRank) + " dimensions");
      }
      if (value > INT64_MAX) return refuse("has a dimension beyond 64 bits");
      entry_.shape.push_back(static_cast<int64_t>(value));
      return true;
    }
    if (state_ != State::kOffsets) return refuse("unexpected number");
    if (++offsets_ > 2) return refuse("has more than two data_offsets");
    (offsets_ == 1 ? entry_.begin : entry_.end) = value;
    return true;
  }

  bool string(std::string& text) override {
    if (state_ == State::kMetadata) {
      metadata_bytes_ += text.size() + key_.size();
      if (metadata_bytes_ > kMaxMetadataBytes) return refuse("has more than 8 MiB of metadata");
      header.metadata[key_] = std::move(text);
      return true;
    }
    if (state_ != State::kEntry || key_ != "dtype") return refuse("unexpected string");
    if (dtype_bytes(text) == 0) {
      return refuse("has the unsupported dtype '" + text.substr(0, 32) +
                    "'; supported: " + supported_dtypes());
    }
    entry_.dtype = std::move(text);
    return true;
  }

  bool key(std::string& text) override {
    if (text.size() > kMaxNameBytes) {
      return refuse("a name of more than " + std::to_string(kMaxNameBytes) + " bytes");
    }
    const bool control = std::any_of(text.begin(), text.end(),
                                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (control) return refuse("a name with control characters");
    auto& seen = state_ == State::kTop ? names_ : fields_;
    if (state_ == State::kTop) entry_ = TensorEntry{};
    if (!seen.insert(text).second) return refuse("the name '" + text + "' appears twice");
    if (state_ == State::kTop) {
      if (names_.size() > kMaxTensors) {
        return refuse("more than " + std::to_string(kMaxTensors) + " tensors");
      }
      if (text != "__metadata__") entry_.name = text;
    } else if (state_ == State::kEntry && text != "dtype" && text != "shape" &&
               text != "data_offsets") {
      return refuse("has an unknown field '" + text.substr(0, 64) + "'");
    }
    key_ = std::move(text);
    return true;
  }

  bool start_object(size_t) override {
    fields_.clear();
    if (state_ == State::kStart) {
      state_ = State::kTop;
    } else if (state_ == State::kTop) {
      state_ = key_ == "__metadata__" ? State::kMetadata : State::kEntry;
      offsets_ = 0;
    } else {
      return refuse("unexpected object");
    }
    return true;
  }

  bool end_object() override {
    if (state_ == State::kTop) {
      state_ = State::kDone;
      return true;
    }
    if (state_ == State::kEntry) {
      if (fields_.size() != 3) return refuse("lacks one of dtype, shape, data_offsets");
      if (offsets_ != 2) return refuse("does not have two data_offsets");
      header.entries.push_back(entry_);
    }
    state_ = State::kTop;
    return true;
  }

  bool start_array(size_t) override {
    if (state_ == State::kEntry && key_ == "shape") {
      state_ = State::kShape;
    } else if (state_ == State::kEntry && key_ == "data_offsets") {
      state_ = State::kOffsets;
    } else {
      return refuse("unexpected list");
    }
    return true;
  }

  bool end_array() override {
    state_ = State::kEntry;
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return refuse("is not valid JSON at byte " + std::to_string(position));
  }

 private:
  enum class State { kStart, kTop, kEntry, kShape, kOffsets, kMetadata, kDone };

  bool refuse(const std::string& why) {
    problem = entry_.name.empty() ? why : "tensor '" + entry_.name + "': " + why;
    return false;
  }

  State state_ = State::kStart;
  std::string key_;
  TensorEntry entry_;
  int offsets_ = 0;
  size_t metadata_bytes_ = 0;
  std::set<std::string> names_, fields_;
};

/// Checks that the size of each entry matches its shape and that all entries together cover
/// the data. Returns an error message, or an empty string.
std::string check_layout(const std::vector<TensorEntry>& entries, uint64_t data_bytes) {
  uint64_t at = 0;
  for (const auto& entry : entries) {
    const std::string tensor = "tensor '" + entry.name + "': ";
    uint64_t bytes = dtype_bytes(entry.dtype);
    uint64_t product = bytes;  // with zeros as ones: strides must not overflow either
    for (const int64_t size : entry.shape) {
      bytes *= static_cast<uint64_t>(size);
      const uint64_t factor = std::max<int64_t>(size, 1);
      if (__builtin_mul_overflow(product, factor, &product) || product > INT64_MAX) {
        return tensor + "its shape is too large (2^63 bytes or more)";
      }
    }
    if (entry.end < entry.begin || entry.end > data_bytes) {
      return tensor + "data_offsets [" + std::to_string(entry.begin) + ", " +
             std::to_string(entry.end) + "] are not within the " + std::to_string(data_bytes) +
             " bytes of data";
    }
    if (entry.end - entry.begin != bytes) {
      return tensor + "its shape needs " + std::to_string(bytes) +
             " bytes, its data_offsets have " + std::to_string(entry.end - entry.begin);
    }
    if (entry.begin != at) {
      return tensor + "its data begin at byte " + std::to_string(entry.begin) +
             " instead of byte " + std::to_string(at) + ": tensors overlap or have gaps";
    }
    at = entry.end;
  }
  if (at != data_bytes) {
    return "the tensors end at byte " + std::to_string(at) + " of " + std::to_string(data_bytes) +
           " bytes of data";
  }
  return "";
}

void check_name(const std::string& name, const std::string& location) {
  const bool control =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (name.empty() || name.size() > kMaxNameBytes || control || name == "__metadata__") {
    throw DataError("'" + location + "': invalid tensor name '" + name + "'; allowed: 1 to " +
                    std::to_string(kMaxNameBytes) +
                    " bytes of UTF-8 without control characters, except '__metadata__'");
  }
}

}  // namespace

uint64_t dtype_bytes(std::string_view dtype) {
  for (const auto& known : kDtypes) {
    if (known.name == dtype) return known.bytes;
  }
  return 0;
}

std::string supported_dtypes() {
  std::string text;
  for (const auto& dtype : kDtypes) text += (text.empty() ? "" : ", ") + std::string(dtype.name);
  return text;
}

std::vector<TensorEntry> lay_out_tensors(std::vector<TensorEntry> entries,
                                         const std::string& location) {
  if (entries.size() > kMaxTensors) {
    throw DataError("'" + location + "': more than " + std::to_string(kMaxTensors) + " tensors");
  }
  for (const auto& entry : entries) {
    check_name(entry.name, location);
    if (dtype_bytes(entry.dtype) > 0 && entry.shape.size() <= kMaxRank) continue;
    throw DataError("'" + location + "': tensor '" + entry.name + "' of dtype " + entry.dtype +
                    " and rank " + std::to_string(entry.shape.size()) +
                    " is not supported; supported: " + supported_dtypes() + " and ranks up to " +
                    std::to_string(kMaxRank));
  }
  std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    const uint64_t wide = dtype_bytes(a.dtype), narrow = dtype_bytes(b.dtype);
    return wide != narrow ? wide > narrow : a.name < b.name;
  });
  uint64_t at = 0;
  for (auto& entry : entries) {
    entry.begin = at;
    at += dtype_bytes(entry.dtype);
    for (const int64_t size : entry.shape) at = entry.begin + (at - entry.begin) * size;
    entry.end = at;
  }
  return entries;
}

std::string safetensors_prefix(const std::vector<TensorEntry>& entries,
                               const std::map<std::string, std::string>& metadata,
                               const std::string& location) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  // Append to the underlying vector, because operator[] compares with all earlier names.
  auto& fields = header.get_ref<nlohmann::ordered_json::object_t&>();
  for (const auto& entry : entries) {
    nlohmann::ordered_json field;
    field["dtype"] = entry.dtype;
    field["shape"] = entry.shape;
    field["data_offsets"] = {entry.begin, entry.end};
    static_cast<std::vector<nlohmann::ordered_json::object_t::value_type>&>(fields).emplace_back(
        entry.name, std::move(field));
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    throw DataError("'" + location + "': a tensor's name or the metadata is not UTF-8");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > kMaxHeaderBytes) {
    throw DataError("'" + location + "': the header would have " + format_bytes(text.size()) +
                    "; at most 100,000,000 bytes are allowed");
  }
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

uint64_t safetensors_header_length(std::string_view first_bytes, uint64_t file_bytes,
                                   const std::string& location) {
  uint64_t length = 0;
  if (file_bytes < sizeof length) {
    throw DataError("'" + location + "' has " + std::to_string(file_bytes) +
                    " bytes: it is empty or cut off, not a safetensors file");
  }
  std::memcpy(&length, first_bytes.data(), sizeof length);
  if (length <= kMaxHeaderBytes && length <= file_bytes - sizeof length) return length;
  const std::string foreign = recognize_foreign(first_bytes.substr(0, sizeof length));
  throw DataError("'" + location + "' " +
                  (foreign.empty()
                       ? "is cut off or not a safetensors file: its header would have " +
                             std::to_string(length) + " bytes"
                       : foreign));
}

SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::string& location) {
  const std::string prefix = "'" + location + "': the safetensors header ";
  if (json.empty() || json.front() != '{') throw DataError(prefix + "does not begin with '{'");
  // Reject a header that is mostly padding without parsing it; an entry needs a few hundred bytes.
  const auto braces = static_cast<uint64_t>(std::count(json.begin(), json.end(), '{'));
  if (json.size() > kMaxMetadataBytes + braces * 4 * kMaxNameBytes) {
    throw DataError(prefix + "has " + format_bytes(json.size()) + " for " + std::to_string(braces) +
                    " entries, which is too much");
  }
  HeaderBuilder builder;
  const bool parsed = nlohmann::json::sax_parse(json.begin(), json.end(), &builder);
  if (!parsed || !builder.problem.empty()) {
    throw DataError(prefix + (builder.problem.starts_with("is ") ? "" : "is invalid: ") +
                    builder.problem);
  }
  auto& entries = builder.header.entries;
  std::sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  const std::string problem = check_layout(entries, data_bytes);
  if (!problem.empty()) throw DataError(prefix + "is invalid: " + problem);
  return std::move(builder.header);
}

std::string recognize_foreign(std::string_view bytes) {
  const std::string advice = "; lvtext reads safetensors only and never runs code from a file";
  if (bytes.empty()) return "is empty";
  if (bytes.starts_with("PK\x03\x04")) {
    return "is a zip archive, such as torch.save writes: it may contain pickled code" + advice;
  }
  if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 1 && bytes[1] <= 5) {
    return "is a Python pickle" + advice;
  }
  if (bytes.starts_with("\x1f\x8b")) return "is a gzip file: unpack it first";
  if (bytes.starts_with("\x89HDF")) return "is an HDF5 file" + advice;
  if (bytes.starts_with("GGUF")) return "is a GGUF file" + advice;
  return "";
}

}  // namespace lvtext
