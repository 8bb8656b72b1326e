// Reads raters' answers and validates them against the key of the sheet.
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

/// Ratings of a sheet: item id -> rater -> one answer for each aspect of the kind: the number, or
/// the number of the choice.
using Ratings = std::map<std::string, std::map<std::string, std::vector<int>>>;

/// Reads answer files, CSV or TSV. Each file has one of two forms; other columns are ignored.
/// - Long: item_id, rater_id and one column per aspect, one row per rating. A row without any
///   answer is not a rating.
/// - Wide: item_id and columns `<aspect>_r1`, `<aspect>_r2`, ... (or `r1`, `r2`, ... if the kind
///   has one aspect); r1, r2, ... are the raters.
/// The result includes the earlier ratings. Throws MissingError, and DataError with all mistakes of
/// all files (at most 20 are shown), each with file and line: a missing column, an unknown item, an
/// answer that the aspect does not allow, a rating with some aspects unanswered, two
/// ratings of an item by one rater, a rating that differs from an earlier one of the same item and
/// rater (with `replace`, the new one is used). Also throws DataError if the files contain no
/// rating.
Ratings read_answers(std::span<const std::filesystem::path> files, const SheetKind& kind,
                     const SheetKey& key, const Ratings& earlier = {}, bool replace = false);

/// JSON document of the ratings, stored between imports ("lvtext.rating-answers/1").
nlohmann::ordered_json to_json(const Ratings& ratings, const SheetKind& kind);
/// Reads a file written from to_json(). Throws MissingError or DataError.
Ratings read_ratings(const std::filesystem::path& file, const SheetKind& kind, const SheetKey& key);

}  // namespace lvtext
