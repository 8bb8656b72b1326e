// Readers of image files: image_list and openi, with bad input, and the real data of a mirror.
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/log.h"
#include "framework/core/options/yaml.h"
#include "framework/core/sources/load_splits.h"
#include "framework/core/sources/openi_reports.h"
#include "framework/core/sources/report_captions.h"
#include "framework/core/sources/splits.h"
#include "tests/catch.h"
#include "tests/framework/core/base/child.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Texts = std::vector<std::string>;

namespace {

const std::string kImages = "tests/framework/core/sources/images/";

std::vector<Record> records_of(const Choice<RecordReader>& reader,
                               const std::filesystem::path& file, const Texts& fields) {
  std::vector<Record> records;
  reader->read(file, fields, [&](Record record) { records.push_back(std::move(record)); });
  return records;
}

/// What reading these fields logs.
std::string log_of_reading(const Choice<RecordReader>& reader, const std::filesystem::path& file,
                           const Texts& fields) {
  Pipe pipe;
  const pid_t child = spawn([&] {
    pipe.redirect(STDERR_FILENO);
    set_up_log(Verbosity::kNormal);
    records_of(reader, file, fields);
    return 0;
  });
  std::string log = pipe.read_all();
  REQUIRE(wait_for(child) == 0);
  return log;
}

/// A list in a folder with files.
struct List {
  TemporaryFolder folder;
  std::filesystem::path file = folder / "list.tsv";
  std::string text = "path\tsum\tpatient\tlabels\tview\n";

  void add(const std::string& name, const std::string& content, const std::string& patient,
           const std::string& labels) {
    write_file_synced(folder / name, content);
    line(name, sha256(content), patient, labels);
  }
  void line(const std::string& name, const std::string& sum, const std::string& patient,
            const std::string& labels) {
    text += name + "\t" + sum + "\t" + patient + "\t" + labels + "\tAP\n";
    write_file_synced(file, text);
  }
  static Choice<RecordReader> reader(const std::string& more = "") {
    return Choice<RecordReader>("image_list",
                                parse_yaml_or_throw("{sha256: sum, group: patient, labels: labels, "
                                                    "view: view, size: 4" +
                                                    more + "}"));
  }
};

std::string report_xml(const std::string& id, const std::string& findings) {
  return "<?xml version=\"1.0\"?>\n<eCitation><uId id=\"" + id +
         "\"/><Abstract><AbstractText Label=\"INDICATION\"/>\n<AbstractText Label=\"FINDINGS\">" +
         findings + "</AbstractText></Abstract><parentImage id=\"" + id +
         "_IM-0001-4001\"/></eCitation>";
}

/// A tar archive of files.
std::string tar_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive;
  for (const auto& [name, content] : files) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    char size[13] = {};
    std::snprintf(size, sizeof size, "%011o", static_cast<unsigned>(content.size()));
    header.replace(124, 12, size, 12);
    header[156] = '0';
    header.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<uint8_t>(c);
    char check[8] = {};
    std::snprintf(check, sizeof check, "%06o", sum);
    header.replace(148, 7, check, 7);
    archive += header + content + std::string((512 - content.size() % 512) % 512, '\0');
  }
  return archive + std::string(1024, '\0');
}

}  // namespace

TEST_CASE("image_list: images, captions of labels, other columns", "[data]") {
  List list;
  list.add("a.png", read_file(kImages + "grey.png"), "7", "Pleural_Thickening|Edema");
  list.add("b.jpg", read_file(kImages + "rgb.jpg"), "8", "No Finding");
  const auto reader = List::reader();
  CHECK(reader->fields() == Texts{"image", "captions", "group", "labels", "view"});
  const auto records = records_of(reader, list.file, {"captions", "image", "group"});
  REQUIRE(records.size() == 2);
  CHECK(std::get<Texts>(records[0][0]) == Texts{"pleural thickening edema, ap view"});
  CHECK(std::get<Texts>(records[1][0]) == Texts{"no finding, ap view"});
  CHECK(std::get<ImageBytes>(records[1][1]).bytes().size() == 16);
  CHECK(text_of(records[1][2]) == "8");
  CHECK(reader->attachments(list.file)[1].path == "b.jpg");
  // Fields without pixels do not read the files.
  std::filesystem::remove(list.folder / "a.png");
  CHECK(records_of(reader, list.file, {"captions"}).size() == 2);
}

