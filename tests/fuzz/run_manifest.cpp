// Manifests of finished runs: sealed JSON. The input is used as the manifest's fields, since a
// fuzzer cannot find a valid SHA-256; used as the whole text it is rejected.
#include "framework/core/base/json.h"
#include "framework/core/checkpoint/finished_run.h"
#include "framework/core/checkpoint/manifest.h"
#include "tests/fuzz/fuzz.h"

namespace lvtext::fuzz {
namespace {

void read_run(const std::filesystem::path& folder) {
  accepted([&] {
    const FinishedRun run(folder);
    for (const auto& entry : run.manifest().at("files").items()) {
      accepted([&] { run.read(entry.key()); });
      accepted([&] { run.file(entry.key()); });
    }
  });
  accepted([&] { read_run_description(folder); });
  accepted([&] { verify_run(folder); });
}

}  // namespace
}  // namespace lvtext::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lvtext;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::write_file("run/file", "content");
  fuzz::write_file("run/node.json", text);
  const auto path = fuzz::write_file("run/manifest.json", text);
  fuzz::read_run(path.parent_path());

  const auto fields = parse_json(text);
  if (!fields.is_object() || fields.empty()) return 0;
  std::string sealed;
  try {
    sealed = seal(fields);
  } catch (const nlohmann::json::exception&) {
    return 0;  // seal() requires UTF-8
  }
  // seal() writes a different text for duplicate keys or a key named "sha256".
  fuzz::accepted([&] {
    fuzz::require(seal(parse_sealed(sealed, "x")) == sealed, "a sealed manifest is read back");
  });
  fuzz::write_file("run/manifest.json", sealed);
  fuzz::read_run(path.parent_path());
  return 0;
}
