// An option that names a file: a path, or a file of a data set.
#pragma once

#include <string>

#include "framework/core/options/options.h"

namespace lvtext {

/// `FILE`, or `{set: NAME, file: FILE}` for a file of a manifest (data/NAME.yaml), which is looked
/// up, downloaded and verified like data (framework/core/sources/given_files.h).
struct GivenFile {
  std::string path;       ///< empty for a file of a data set
  std::string set, file;  ///< the data set, and the name of the file in it

  bool empty() const { return path.empty() && set.empty(); }
  /// As shown in messages: the path, or "set/file".
  std::string text() const { return set.empty() ? path : set + "/" + file; }
};

bool read_option(const options_detail::ParseContext& context, GivenFile& value);
Node write_option(const GivenFile& value);
TypeSchema option_type(const GivenFile& value);

}  // namespace lvtext