TEST_CASE("image_list: captions of a report are its sentences in different orders", "[data]") {
  List list;
  const std::string grey = read_file(kImages + "grey.png");
  const std::string report =
      "Clear. No edema (today). Old fracture. Heart large. Two nodules. Fine.";
  list.add("a.png", grey, "7", report);
  list.add("b.png", grey, "8", "?");
  list.add("c.png", grey, "7", report);
  const auto reader = [](const std::string& more) {
    return Choice<RecordReader>("image_list", parse_yaml_or_throw("{report: labels" + more + "}"));
  };
  CHECK(reader("")->fields() == Texts{"image", "captions"});
  const auto captions = [&](const std::string& more, size_t row) {
    return std::get<Texts>(records_of(reader(more), list.file, {"captions"}).at(row)[0]);
  };
  const Texts own = captions("", 0);
  const uint64_t number = std::stoull(sha256(report).substr(0, 16), nullptr, 16);
  CHECK(own == report_captions(report, 1234, number));
  CHECK(own.size() == 4);
  CHECK(own.front() == "clear no edema today old fracture heart large two nodules fine");
  CHECK(captions("", 2) == own);  // another view
  CHECK(captions("", 1).empty());
  CHECK(captions(", seed: 5", 0) != own);
  CHECK(captions(", seed: 5, max_words: 2", 0) == report_captions(report, 5, number, 2));
  CHECK_THAT(log_of_reading(reader(""), list.file, {"captions"}),
             Contains("1 image without a caption, the first in line 3"));
  CHECK_THROWS_WITH(reader(", captions: labels"), Contains("captions have one source"));
}

TEST_CASE("image_list: all images that cannot be used are named with their lines", "[data]") {
  List list;
  const std::string png = read_file(kImages + "grey.png");
  list.add("whole.png", png, "1", "a");
  list.add("cut.png", png.substr(0, png.size() / 2), "1", "a");
  list.line("absent.png", sha256(png), "1", "a");
  list.line("whole.png", sha256("other"), "1", "a");
  list.line("../whole.png", sha256(png), "1", "a");
  list.add("clear.png", read_file(kImages + "transparent.png"), "1", "a");
  list.add("text.png", "text", "1", "a");
  CHECK_THROWS_WITH(records_of(List::reader(), list.file, {"image"}),
                    Contains("6 of 7 records cannot be used") &&
                        Contains("line 3: 'cut.png' cannot be decoded") && Contains("line 4: ") &&
                        Contains("absent.png") && Contains("line 5: 'whole.png' has the SHA-256") &&
                        Contains("line 6: the path '../whole.png'") &&
                        Contains("line 7: 'clear.png'") && Contains("and 1 more"));
  List square;
  square.add("a.png", png, "1", "a");
  CHECK_THROWS_WITH(records_of(List::reader(", crop: none"), square.file, {"image"}),
                    Contains("line 2: 'a.png' has 5 rows and 7 columns and is not square"));
  square.text += "too\tfew\n";
  write_file_synced(square.file, square.text);
  CHECK_THROWS_WITH(records_of(List::reader(), square.file, {"image"}),
                    Contains("line 3 has 2 columns, the first line 5"));
  CHECK_THROWS_WITH(records_of(List::reader(", captions: caption"), square.file, {"image"}),
                    Contains("line 1: there is no column 'caption'"));
}

