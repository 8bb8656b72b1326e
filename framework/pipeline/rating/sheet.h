// Blinded rating sheets: what raters see says nothing of who wrote it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/rating/sheet_kind.h"

namespace lvtext {

/// A row of a table whose text is rated: a model, or real data.
struct RatedRow {
  std::string id, label;
  bool is_real = false;
  std::string identity;         ///< of the node that holds the text
  std::optional<int64_t> seed;  ///< of the model's training; none for real data
};
nlohmann::ordered_json to_json(const RatedRow& row);
/// Reads it. Throws nlohmann::json::exception if it is none.
RatedRow rated_row_of(const nlohmann::ordered_json& row);

/// A sentence of a row: `texts` are what its sheet kind shows.
struct RatedSentence {
  int64_t index = 0;  ///< line of the row's text, from 0
  std::vector<std::string> texts;
};

/// What is rated once. Sentences of equal texts, of whatever rows, are one item.
struct RatedItem {
  std::string id;  ///< says nothing of rows and order
  std::vector<std::string> texts;
};

/// Who wrote what. Must not be seen by raters.
struct SheetKey {
  std::string kind, recipe, profile;
  int64_t seed = 0;
  std::vector<RatedRow> rows;
  /// Item id -> sentences with its texts: position in `rows`, and index.
  std::map<std::string, std::vector<std::pair<size_t, int64_t>>> items;
};

struct Sheet {
  SheetKind kind;
  std::vector<RatedItem> items;  ///< in the order of their ids
  SheetKey key;
};

/// `count` of the numbers 0..n-1 (all if there are fewer): the first ones of the permutation that
/// `seed` gives. The same for every row with equally many sentences.
std::vector<int64_t> chosen_indices(int64_t n, int64_t count, int64_t seed);

/// A sheet of `sentences[i]`, which row i of `key.rows` wrote. An item's id is a hash of seed, kind
/// and texts, and items stand in the order of their ids: the sheet is a function of the set of
/// texts alone, and the items that remain when a row comes or goes keep their ids. Each sentence
/// has as many texts as the kind shows. Throws DataError if two items had the same id.
Sheet make_sheet(const SheetKind& kind, SheetKey key,
                 const std::vector<std::vector<RatedSentence>>& sentences);

/// Columns item_id, the texts, the aspects, rater_id, comment; the last ones are empty for the
/// rater to fill. Tabs, line ends and backslashes of texts are written \t, \n, \r and \\ .
std::string sheet_tsv(const Sheet& sheet);
/// The same by RFC 4180.
std::string sheet_csv(const Sheet& sheet);

/// The key as a JSON document ("lvtext.rating-key/1").
nlohmann::ordered_json to_json(const SheetKey& key);
/// Reads it. Throws MissingError, or DataError if the file is no key of a sheet.
SheetKey read_sheet_key(const std::string& file);

}  // namespace lvtext
