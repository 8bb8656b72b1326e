#include "framework/core/sources/pins.h"

#include <nlohmann/json.hpp>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

std::filesystem::path pin_path(const DataFile& file, const std::filesystem::path& cache) {
  return cache / (file.path + ".pin.json");
}

}  // namespace

std::optional<Pin> read_pin(const DataFile& file, const std::filesystem::path& cache) {
  const auto path = pin_path(file, cache);
  if (!file.sha256.empty() || !std::filesystem::exists(path)) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(read_file(path, 1 << 16));
    Pin pin{json.at("bytes").get<int64_t>(), json.at("sha256").get<std::string>()};
    if (pin.bytes >= 0 && pin.sha256.size() == 64) return pin;
  } catch (const nlohmann::json::exception&) {
    // Reported below.
  }
  throw DataError("'" + path.string() + "' is not a pin (bytes and sha256); delete it and '" +
                  file.path + "' to fetch and pin the file again");
}

Pin take_pin(const DataFile& file, const std::filesystem::path& path,
             const std::filesystem::path& cache) {
  Pin pin{static_cast<int64_t>(std::filesystem::file_size(path)), sha256_file(path)};
  const auto target = pin_path(file, cache);
  make_folders(target.parent_path());
  const nlohmann::ordered_json json = {{"schema", "lvtext.data-pin/1"},
                                       {"file", file.path},
                                       {"bytes", pin.bytes},
                                       {"sha256", pin.sha256}};
  write_file_atomic(target, json.dump(1) + "\n");
  log_warning("'" + file.path + "': no SHA-256 is recorded; pinning the fetched file: " +
              pin.sha256 + ", " + format_count(pin.bytes, "byte"));
  return pin;
}

}  // namespace lvtext