TEST_CASE("image_list: rows without labels and view are dropped and counted", "[data]") {
  List list;
  const std::string png = read_file(kImages + "grey.png");
  list.add("a.png", png, "1", "Edema");
  list.text += "a.png\t" + sha256(png) + "\t1\t\t\n" + "a.png\t" + sha256(png) + "\t2\t\t\n";
  list.add("b.png", png, "3", "");  // a view alone is a caption
  const auto reader = List::reader();
  CHECK_THAT(log_of_reading(reader, list.file, {"image", "captions"}),
             Contains("warning: '" + list.file.string() +
                      "': 2 images without a caption, the first in line 3"));
  CHECK(log_of_reading(reader, list.file, {"image"}).empty());
  CHECK(std::get<Texts>(records_of(reader, list.file, {"captions"})[3][0]) == Texts{"ap view"});
  const Splits splits = make_splits(
      {{"pool", {.fields = {"captions"}, .rows = records_of(reader, list.file, {"captions"})}}},
      {.valid_share = 0});
  CHECK(splits.counts.empty == 2);
  CHECK(splits.records.at("train").rows.size() == 2);
}

TEST_CASE("image_list: unverified images are part of the identity of own files", "[data]") {
  List list;
  list.add("a.png", read_file(kImages + "grey.png"), "1", "a");
  DataOptions options;
  options.train = list.file;
  options.reader = List::reader();
  const auto verified = data_fingerprint(options);
  CHECK_FALSE(verified.at("files")[0].contains("attachments"));
  options.reader = Choice<RecordReader>("image_list", parse_yaml_or_throw("{labels: labels}"));
  const auto print = data_fingerprint(options);
  CHECK(data_fingerprint(options) == print);
  write_file_synced(list.folder / "a.png", read_file(kImages + "rgb.png"));
  CHECK(data_fingerprint(options) != print);
}

TEST_CASE("openi: reports, entities, and reports that cannot be read", "[data]") {
  const OpeniReport report =
      parse_openi_report(report_xml("CXR12", "No  &lt;new&gt;\n&amp; acute."), "x");
  CHECK(report.number == 12);
  CHECK(report.text("findings") == "No <new> & acute.");
  CHECK(report.text("indication").empty());
  CHECK(report.images == Texts{"CXR12_IM-0001-4001"});
  const auto refused = [](const std::string& xml, const char* why) {
    CHECK_THROWS_WITH(parse_openi_report(xml, "'7.xml'"), Contains("'7.xml'") && Contains(why));
  };
  refused("", "line 1: not XML: no element found");
  refused(report_xml("CXR1", "&nbsp;"), "line 3: not XML: undefined entity");
  refused(report_xml("CXR1", "a").substr(0, 90), "not XML");
  refused(report_xml("12", "a"), "uId has the id '12', expected CXR and a number");

  const TemporaryFolder folder;
  const auto archive = [&](const std::string& content) {
    write_file_synced(folder / "r.tar", content);
    return folder / "r.tar";
  };
  const std::string whole =
      tar_of({{"r/2.xml", report_xml("CXR2", "Clear. Normal, clear (3.5 cm).")},
              {"r/1.xml", report_xml("CXR1", "")},
              {"r/readme", "x"}});
  const auto reports = read_openi_reports(archive(whole));
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].number == 1);
  const Choice<RecordReader> reader("openi", parse_yaml_or_throw("{}"));
  const auto records = records_of(reader, folder / "r.tar", {"captions", "text", "report"});
  REQUIRE(records.size() == 1);  // a report has no text
  CHECK(std::get<Texts>(records[0][0]) ==
        Texts{"clear normal clear 3.5 cm", "normal clear 3.5 cm clear"});
  CHECK(text_of(records[0][1]) == "clear normal clear 3.5 cm");
  CHECK(text_of(records[0][2]) == "2");
  CHECK_THROWS_WITH(read_openi_reports(archive(whole.substr(0, 700))),
                    Contains("'r/2.xml' is truncated"));
  CHECK_THROWS_WITH(read_openi_reports(archive("text")), Contains("not a tar archive"));
  CHECK_THROWS_WITH(read_openi_reports(archive(tar_of({{"a", "x"}}))), Contains("no reports"));
  CHECK_THROWS_WITH(read_openi_reports(archive(tar_of({{"1.xml", "<a>"},
                                                       {"2.xml", report_xml("CXR2", "a")},
                                                       {"3.xml", report_xml("CXR2", "b")}}))),
                    Contains("2 of 3 records cannot be used") &&
                        Contains("'1.xml', line 1: not XML") &&
                        Contains("there are two with the id CXR2"));
}

