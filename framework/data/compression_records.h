// The records of the Google sentence compression corpus (Filippova and Altun 2013).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lvtext {

/// The texts that a record holds: "compression", "headline", "untransformed", "sentence".
const std::vector<std::string>& compression_fields();

/// The text of some fields in every record of a file, plain or gzip: `result[i]` has those of
/// `fields[i]`, in the order of the records. Line ends within a text become blanks. Reads a stream
/// of JSON objects (JsonRecords). Throws MissingError, and DataError naming file, record and line
/// where a record lacks the field or has no text there, and for a file without records.
std::vector<std::vector<std::string>> read_compression_records(
    const std::filesystem::path& file, const std::vector<std::string>& fields);

}  // namespace lvtext
