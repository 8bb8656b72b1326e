// Manifests of data sets: data/<name>.yaml.
#include "framework/core/sources/manifest.h"

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lvtext;
  const auto file = fuzz::write_file("data/set.yaml", fuzz::text_of(data, size));
  Manifest set;
  if (!fuzz::accepted([&] { set = load_manifest("set", {file.parent_path()}); })) return 0;
  const std::string text = manifest_text(set);
  fuzz::write_file("data/set.yaml", text);
  Manifest again;
  fuzz::require(fuzz::accepted([&] { again = load_manifest("set", {file.parent_path()}); }) &&
                    manifest_text(again) == text,
                "a written manifest is read back");
  return 0;
}
