// Kinds of rating sheets: questions, answers and shown texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lvtext {

/// A question whose answers are whole numbers or named choices.
struct Aspect {
  std::string id;        ///< column name in sheets and answers, lower_snake_case
  std::string question;  ///< shown to raters
  int lowest = 1, highest = 5;
  std::vector<std::pair<int, std::string>> anchors = {};  ///< meanings of some of the numbers
  /// Names of the answers lowest, ..., highest; empty: the answers are numbers.
  std::vector<std::string> choices = {};
  /// For kinds that compare texts: the first choices are the columns of these texts.
  bool of_texts = false;
  /// The first two choices are opposites: their ratio is reported, with the count of each choice.
  bool opposed = false;

  bool operator==(const Aspect&) const = default;

  /// "1 gibberish, 5 natural".
  std::string scale() const;
  /// "4", or the name of the choice.
  std::string answer_text(int answer) const;
  /// The answer with this text, names in any case; nullopt if it is not allowed.
  std::optional<int> answer_of(const std::string& text) const;
  /// "whole numbers from 1 to 5", or the names of the choices.
  std::string allowed() const;
};

/// A question with named answers, numbered from 1.
Aspect choice_aspect(std::string id, std::string question, std::vector<std::string> choices);
/// A question about the compared texts: which is better, "a", "b" or, if `allows_tie`, "tie".
Aspect comparison_aspect(std::string id, std::string question, bool allows_tie);

/// The questions of a sheet and the texts that raters see for an item.
struct SheetKind {
  std::string name = {};                ///< name of the sheet, of its folder and in the key
  std::vector<std::string> shown = {};  ///< names of its inputs, in order, the rated text last
  /// Those of `shown` that are pictures. The text of a picture is the name of its file.
  std::vector<std::string> pictures = {};
  std::vector<Aspect> aspects = {};  ///< asked in this order
  /// Aspect with numbers, of the first table column; lines of the table are sorted by it. Empty:
  /// not sorted.
  std::string sorted_by = {};
  int64_t each = 200;   ///< default number of items per row or per pair of compared rows
  size_t compared = 1;  ///< number of rows whose texts an item shows: 1, or 2 to compare them
  /// For kinds that compare texts: whether items with equal texts are left out, because no answer
  /// applies to them.
  bool skips_equal = false;
  size_t raters = 0;  ///< number of ratings of each item in the paper's protocol; 0: any

  /// Names of the columns with the texts of an item: `shown`, with "a" and "b" in place of the
  /// rated text for kinds that compare two.
  std::vector<std::string> columns() const;
  /// Whether the column shows pictures.
  bool has_pictures(const std::string& column) const;
  /// Throws std::out_of_range for an unknown id.
  const Aspect& aspect(const std::string& id) const;
};

}  // namespace lvtext
