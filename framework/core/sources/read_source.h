// Reads or draws the records of a data source.
#pragma once

#include <map>
#include <string>

#include "framework/core/sources/data_source.h"

namespace lvtext {

/// The records of all files, by role; the splits of `from_field` by their name. Verifies the files.
/// Throws DataError, MissingError, or ConfigError if no file has the fields.
std::map<std::string, Records> read_files(const DataSource& source, const DataLocations& locations);

/// Independent draws: the splits follow one distribution, and may share records. Training comes
/// last, so that fewer training records change no other split.
Splits drawn_splits(const DataSource& source);

}  // namespace lvtext