TEST_CASE("openi: an image without a file is left out", "[data]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "png");
  write_file_synced(folder / "png/CXR2_IM-0001-4001.png", read_file(kImages + "grey.png"));
  write_file_synced(folder / "r.tar", tar_of({{"1.xml", report_xml("CXR1", "Clear.")},
                                              {"2.xml", report_xml("CXR2", "Normal.")}}));
  const Choice<RecordReader> reader("openi", parse_yaml_or_throw("{images: png, size: 4}"));
  const auto records = records_of(reader, folder / "r.tar", {"image", "report"});
  REQUIRE(records.size() == 1);
  CHECK(text_of(records[0][1]) == "2");
  CHECK(std::get<ImageBytes>(records[0][0]).bytes().size() == 16);
  CHECK_THAT(log_of_reading(reader, folder / "r.tar", {"image"}),
             Contains("2 reports, 0 without findings, 0 without an image") &&
                 Contains("1 image of its reports not in the folder 'png' (the first is "
                          "'png/CXR1_IM-0001-4001.png'); left out"));
}

TEST_CASE("openi: a table of views selects images", "[data]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "r.tar", tar_of({{"1.xml", report_xml("CXR1", "Clear.")},
                                              {"2.xml", report_xml("CXR2", "Normal.")},
                                              {"3.xml", report_xml("CXR3", "")}}));
  const std::string table =
      "uid\tfilename\tprojection\n1\t1_IM-0001-4001.dcm.png\tLateral\n"
      "2\t2_IM-0001-4001.dcm.png\tFrontal\n";
  write_file_synced(folder / "views.tsv", table);
  const auto reader = [](const std::string& more) {
    return Choice<RecordReader>("openi", parse_yaml_or_throw("{views: views.tsv" + more + "}"));
  };
  CHECK(records_of(reader(""), folder / "r.tar", {"report"}).size() == 2);
  const auto records = records_of(reader(", view: frontal"), folder / "r.tar", {"report"});
  REQUIRE(records.size() == 1);
  CHECK(text_of(records[0][0]) == "2");
  CHECK_THAT(
      log_of_reading(reader(", view: frontal"), folder / "r.tar", {"report"}),
      Contains("3 reports, 1 without findings (the first is CXR3), 1 without an image of the "
               "view frontal (the first is CXR1)"));
  const std::string sum = ", views_sha256: " + sha256(table);
  CHECK(records_of(reader(", view: frontal" + sum), folder / "r.tar", {"report"}).size() == 1);
  write_file_synced(folder / "views.tsv", table + "3\t3_IM-0001-4001.dcm.png\n");
  CHECK_THROWS_WITH(records_of(reader(", view: frontal"), folder / "r.tar", {"report"}),
                    Contains("views.tsv', line 4 has 2 columns, expected report, file and view"));
  CHECK_THROWS_WITH(records_of(reader(", view: frontal" + sum), folder / "r.tar", {"report"}),
                    Contains("'views.tsv' has the SHA-256"));
}

