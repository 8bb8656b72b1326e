#include "framework/pipeline/store/finished_data.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/split_files.h"
#include "framework/core/text/tokenizer_fit.h"

namespace lvtext {

std::vector<std::string> texts_of(const Records& records, const std::string& column) {
  std::vector<std::string> texts;
  for (size_t field = 0; field < records.fields.size(); ++field) {
    const std::string& name = records.fields[field];
    if (records.labels.contains(name) || (!column.empty() && name != column)) continue;
    for (const Record& row : records.rows) {
      if (const auto* text = std::get_if<std::string>(&row[field])) texts.push_back(*text);
      const auto* several = std::get_if<std::vector<std::string>>(&row[field]);
      if (several) texts.insert(texts.end(), several->begin(), several->end());
    }
  }
  return texts;
}

void write_lines(const std::filesystem::path& file, const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  write_file_atomic(file, text);
}

std::vector<std::string> read_written_lines(const FinishedRun& run, const std::string& file) {
  std::vector<std::string> lines = split(run.read(file), '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();  // after the last newline
  return lines;
}

std::vector<std::string> read_split(const std::filesystem::path& source, const std::string& split) {
  return read_records(source, split).texts();
}

std::vector<std::string> read_texts(const std::filesystem::path& source, const std::string& split,
                                    const std::string& column) {
  const Records records = read_records(source, split);
  std::vector<std::string> texts = texts_of(records, column);
  if (texts.empty() && !column.empty() && !records.rows.empty()) {
    throw DataError("no record has a text in the column '" + column + "'; the columns are " +
                    join(records.fields));
  }
  return texts;
}

std::vector<std::string> read_text(const std::filesystem::path& folder) {
  return read_written_lines(FinishedRun(folder), "text.txt");
}

std::shared_ptr<const Tokenizer> read_tokenizer(const std::filesystem::path& folder) {
  const FinishedRun run(folder);
  for (const auto& [file, entry] : run.manifest().at("files").items()) run.file(file);
  const auto component = run.manifest().at("component").get<std::string>();
  Errors not_reported;  // reading needs no options, not even required ones
  const auto& entry = TokenizerFit::components().get(component);
  return entry.read(Node::mapping({}), not_reported, "")->load(folder);
}

Records read_records(const std::filesystem::path& source, const std::string& split) {
  const FinishedRun run(source);
  return read_split_records(split, [&](const std::string& file) { return run.file(file); });
}

std::map<std::string, Records> read_all_records(const std::filesystem::path& source) {
  std::map<std::string, Records> records;
  const FinishedRun run(source);
  for (const auto& [split, count] : run.metadata().at("sentences").items()) {
    records[split] = read_records(source, split);
  }
  return records;
}

Dataset read_dataset(const std::filesystem::path& folder) {
  return Dataset(FinishedRun(folder).file(kDatasetFile));
}

}  // namespace lvtext
