// Blinded rating sheets: the sheets do not reveal which row produced a text.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/rating/sheet_kind.h"
#include "framework/pipeline/report/png.h"

namespace lvtext {

/// A table row whose text is rated: a model or real data.
struct RatedRow {
  std::string id, label;
  bool is_real = false;
  std::string identity;         ///< identity of the node that produced the text
  std::optional<int64_t> seed;  ///< training seed of the model; none for real data
};
nlohmann::ordered_json to_json(const RatedRow& row);
/// Reads the result of to_json(). Throws nlohmann::json::exception if `row` is malformed.
RatedRow rated_row_of(const nlohmann::ordered_json& row);

/// The rows whose texts an item shows: one row, or the rows that a sheet compares. A line of the
/// table of ratings.
struct RatedGroup {
  std::string id, label;     ///< those of the row, or "m0_vs_m2", "M0 vs M2"
  std::vector<size_t> rows;  ///< indices into SheetKey::rows
};
/// "m0_vs_m2": the id of a group of compared rows.
std::string group_id(const std::vector<std::string>& rows);

/// A sentence of a group with the texts that the sheet shows: those of SheetKind::columns(), with
/// the rated texts in the order of the group.
struct RatedSentence {
  int64_t index = 0;  ///< line in the texts of the rows, from 0
  std::vector<std::string> texts;
};

/// One item to rate. Sentences with equal texts are one item, even if they are from different
/// groups.
struct RatedItem {
  std::string id;                  ///< does not reveal rows or order
  std::vector<std::string> texts;  ///< in the order shown to raters
};

/// A sentence with the texts of an item.
struct ItemSource {
  size_t group = 0;  ///< index into SheetKey::groups
  int64_t index = 0;
  /// For each rated text in the order shown: its position in the group.
  std::vector<size_t> order = {0};
};

/// Maps items to rows. Must not be shown to raters.
struct SheetKey {
  struct Item {
    std::vector<std::string> texts;  ///< as in RatedItem
    std::vector<ItemSource> sources = {};
  };
  std::string kind, recipe, profile;
  int64_t seed = 0;
  std::vector<RatedRow> rows;
  std::vector<RatedGroup> groups;
  std::map<std::string, Item> items;  ///< by id
};

struct Sheet {
  SheetKind kind;
  std::vector<RatedItem> items;  ///< in the order of their ids
  SheetKey key;
  /// The pictures of the items, by the names of their files.
  std::map<std::string, Picture> pictures = {};
};
/// Name of a picture's file, which is its text in a sheet: "<SHA-256 of the file>.png".
std::string picture_name(const Picture& picture);

/// The first `count` numbers of a permutation of 0..n-1 determined by `seed` (all if count > n).
/// Rows with equally many sentences get the same indices.
std::vector<int64_t> chosen_indices(int64_t n, int64_t count, int64_t seed);

/// Builds the sheet; `sentences[i]` belong to group i of `key.groups`. The id of an item is a hash
/// of seed, kind and texts, and items are sorted by id: for a given seed, the sheet depends only on
/// the set of texts, and adding or removing a row does not change the ids of other items. Which of
/// two compared texts is shown first is a bit of a hash of seed, kind and the set of the item's
/// texts. Each sentence must have as many texts as the kind has columns. `pictures` has at least
/// the pictures of the sentences. Throws DataError on an id collision.
Sheet make_sheet(const SheetKind& kind, SheetKey key,
                 const std::vector<std::vector<RatedSentence>>& sentences,
                 const std::map<std::string, Picture>& pictures = {});

/// TSV with the columns item_id, SheetKind::columns(), the aspects, rater_id, comment; the columns
/// after the texts are empty and filled in by raters. Tabs, line breaks and backslashes in texts
/// are escaped as \t, \n, \r and \\ .
std::string sheet_tsv(const Sheet& sheet);
/// The same table as CSV (RFC 4180).
std::string sheet_csv(const Sheet& sheet);

/// The key as a JSON document ("lvtext.rating-key/1").
nlohmann::ordered_json to_json(const SheetKey& key);
/// Reads a key file. Throws MissingError, and DataError if the file is not a key of a rating sheet.
SheetKey read_sheet_key(const std::string& file);

}  // namespace lvtext
