// The files of the data options, and what determines the records.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "framework/core/base/error.h"
#include "framework/core/base/hash.h"
#include "framework/core/options/json.h"
#include "framework/core/sources/data_source.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// The mistake of a path without a file.
std::optional<DataMistake> missing_file(const std::string& key, const std::string& path) {
  std::error_code failed;
  if (fs::status(path, failed).type() != fs::file_type::not_found) return std::nullopt;
  return DataMistake{
      key, "there is no file '" + path + "'",
      "paths are relative to the working directory, " + fs::current_path(failed).string()};
}

nlohmann::json content(const SourceFile& file) {
  if (file.listed) return file.listed->sha256;
  if (const auto missing = missing_file(file.key, file.own)) {
    throw MissingError(file.key + ": " + missing->message + "; " + missing->hint);
  }
  try {
    std::error_code failed;
    // The files in a folder are its attachments; without them a folder is an error of
    // sha256_file().
    if (fs::is_directory(file.own, failed) && !file.reader->attachments(file.own).empty()) {
      return "";
    }
    return sha256_file(file.own);
  } catch (const Error& error) {
    throw Error(error.code(), file.key + ": " + error.what());
  }
}

/// A hash of the names and contents of the files that an own file needs and does not verify; empty
/// if there are none.
std::string content_of_attachments(const SourceFile& file) {
  std::string contents;
  for (const Attachment& each : file.reader->attachments(file.own)) {
    if (!each.sha256.empty()) continue;
    const fs::path path = fs::path(file.own).parent_path() / each.path;
    // A file that is missing is an error of its record, with its line, when it is read.
    contents += each.path + "\t" + (fs::exists(path) ? sha256_file(path) : "") + "\n";
  }
  return contents.empty() ? "" : sha256(contents);
}

}  // namespace

std::vector<DataMistake> missing_files(const DataOptions& options) {
  std::vector<DataMistake> missing;
  const auto add = [&missing](const std::string& key, const std::string& path) {
    if (path.empty()) return;
    if (auto mistake = missing_file(key, path)) missing.push_back(std::move(*mistake));
  };
  add("train", options.train);
  add("valid", options.valid);
  add("test", options.test);
  for (const auto& [split, path] : options.extra) add("extra." + split, path);
  return missing;
}

nlohmann::json data_fingerprint(const DataOptions& options, const std::vector<fs::path>& folders) {
  const auto source = data_source(options, folders);
  nlohmann::json print = {{"set", source->set.name},
                          {"fields", source->fields},
                          {"labels", source->labels},
                          {"rules", canonical_json(to_node(source->rules))},
                          {"files", nlohmann::json::array()}};
  if (source->set.is_generated()) {
    print["draws"] = canonical_json(to_node(source->set.draws));
    print["reader"] = canonical_json(write_option(source->set.reader));
  }
  for_each_file(*source, [&](const SourceGroup& group, const SourceFile& file, const auto& fields) {
    nlohmann::json entry = {{"role", group.role},
                            {"sha256", content(file)},
                            {"reader", canonical_json(write_option(file.reader))}};
    // Omitted if empty, so that sets without these keys keep their identities.
    if (!group.values.empty()) entry["values"] = group.values;
    if (!group.join.empty()) entry.update({{"join", group.join}, {"fields", fields}});
    const std::string attached = file.listed ? "" : content_of_attachments(file);
    if (!attached.empty()) entry["attachments"] = attached;
    if (file.listed && file.listed->range) entry["range"] = *file.listed->range;
    print["files"].push_back(std::move(entry));
  });
  return print;
}

int64_t records_revision(const DataOptions& options, const std::vector<fs::path>& folders) {
  const auto source = data_source(options, folders);
  const Manifest& set = source->set;
  if (set.is_generated() && options.extra.empty()) {
    return set.revision.value_or(kRecordsRevision);
  }
  int64_t revision = 1;
  for_each_file(*source, [&](const SourceGroup&, const SourceFile& file, const auto&) {
    revision = std::max(revision, file.listed ? set.revision_of(*file.listed) : kRecordsRevision);
  });
  return revision;
}

}  // namespace lvtext
