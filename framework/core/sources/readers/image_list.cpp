#include <algorithm>
#include <map>

#include "framework/core/base/characters.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/sources/attachments.h"
#include "framework/core/sources/images/decode.h"
#include "framework/core/sources/images/resize.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/sources/report_captions.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

constexpr char kSeparator = '|';

/// Reads one image per line of a table with a header; its paths are relative to the table's folder.
struct ImageListReader : RecordReader {
  std::string path = "path", sha256, group, split, captions, report, labels, view;
  int64_t seed = 1234, max_words = 30;
  ImageForm form;

  template <class V>
  void visit(V& v) {
    v.field("path", path, "column with the path of a PNG or JPEG file, relative to the list",
            not_empty());
    v.field("sha256", sha256, "column with the SHA-256 of the files; unset: they are not verified");
    v.field("group", group,
            "column of the field `group`, such as the patient; unset: no such field");
    v.field("split", split, "column of the field `split`; unset: no such field");
    v.field(
        "captions", captions,
        "column with the captions of an image, separated by |; unset: built from the report, or "
        "from labels and view, such as 'pneumonia infiltration, ap view'");
    v.field("report", report,
            "column with a report, such as its findings: up to four captions are its sentences, as "
            "they are and permuted; unset: no report");
    v.field("seed", seed, "random seed of the permutations, which depend on it and on the report",
            at_least(0));
    v.field("max_words", max_words, "maximum number of words of a caption of a report",
            at_least(1));
    v.field("labels", labels, "column with labels separated by |; unset: no such field");
    v.field("view", view, "column of the field `view`; unset: no such field");
    form.visit(v);
    v.check(captions.empty() || report.empty(),
            "captions, report: captions have one source; set one of the two");
  }

  std::vector<std::string> fields() const override {
    std::vector<std::string> names = {"image"};
    if (!captions.empty() || !report.empty() || !labels.empty()) names.emplace_back("captions");
    for (const auto& [field, column] : texts()) {
      if (!column.empty()) names.push_back(field);
    }
    return names;
  }
  FieldTypes types() const override {
    return {{"image", {.kind = ColumnKind::kImage, .shape = {form.channels, form.size, form.size}}},
            {"captions", {.ragged = true}}};
  }

  std::vector<Attachment> attachments(const std::filesystem::path& file) const override {
    std::vector<Attachment> all;
    for_each_row(file, [&](const Row& row) { all.push_back(attachment_of(row)); });
    return all;
  }

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>& fields,
               const std::function<void(Record)>& each) const override {
    FileMistakes mistakes(file);
    int64_t records = 0, without_caption = 0, first_without = 0;
    const int64_t lines = for_each_row(file, [&](const Row& row) {
      ++records;
      try {
        Record record;
        for (const auto& field : fields) {
          record.push_back(value_of(row, field, file));
          if (field != "captions" || has_words(record.back())) continue;
          if (++without_caption == 1) first_without = row.line;
        }
        each(std::move(record));
      } catch (const MissingError& error) {
        mistakes.add("line " + format_count(row.line), error.what());
      } catch (const DataError& error) {
        mistakes.add("line " + format_count(row.line), error.what());
      }
    });
    mistakes.check(records);
    if (without_caption > 0) {
      log_warning("'" + file.string() + "': " + format_count(without_caption, "image") +
                  " without a caption, the first in line " + format_count(first_without) +
                  "; records without text are left out");
    }
    return lines;
  }

 private:
  /// One line: its number, and its values by column.
  struct Row {
    int64_t line;
    std::map<std::string, std::string> values;
  };

  /// The fields of one text, with their columns.
  std::vector<std::pair<std::string, std::string>> texts() const {
    return {{"group", group}, {"split", split}, {"labels", labels}, {"view", view}};
  }

  /// Calls `each` with every line; returns their number. Throws DataError naming the line for a
  /// missing column or a line with too few or too many.
  int64_t for_each_row(const std::filesystem::path& file,
                       const std::function<void(const Row&)>& each) const {
    std::vector<std::string> header;
    Row row{};
    return for_each_line(
               file,
               [&](const std::string& line) {
                 const auto values = lvtext::split(line, '\t');
                 if (++row.line == 1) {
                   header = values;
                   return check_header(file, header);
                 }
                 if (values.size() != header.size()) {
                   throw DataError("'" + file.string() + "', line " + format_count(row.line) +
                                   " has " + format_count(std::ssize(values), "column") +
                                   ", the first line " + format_count(std::ssize(header)));
                 }
                 for (size_t i = 0; i < header.size(); ++i) {
                   row.values[header[i]] = values[i];
                 }
                 each(row);
               })
        .lines;
  }
  void check_header(const std::filesystem::path& file,
                    const std::vector<std::string>& header) const {
    for (const auto& column : {path, sha256, group, split, captions, report, labels, view}) {
      if (column.empty() || std::find(header.begin(), header.end(), column) != header.end())
        continue;
      throw DataError("'" + file.string() + "', line 1: there is no column '" + column + "'; " +
                      suggestion(column, header));
    }
  }
  Attachment attachment_of(const Row& row) const {
    return {row.values.at(path), sha256.empty() ? "" : row.values.at(sha256)};
  }

  FieldValue value_of(const Row& row, const std::string& field,
                      const std::filesystem::path& file) const {
    if (field == "image") {
      const Attachment attachment = attachment_of(row);
      const std::string name = "'" + attachment.path + "'";
      Image image = decode_image(read_attachment(file, attachment), name);
      return ImageBytes(fit_image(std::move(image), form, name).bytes);
    }
    if (field == "captions") return captions_of(row);
    for (const auto& [text, column] : texts()) {
      if (text == field) return row.values.at(column);
    }
    LVT_ASSERT(false, "'" + field + "' is not a field of image_list");
    return {};
  }
  /// In place of the number of a report: equal texts, such as those of two views, have equal
  /// captions.
  static uint64_t number_of(const std::string& report) {
    return std::stoull(lvtext::sha256(report).substr(0, 16), nullptr, 16);
  }
  static bool has_words(const FieldValue& texts) {
    const auto& all = std::get<std::vector<std::string>>(texts);
    return !std::all_of(all.begin(), all.end(), is_blank);
  }
  std::vector<std::string> captions_of(const Row& row) const {
    if (!captions.empty()) return lvtext::split(row.values.at(captions), kSeparator);
    if (!report.empty()) {
      const std::string& text = row.values.at(report);
      return report_captions(text, static_cast<uint64_t>(seed), number_of(text),
                             static_cast<size_t>(max_words));
    }
    std::string text = join(lvtext::split(row.values.at(labels), kSeparator), " ");
    if (!view.empty() && !row.values.at(view).empty()) {
      text += (text.empty() ? "" : ", ") + row.values.at(view) + " view";
    }
    std::replace(text.begin(), text.end(), '_', ' ');
    return {ascii_lower(text)};
  }
};

}  // namespace

void add_image_list(Choices<RecordReader>& readers) {
  add_component<ImageListReader>(readers, "image_list",
                                 "images of a table of PNG and JPEG files, with their labels");
}

}  // namespace lvtext
