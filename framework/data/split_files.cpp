#include "framework/data/split_files.h"

#include <utility>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/options/json.h"

namespace lvtext {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json to_json(const SplitCounts& counts) {
  return {{"lines", counts.lines},           {"empty", counts.empty},
          {"too_long", counts.too_long},     {"duplicates", counts.duplicates},
          {"overlaps", counts.overlaps},     {"pool", counts.pool},
          {"test_given", counts.test_given}, {"test_held_out", counts.test_held_out}};
}

Json write_split_files(const Splits& splits, const DataOptions& options, const fs::path& folder) {
  refuse_existing(folder);
  Json description = {{"schema", "lvtext.data-splits/1"},
                      {"set", options.train.empty() ? options.set : "own text"},
                      {"options", canonical_json(to_node(options))},
                      {"counts", to_json(splits.counts)},
                      {"files", Json::object()}};
  write_folder(folder, [&](const fs::path& partial) {
    for (const auto& [name, lines] :
         {std::pair("train.txt", &splits.train), std::pair("valid.txt", &splits.valid),
          std::pair("test.txt", &splits.test), std::pair("reverse.txt", &splits.reverse)}) {
      std::string text;
      for (const auto& line : *lines) text += line + "\n";
      write_file_synced(partial / name, text);
      description["files"][name] = {
          {"lines", lines->size()}, {"bytes", text.size()}, {"sha256", sha256(text)}};
    }
    write_file_synced(partial / "splits.json", description.dump(1) + "\n");
  });
  return description;
}

}  // namespace lvtext
