#include "framework/core/sources/split_files.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/datasets/dataset.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/options/json.h"

namespace lvtext {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// Writes the images of a field. Images that share their bytes, as those of derived records do,
/// have one row.
class ImageFile {
 public:
  ImageFile(const fs::path& file, const std::string& field, const FieldType& type)
      : writer_(file, {{.name = field, .kind = type.kind, .shape = type.shape}}) {}

  int64_t row_of(const ImageBytes& image) {
    const auto next = std::ssize(rows_);
    const auto [row, is_new] = rows_.try_emplace(image.bytes().data(), next);
    if (is_new) {
      writer_.add_image(0, image.bytes());
      writer_.end_row();
    }
    return row->second;
  }
  void finish() { writer_.finish(); }

 private:
  DatasetWriter writer_;
  std::map<const uint8_t*, int64_t> rows_;
};

/// Writes the files of one split; returns their names.
std::vector<std::string> write_split(const std::string& split, const Records& records,
                                     const fs::path& folder) {
  std::vector<std::string> files = {split_file(split)};
  std::map<std::string, ImageFile> images;
  for (const auto& [field, type] : records.types) {
    if (type.kind != ColumnKind::kImage) continue;
    files.push_back(image_file(split, field));
    images.try_emplace(field, folder / files.back(), field, type);
  }
  const auto store = [&](const std::string& field, const ImageBytes& image) {
    return images.at(field).row_of(image);
  };
  write_file_synced(folder / files.front(), to_json_lines(records, store));
  for (auto& [field, file] : images) file.finish();
  return files;
}

}  // namespace

std::string split_file(const std::string& split) {
  return split + ".jsonl";
}

std::string image_file(const std::string& split, const std::string& field) {
  return split + "." + field + ".safetensors";
}

Json to_json(const SplitCounts& counts) {
  Json json = {{"lines", counts.lines},
               {"empty", counts.empty},
               {"too_long", counts.too_long},
               {"unlabeled", counts.unlabeled},
               {"duplicates", counts.duplicates},
               {"overlaps", counts.overlaps},
               {"pool", counts.pool},
               {"test_given", counts.test_given},
               {"test_held_out", counts.test_held_out}};
  if (counts.excluded > 0) json["excluded"] = counts.excluded;
  if (counts.rare > 0) json["rare"] = counts.rare;
  return json;
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
    const auto written = write_split(split, records, folder);
    files.insert(files.end(), written.begin(), written.end());
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

Records read_split_records(const std::string& split,
                           const std::function<fs::path(const std::string& file)>& path_of) {
  const Records of = parse_description(read_file(path_of(kRecordsFile)));
  std::map<std::string, std::shared_ptr<const Dataset>> images;
  const auto load = [&](const std::string& field, int64_t row) {
    auto& file = images[field];
    if (!file) file = std::make_shared<const Dataset>(path_of(image_file(split, field)));
    const DatasetColumn& column = file->column(field);
    const FieldType& type = of.types.at(field);
    if (row < 0 || row >= column.size() || column.decl().shape != type.shape ||
        column.decl().kind != type.kind) {
      throw DataError("'" + image_file(split, field) +
                      "' has no image of the shape and row of a "
                      "record");
    }
    return ImageBytes(column.image(row), file);
  };
  return parse_json_lines(read_file(path_of(split_file(split))), of, load);
}

Json write_split_files(const Splits& splits, const DataOptions& options, const fs::path& folder) {
  refuse_existing(folder);
  Json description = {{"schema", "lvtext.data-splits/1"},
                      {"set", options.name()},
                      {"options", canonical_json(to_node(options))},
                      {"counts", to_json(splits.counts)},
                      {"files", Json::object()}};
  write_folder(folder, [&](const fs::path& partial) {
    for (const std::string& name : write_records(splits.records, partial)) {
      if (name == kRecordsFile) continue;
      const fs::path file = partial / name;
      description["files"][name] = {{"bytes", fs::file_size(file)}, {"sha256", sha256_file(file)}};
    }
    for (const auto& [split, records] : splits.records) {
      description["files"][split_file(split)]["records"] = records.rows.size();
    }
    write_file_synced(partial / "splits.json", description.dump(1) + "\n");
  });
  return description;
}

}  // namespace lvtext
