#include "framework/core/sources/openi_reports.h"

#include <expat.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>

#include "framework/core/base/characters.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/sources/attachments.h"
#include "framework/core/text/byte_reader.h"

namespace lvtext {
namespace {

constexpr size_t kMaxReportBytes = size_t{1} << 22;

/// State while a report is parsed.
struct Parsing {
  OpeniReport report;
  std::string id;
  std::string* text = nullptr;  ///< text of the open AbstractText
};

std::string attribute(const XML_Char** attributes, std::string_view name) {
  for (; *attributes; attributes += 2) {
    if (attributes[0] == name) return attributes[1];
  }
  return "";
}

void XMLCALL begin_element(void* data, const XML_Char* name, const XML_Char** attributes) {
  auto& parsing = *static_cast<Parsing*>(data);
  const std::string_view element = name;
  if (element == "uId") parsing.id = attribute(attributes, "id");
  if (element == "parentImage") parsing.report.images.push_back(attribute(attributes, "id"));
  if (element != "AbstractText") return;
  parsing.text = &parsing.report.texts[ascii_lower(attribute(attributes, "Label"))];
  if (!parsing.text->empty()) *parsing.text += ' ';
}

void XMLCALL end_element(void* data, const XML_Char* name) {
  if (std::string_view(name) == "AbstractText") static_cast<Parsing*>(data)->text = nullptr;
}

void XMLCALL add_characters(void* data, const XML_Char* characters, int count) {
  auto* text = static_cast<Parsing*>(data)->text;
  if (text) text->append(characters, static_cast<size_t>(count));
}

/// The number of an id such as CXR7; 0 if it is none.
int64_t number_of(std::string_view id) {
  constexpr std::string_view kBegin = "CXR";
  if (!id.starts_with(kBegin)) return 0;
  id.remove_prefix(kBegin.size());
  int64_t number = 0;
  const auto [end, failed] = std::from_chars(id.data(), id.data() + id.size(), number);
  return failed == std::errc() && end == id.data() + id.size() ? number : 0;
}

constexpr size_t kBlock = 512;

/// An octal number of a tar header; -1 if it is none.
int64_t octal(std::string_view field) {
  int64_t number = 0;
  bool has_digit = false;
  for (const char c : field) {
    if (c == ' ' && !has_digit) continue;
    if (c == ' ' || c == '\0') break;
    if (c < '0' || c > '7') return -1;
    number = number * 8 + (c - '0');
    has_digit = true;
  }
  return has_digit ? number : -1;
}

/// Whether the checksum of a tar header is right.
bool is_header(std::string_view header) {
  int64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<uint8_t>(header[i]);
  }
  return sum == octal(header.substr(148, 8));
}

/// Calls `each` with the name and content of the regular files of a tar archive or a folder that
/// are called *.xml. Other entries are skipped.
void for_each_xml(const std::filesystem::path& archive,
                  const std::function<void(const std::string&, const std::string&)>& each) {
  std::error_code failed;
  if (std::filesystem::is_directory(archive, failed)) {
    for (const std::string& name : openi_report_files(archive)) {
      each(name, read_file(archive / name, kMaxReportBytes));
    }
    return;
  }
  const auto damaged = [&](const std::string& what) {
    return DataError("'" + archive.string() + "' is not a tar archive of reports: " + what);
  };
  ByteReader bytes(archive);
  std::string header(kBlock, '\0');
  while (true) {
    const size_t got = bytes.read(header.data(), kBlock);
    if (got == 0 || header.find_first_not_of('\0') == header.npos) return;
    if (got < kBlock || !is_header(header)) throw damaged("a header is damaged or truncated");
    const std::string name = header.substr(0, std::min(header.find('\0'), size_t{100}));
    const int64_t size = octal(std::string_view(header).substr(124, 12));
    if (size < 0) throw damaged("the size of '" + name + "' is invalid");
    const bool is_report = (header[156] == '0' || header[156] == '\0') && name.ends_with(".xml");
    if (is_report && size > static_cast<int64_t>(kMaxReportBytes)) {
      throw damaged("'" + name + "' has " + format_count(size) + " bytes");
    }
    std::string content(kBlock, '\0');
    std::string report;
    for (int64_t left = size; left > 0; left -= kBlock) {
      if (bytes.read(content.data(), kBlock) < kBlock) {
        throw damaged("'" + name + "' is truncated");
      }
      if (is_report)
        report.append(content, 0, static_cast<size_t>(std::min<int64_t>(left, kBlock)));
    }
    if (is_report) each(name, report);
  }
}

}  // namespace

std::string OpeniReport::text(const std::string& label) const {
  const auto found = texts.find(label);
  return found == texts.end() ? "" : found->second;
}

OpeniReport parse_openi_report(std::string_view xml, const std::string& name) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate(nullptr), XML_ParserFree);
  if (!parser) throw std::bad_alloc();
  Parsing parsing;
  XML_SetUserData(parser.get(), &parsing);
  XML_SetElementHandler(parser.get(), begin_element, end_element);
  XML_SetCharacterDataHandler(parser.get(), add_characters);
  xml = xml.substr(0, kMaxReportBytes);
  if (XML_Parse(parser.get(), xml.data(), static_cast<int>(xml.size()), XML_TRUE) !=
      XML_STATUS_OK) {
    throw DataError(name + ", line " +
                    format_count(static_cast<int64_t>(XML_GetCurrentLineNumber(parser.get()))) +
                    ": not XML: " + XML_ErrorString(XML_GetErrorCode(parser.get())));
  }
  OpeniReport& report = parsing.report;
  report.number = number_of(parsing.id);
  if (report.number <= 0) {
    throw DataError(name + ": uId has the id '" + parsing.id + "', expected CXR and a number");
  }
  for (auto& [label, text] : report.texts) text = collapse_white_space(text);
  std::erase_if(report.texts, [](const auto& each) { return each.second.empty(); });
  return std::move(report);
}

std::vector<std::string> openi_report_files(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failed);
  for (; at != fs::recursive_directory_iterator(); at.increment(failed)) {
    const bool is_report = at->path().extension() == ".xml" && at->is_regular_file(failed);
    if (is_report) files.push_back(at->path().lexically_relative(folder).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<OpeniReport> read_openi_reports(const std::filesystem::path& archive) {
  std::vector<OpeniReport> reports;
  FileMistakes mistakes(archive);
  int64_t count = 0;
  for_each_xml(archive, [&](const std::string& name, const std::string& xml) {
    ++count;
    try {
      reports.push_back(parse_openi_report(xml, "'" + name + "'"));
    } catch (const DataError& error) {
      mistakes.add("report " + format_count(count), error.what());
    }
  });
  std::sort(reports.begin(), reports.end(),
            [](const OpeniReport& a, const OpeniReport& b) { return a.number < b.number; });
  for (size_t i = 1; i < reports.size(); ++i) {
    if (reports[i].number != reports[i - 1].number) continue;
    mistakes.add("report " + format_count(static_cast<int64_t>(i) + 1),
                 "there are two with the id CXR" + std::to_string(reports[i].number));
  }
  mistakes.check(count);
  if (reports.empty()) throw DataError("'" + archive.string() + "' contains no reports (*.xml)");
  return reports;
}

}  // namespace lvtext
