#include <algorithm>
#include <set>

#include "framework/core/base/characters.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/log.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/attachments.h"
#include "framework/core/sources/images/decode.h"
#include "framework/core/sources/images/resize.h"
#include "framework/core/sources/openi_reports.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/sources/report_captions.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

/// A report with the files of its images that are used.
struct UsedReport {
  OpeniReport report;
  std::vector<std::string> images;
};

/// What is left out: how many, and the first of them.
struct LeftOut {
  int64_t count = 0;
  std::string first;
  void add(const std::string& name) {
    if (++count == 1) first = name;
  }
  /// Such as " (the first is CXR12)"; empty if nothing is left out.
  std::string named() const { return count > 0 ? " (the first is " + first + ")" : ""; }
};

std::string name_of(const OpeniReport& report) {
  return "CXR" + std::to_string(report.number);
}

/// Reads the report archive of Open-i or the folder of its files: a record per report or, with a
/// folder of images, per image.
struct OpeniReader : RecordReader {
  std::string text = "findings", views, views_sha256, view, images;
  int64_t seed = 1234;
  int64_t max_words = 30;
  ImageForm form;

  template <class V>
  void visit(V& v) {
    v.field(
        "text", text,
        "part of a report from which captions are built, such as findings or impression; reports "
        "without it are left out",
        not_empty());
    v.field(
        "views", views,
        "table of views, relative to the archive: a header, then report, file of an image, view; "
        "unset: the views are not known");
    v.field("views_sha256", views_sha256, "SHA-256 of that table; unset: it is not verified");
    v.field("view", view,
            "view of the images that are used, such as frontal; reports without one are left out "
            "(unset: all)");
    v.field("images", images,
            "folder of PNG files, ID.png, relative to the archive; images without a file are left "
            "out (unset: a record per report, without an image)");
    v.field("seed", seed, "random seed of the captions and of the field `split`", at_least(0));
    v.field("max_words", max_words, "maximum number of words of a caption", at_least(1));
    form.visit(v);
    v.check(view.empty() || !views.empty(), "view: requires the table `views`");
  }

  std::vector<std::string> fields() const override {
    std::vector<std::string> names = {"captions", "text", "report", "split"};
    if (!images.empty()) names.insert(names.begin(), "image");
    return names;
  }
  FieldTypes types() const override {
    FieldTypes types = {{"captions", {.ragged = true}}};
    if (images.empty()) return types;
    types["image"] = {.kind = ColumnKind::kImage, .shape = {form.channels, form.size, form.size}};
    return types;
  }

  std::vector<Attachment> attachments(const fs::path& file) const override {
    std::vector<Attachment> all;
    if (!views.empty()) all.push_back({views, views_sha256});
    std::error_code failed;
    if (fs::is_directory(file, failed)) {
      for (const std::string& report : openi_report_files(file)) {
        all.push_back({(file.filename() / report).string()});
      }
    }
    if (images.empty()) return all;
    for (const UsedReport& used : used_reports(file, read_openi_reports(file))) {
      for (const std::string& image : used.images) all.push_back({image});
    }
    return all;
  }

  /// Returns the number of reports of the archive.
  int64_t read(const fs::path& file, const std::vector<std::string>& fields,
               const std::function<void(Record)>& each) const override {
    auto reports = read_openi_reports(file);
    const int64_t count = std::ssize(reports);
    const auto used = used_reports(file, std::move(reports));
    const auto splits = patient_splits(used.size(), static_cast<uint64_t>(seed));
    FileMistakes mistakes(file);
    LeftOut without_file;
    for (size_t i = 0; i < used.size(); ++i) {
      const auto add = [&](const std::string& image) {
        try {
          Record record;
          for (const auto& field : fields) {
            record.push_back(value_of(used[i], splits[i], image, field, file));
          }
          each(std::move(record));
        } catch (const DataError& error) {
          mistakes.add("report " + name_of(used[i].report), error.what());
        }
      };
      if (images.empty()) {
        add("");
        continue;
      }
      for (const std::string& image : used[i].images) {
        if (fs::exists(file.parent_path() / image)) {
          add(image);
        } else {
          without_file.add("'" + image + "'");
        }
      }
    }
    mistakes.check(count);
    if (without_file.count > 0) {
      log_warning("'" + file.string() + "': " + format_count(without_file.count, "image") +
                  " of its reports not in the folder '" + images + "'" + without_file.named() +
                  "; left out");
    }
    return count;
  }

