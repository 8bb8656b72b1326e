#include "framework/data/split_files.h"

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/options/json.h"

namespace lvtext {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string split_file(const std::string& split) {
  return split + ".jsonl";
}

Json to_json(const SplitCounts& counts) {
  return {{"lines", counts.lines},
          {"empty", counts.empty},
          {"too_long", counts.too_long},
          {"unlabeled", counts.unlabeled},
          {"duplicates", counts.duplicates},
          {"overlaps", counts.overlaps},
          {"pool", counts.pool},
          {"test_given", counts.test_given},
          {"test_held_out", counts.test_held_out}};
}

std::vector<std::string> write_records(const Splits& splits, const fs::path& folder) {
  std::vector<std::string> files = {kRecordsFile};
  const Records& train = splits.records.at("train");
  const Json description = {{"fields", train.fields}, {"labels", train.labels}};
  write_file_synced(folder / kRecordsFile, description.dump(1) + "\n");
  for (const auto& [split, records] : splits.records) {
    files.push_back(split_file(split));
    write_file_synced(folder / files.back(), to_json_lines(records));
  }
  return files;
}

Json write_split_files(const Splits& splits, const DataOptions& options, const fs::path& folder) {
  refuse_existing(folder);
  Json description = {{"schema", "lvtext.data-splits/1"},
                      {"set", options.train.empty() ? options.set : "own text"},
                      {"options", canonical_json(to_node(options))},
                      {"counts", to_json(splits.counts)},
                      {"files", Json::object()}};
  write_folder(folder, [&](const fs::path& partial) {
    write_records(splits, partial);
    for (const auto& [split, records] : splits.records) {
      const fs::path file = partial / split_file(split);
      description["files"][split_file(split)] = {{"records", records.rows.size()},
                                                 {"bytes", fs::file_size(file)},
                                                 {"sha256", sha256_file(file)}};
    }
    write_file_synced(partial / "splits.json", description.dump(1) + "\n");
  });
  return description;
}

}  // namespace lvtext