TEST_CASE("openi: a folder of reports has the records of the archive", "[data]") {
  const TemporaryFolder folder;
  const std::string first = report_xml("CXR1", "Clear."), second = report_xml("CXR2", "Normal.");
  std::filesystem::create_directories(folder / "reports/more");
  write_file_synced(folder / "reports/1.xml", first);
  write_file_synced(folder / "reports/more/2.xml", second);
  write_file_synced(folder / "reports/readme", "x");
  write_file_synced(folder / "r.tar", tar_of({{"2.xml", second}, {"1.xml", first}}));
  const Choice<RecordReader> reader("openi", parse_yaml_or_throw("{}"));
  const auto reports = folder / "reports";
  CHECK(records_of(reader, reports, {"captions", "report"}) ==
        records_of(reader, folder / "r.tar", {"captions", "report"}));
  DataOptions options;
  options.train = reports;
  options.reader = reader;
  const auto print = data_fingerprint(options);
  CHECK(data_fingerprint(options) == print);
  options.train = reports.string() + "/";
  CHECK(data_fingerprint(options) == print);
  write_file_synced(folder / "reports/more/2.xml", report_xml("CXR2", "Enlarged heart."));
  CHECK(data_fingerprint(options) != print);
  write_file_synced(folder / "reports/more/2.xml", "<a>");
  CHECK_THROWS_WITH(read_openi_reports(reports), Contains("'more/2.xml', line 1: not XML"));
  std::filesystem::remove_all(reports);
  std::filesystem::create_directory(reports);
  CHECK_THROWS_WITH(read_openi_reports(reports), Contains("contains no reports"));
  options.reader = Choice<RecordReader>("lines");
  CHECK_THROWS_WITH(data_fingerprint(options), Contains("is a folder"));
}

TEST_CASE("openi: the whole archive has the published counts and captions", "[data]") {
  const auto mirror = data_locations().mirror;
  if (mirror.empty()) {
    WARN("not tested: the archive of reports (LVTEXT_DATA_MIRROR is not set)");
    return;
  }
  size_t images = 0, without_image = 0, with_findings = 0;
  const auto reports = read_openi_reports(mirror / "cxr/NLMCXR_reports.tgz");
  for (const OpeniReport& report : reports) {
    images += report.images.size();
    without_image += report.images.empty();
    with_findings += !report.text("findings").empty();
  }
  CHECK(reports.size() == 3955);
  CHECK(images == 7470);
  CHECK(without_image == 104);
  CHECK(with_findings == 3425);

  DataOptions options;
  options.set = "openi-reports";
  options.fields = {"captions", "report"};
  const auto splits = load_splits(options, data_locations(), {"data"}).records;
  CHECK(splits.at("train").rows.size() == 2559);
  CHECK(splits.at("valid").rows.size() == 319);
  CHECK(splits.at("test").rows.size() == 321);
  std::map<int64_t, std::string> all;
  size_t captions = 0;
  for (const auto& [split, records] : splits) {
    for (const Record& record : records.rows) {
      for (const std::string& caption : std::get<Texts>(record[0])) {
        all[std::stoll(text_of(record[1]))] += caption + "\n";
        ++captions;
      }
    }
  }
  std::string text;
  for (const auto& [report, lines] : all) text += lines;
  CHECK(captions == 12576);
  CHECK(sha256(text) == "65e795844dbd4bddb187f4966ed4209807a21d10024d474c2ae3f001d24918b2");
}

TEST_CASE("image_list: the real radiographs are split by patient", "[data]") {
  const auto mirror = data_locations().mirror;
  if (mirror.empty()) {
    WARN("not tested: nih-1000 (LVTEXT_DATA_MIRROR is not set)");
    return;
  }
  DataOptions options;
  options.set = "nih-1000";
  options.fields = {"image", "captions", "group"};
  const auto splits = load_splits(options, data_locations(), {"data"}).records;
  std::map<std::string, std::string> split_of;
  size_t images = 0;
  for (const auto& [split, records] : splits) {
    images += records.rows.size();
    for (const Record& record : records.rows) {
      CHECK(split_of.try_emplace(text_of(record[2]), split).first->second == split);
    }
  }
  CHECK(images == 1000);
  CHECK(split_of.size() == 682);
}
