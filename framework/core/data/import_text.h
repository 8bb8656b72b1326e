// A user's own text files as a named data set.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/core/data/fetch.h"

namespace lvtext {

struct ImportRequest {
  std::string name;     ///< lower-case letters, digits, '-', '_' and '.'
  std::string license;  ///< what the user says of it; must not be empty
  std::string title, citation;
  std::vector<std::filesystem::path> train, valid, test;  ///< one sentence per line, plain or .gz
  double valid_share = 0.05;                              ///< of the pool, where `valid` is empty
  double test_share = 0.05;              ///< of the training lines, where `test` is empty
  std::map<std::string, double> shares;  ///< further splits by name: shares of what is left
};

/// Copies the files into the cache and writes the set's manifest beside them (bytes, lines,
/// SHA-256, split rules), so that data.set=NAME finds it. Importing the same again changes nothing.
/// Throws UsageError for a request that cannot be used, MissingError or DataError for a file,
/// Error(73) if the name stands for other data already.
Manifest import_text(const ImportRequest& request, const std::filesystem::path& cache,
                     const std::vector<std::filesystem::path>& folders = manifest_folders());

}  // namespace lvtext
