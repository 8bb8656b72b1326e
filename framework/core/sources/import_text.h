// Import of a user's text files as a named data set.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/core/sources/fetch.h"

namespace lvtext {

struct ImportRequest {
  std::string name;     ///< lower-case letters, digits, '-', '_' and '.'
  std::string license;  ///< license given by the user; must not be empty
  std::string title, citation;
  std::vector<std::filesystem::path> train, valid, test;  ///< one sentence per line, plain or .gz
  double valid_share = 0.05;             ///< share of the pool, if `valid` is empty
  double test_share = 0.05;              ///< share of the training lines, if `test` is empty
  std::map<std::string, double> shares;  ///< further splits by name: shares of the remaining lines
};

/// Copies the files to the cache and writes the set's manifest (bytes, lines, SHA-256, split rules)
/// next to them, so that data.set=NAME finds it. Importing the same files again changes nothing.
/// Throws UsageError for an invalid request, MissingError or DataError for a file, Error(73) if the
/// name is already used for other data.
Manifest import_text(const ImportRequest& request, const std::filesystem::path& cache,
                     const std::vector<std::filesystem::path>& folders = manifest_folders());

}  // namespace lvtext
