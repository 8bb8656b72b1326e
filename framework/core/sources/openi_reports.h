// Reports of the chest X-ray collection of Indiana University, as Open-i distributes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lvtext {

/// One report.
struct OpeniReport {
  int64_t number = 0;                        ///< 7 of the report "CXR7"
  std::map<std::string, std::string> texts;  ///< by label in lower case: "findings"; not empty
  std::vector<std::string> images;           ///< ids, such as "CXR7_IM-2263-1001"

  /// The text with a label; empty if there is none.
  std::string text(const std::string& label) const;
};

/// Parses one report: uId, AbstractText with Label, and parentImage. Throws DataError, beginning
/// with `name` and the line, for ill-formed XML, undefined entities, or a report without a number.
OpeniReport parse_openi_report(std::string_view xml, const std::string& name);

/// The files *.xml in a folder and the folders in it, relative to it, in ascending order.
std::vector<std::string> openi_report_files(const std::filesystem::path& folder);

/// The reports of a tar archive, plain or gzip, or of a folder, in ascending order of their
/// numbers. Throws MissingError, or DataError with all reports that cannot be parsed, for a damaged
/// archive, or for one without reports or with two of the same number.
std::vector<OpeniReport> read_openi_reports(const std::filesystem::path& archive);

}  // namespace lvtext
