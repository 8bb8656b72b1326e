// Raters' answers: read, and checked against the key of their sheet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "framework/pipeline/rating/sheet.h"

namespace lvtext {

/// Ratings of a sheet: item id, rater, then one number for each aspect of the kind.
using Ratings = std::map<std::string, std::map<std::string, std::vector<int>>>;

/// Reads answer files, CSV or TSV, in any mixture of two forms. Other columns are not read.
/// - Long: item_id, rater_id and a column for each aspect, a row for each rating. A row without any
///   answer counts as not rated.
/// - Wide: item_id and columns `<aspect>_r1`, `<aspect>_r2`, ... (also `r1`, `r2`, ... where the
///   kind has one aspect); r1, r2, ... are the raters.
/// The result holds the earlier ratings too. Throws MissingError, and DataError with all mistakes
/// of all files (the first 20 are shown), each with file and line: a missing column, an unknown
/// item, an answer that is no whole number of the aspect's scale, one aspect answered and another
/// not, two ratings of an item by one rater, a rating that differs from an earlier one of the same
/// item and rater (unless `replace`, which takes the new one); also where the files hold no rating.
Ratings read_answers(std::span<const std::filesystem::path> files, const SheetKind& kind,
                     const SheetKey& key, const Ratings& earlier = {}, bool replace = false);

/// Ratings as a file keeps them between imports: each item's raters with a number for each aspect.
nlohmann::ordered_json to_json(const Ratings& ratings, const SheetKind& kind);
/// The same read back. Throws MissingError or DataError.
Ratings read_ratings(const std::filesystem::path& file, const SheetKind& kind, const SheetKey& key);

}  // namespace lvtext
