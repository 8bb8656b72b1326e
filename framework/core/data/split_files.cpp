#include "framework/core/data/split_files.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/options/json.h"

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

std::vector<std::string> write_records(const std::map<std::string, Records>& splits,
                                       const fs::path& folder) {
  std::vector<std::string> files = {kRecordsFile};
  const Records& any = splits.begin()->second;
  Json description = {{"fields", any.fields}, {"labels", any.labels}};
  for (const auto& [field, type] : any.types) {
    description["types"][field] = to_json(to_node(type));
  }
  write_file_synced(folder / kRecordsFile, description.dump(1) + "\n");
  for (const auto& [split, records] : splits) {
    files.push_back(split_file(split));
    write_file_synced(folder / files.back(), to_json_lines(records));
  }
  return files;
}

Records parse_description(const std::string& text) {
  const auto description = nlohmann::json::parse(text);
  Records records;
  records.fields = description.at("fields").get<std::vector<std::string>>();
  records.labels = description.at("labels").get<Labels>();
  if (!description.contains("types")) return records;
  for (const auto& [field, type] : description.at("types").items()) {
    records.types[field] = parse_options_or_throw<FieldType>(node_of_json(type, kRecordsFile));
  }
  return records;
}

Json write_split_files(const Splits& splits, const DataOptions& options, const fs::path& folder) {
  refuse_existing(folder);
  Json description = {{"schema", "lvtext.data-splits/1"},
                      {"set", options.name()},
                      {"options", canonical_json(to_node(options))},
                      {"counts", to_json(splits.counts)},
                      {"files", Json::object()}};
  write_folder(folder, [&](const fs::path& partial) {
    write_records(splits.records, partial);
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