 private:
  /// The reports with a text and, if `view` is set, an image of this view. Reports how many were
  /// left out.
  std::vector<UsedReport> used_reports(const fs::path& file,
                                       std::vector<OpeniReport> reports) const {
    const std::set<std::string> seen =
        view.empty() ? std::set<std::string>() : images_of_view(file);
    std::vector<UsedReport> used;
    LeftOut without_text, without_image;
    for (OpeniReport& report : reports) {
      if (report_sentences(report.text(text)).empty()) {
        without_text.add(name_of(report));
        continue;
      }
      UsedReport next;
      for (const std::string& id : report.images) {
        const std::string bare = bare_id(id, report.number);
        if (view.empty() || seen.contains(bare)) next.images.push_back(image_file(file, id, bare));
      }
      if (next.images.empty() && (!view.empty() || !images.empty())) {
        without_image.add(name_of(report));
        continue;
      }
      next.report = std::move(report);
      used.push_back(std::move(next));
    }
    log_info("'" + file.string() + "': " + format_count(std::ssize(reports), "report") + ", " +
             format_count(without_text.count) + " without " + text + without_text.named() + ", " +
             format_count(without_image.count) + " without an image" +
             (view.empty() ? "" : " of the view " + view) + without_image.named());
    return used;
  }
  /// The id without the report: "7_IM-2263-1001" for "CXR7_IM-2263-1001" and
  /// "CXR7_7_IM-2263-1001", as tables of views write it.
  static std::string bare_id(const std::string& id, int64_t number) {
    const std::string of = std::to_string(number) + "_";
    std::string bare = id.substr(id.starts_with("CXR") ? 3 : 0);
    while (bare.starts_with(of)) bare.erase(0, of.size());
    return of + bare;
  }
  /// The path of an image's file, relative to the folder of the archive: ID.png, or without CXR.
  std::string image_file(const fs::path& file, const std::string& id,
                         const std::string& bare) const {
    const fs::path other = fs::path(images) / (bare + ".png");
    if (!images.empty() && fs::exists(file.parent_path() / other)) return other.string();
    return (fs::path(images) / (id + ".png")).string();
  }
  /// The bare ids of the images of `view`. Throws DataError naming the line.
  std::set<std::string> images_of_view(const fs::path& file) const {
    read_attachment(file, {views, views_sha256});  // verifies it
    const fs::path table = file.parent_path() / views;
    std::set<std::string> ids;
    int64_t number = 0;
    for_each_line(table, [&](const std::string& line) {
      const auto values = split(line, '\t');
      if (++number == 1) return;
      if (values.size() != 3) {
        throw DataError("'" + table.string() + "', line " + format_count(number) + " has " +
                        format_count(std::ssize(values), "column") +
                        ", expected report, file and view");
      }
      if (ascii_lower(values[2]) == ascii_lower(view)) {
        ids.insert(values[1].substr(0, values[1].find('.')));
      }
    });
    return ids;
  }

  /// All words of the text in its order, as the captions have them.
  std::string words_of(const OpeniReport& report) const {
    std::vector<std::string> words;
    for (const auto& sentence : report_sentences(report.text(text)))
      words.insert(words.end(), sentence.begin(), sentence.end());
    return join(words, " ");
  }

  FieldValue value_of(const UsedReport& used, const std::string& split, const std::string& image,
                      const std::string& field, const fs::path& file) const {
    const OpeniReport& report = used.report;
    if (field == "captions") {
      return report_captions(report.text(text), static_cast<uint64_t>(seed),
                             static_cast<uint64_t>(report.number), static_cast<size_t>(max_words));
    }
    if (field == "text") return words_of(report);
    if (field == "report") return std::to_string(report.number);
    if (field == "split") return split;
    const std::string name = "'" + image + "'";
    Image decoded = decode_image(read_attachment(file, {image}), name);
    return ImageBytes(fit_image(std::move(decoded), form, name).bytes);
  }
};

}  // namespace

void add_openi(Choices<RecordReader>& readers) {
  add_component<OpeniReader>(
      readers, "openi",
      "the archive of chest X-ray reports of Open-i, or the folder of its files, with or without images");
}

}  // namespace lvtext
