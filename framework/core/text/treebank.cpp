#include "framework/core/text/treebank.h"

#include <array>

#include "framework/core/base/characters.h"
#include "framework/core/base/utf8.h"

namespace lvtext {
namespace {

using Text = std::u32string;
using View = std::u32string_view;

Text to_code_points(std::string_view bytes) {
  Text text;
  text.reserve(bytes.size());
  for (size_t i = 0; i < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    char32_t point = length == 1 ? first : first & (0x7fU >> length);
    for (size_t k = 1; k < length; ++k) {
      point = point << 6 | (static_cast<unsigned char>(bytes[i + k]) & 0x3fU);
    }
    text.push_back(point);
    i += length;
  }
  return text;
}

void append_utf8(std::string& bytes, char32_t point) {
  const auto add = [&](char32_t byte) { bytes.push_back(static_cast<char>(byte)); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xc0 | point >> 6);
  } else {
    if (point < 0x10000) {
      add(0xe0 | point >> 12);
    } else {
      add(0xf0 | point >> 18);
      add(0x80 | (point >> 12 & 0x3f));
    }
    add(0x80 | (point >> 6 & 0x3f));
  }
  add(0x80 | (point & 0x3f));
}

bool is_one_of(char32_t c, View set) {
  return set.find(c) != View::npos;
}
bool is_space(char32_t c) {
  return is_one_of(c, U" \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") ||
         (c >= 0x2000 && c <= 0x200a);
}
/// Approximates Python's \w for characters that occur in European languages.
bool is_word(char32_t c) {
  if (c < 0x80) return is_digit(c) || c == '_' || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
  if (c < 0xc0) return is_one_of(c, U"\xaa\xb2\xb3\xb5\xb9\xba\xbc\xbd\xbe");
  return c != 0xd7 && c != 0xf7 && !(c >= 0x2000 && c <= 0x2bff) && !(c >= 0x3000 && c <= 0x303f) &&
         c != 0xfffd && !(c >= 0x1f000 && c <= 0x1faff);
}

/// Match of a rule at a position: the length of the match and its replacement.
struct Match {
  size_t length = 0;  ///< 0: no match
  Text instead;
};

/// Replaces non-overlapping matches from left to right, like Python's re.sub().
template <class Rule>
void substitute(Text& text, const Rule& rule) {
  Text result;
  result.reserve(text.size() + 16);
  for (size_t i = 0; i < text.size();) {
    const Match match = rule(View(text), i);
    if (match.length == 0) {
      result.push_back(text[i++]);
    } else {
      result += match.instead;
      i += match.length;
    }
  }
  text = std::move(result);
}

Text between_blanks(View part) {
  return U" " + Text(part) + U" ";
}

void set_apart(Text& text, View characters) {
  substitute(text, [&](View all, size_t i) -> Match {
    if (!is_one_of(all[i], characters)) return {};
    return {1, between_blanks(all.substr(i, 1))};
  });
}

/// Puts blanks around runs of at least `least` equal characters.
void set_runs_apart(Text& text, char32_t character, size_t least) {
  substitute(text, [&](View all, size_t i) -> Match {
    size_t end = i;
    while (end < all.size() && all[end] == character) ++end;
    if (end - i < least) return {};
    return {end - i, between_blanks(all.substr(i, end - i))};
  });
}

void replace(Text& text, View what, View by) {
  substitute(text, [&](View all, size_t i) -> Match {
    if (all.substr(i, what.size()) != what) return {};
    return {what.size(), Text(by)};
  });
}

bool equals_ignoring_case(View text, View lower_case) {
  if (text.size() != lower_case.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (ascii_lower(text[i]) != lower_case[i]) return false;
  }
  return true;
}

/// Whether `at` is a word boundary (\b).
bool is_edge(View text, size_t at) {
  const bool before = at > 0 && is_word(text[at - 1]);
  return before != (at < text.size() && is_word(text[at]));
}

void starting_quotes(Text& text) {
  set_apart(text, U"«“‘„");
  set_runs_apart(text, '`', 1);
  if (text.starts_with(U'"')) text.replace(0, 1, U"``");
  replace(text, U"``", U" `` ");
  substitute(text, [](View all, size_t i) -> Match {
    if (!is_one_of(all[i], U" ([{<")) return {};
    const size_t quote = all.substr(i + 1, 1) == U"\"" ? 1 : all.substr(i + 1, 2) == U"''" ? 2 : 0;
    if (quote == 0) return {};
    return {1 + quote, Text(all.substr(i, 1)) + U" `` "};
  });
  // Separates a quote before a word, unless the rest is the ending of a contraction ('re, 's).
  substitute(text, [](View all, size_t i) -> Match {
    if (all[i] != '\'' || (i > 0 && is_word(all[i - 1]))) return {};
    if (i + 1 == all.size() || !is_word(all[i + 1])) return {};
    for (const View part : {U"re", U"ve", U"ll", U"m", U"t", U"s", U"d", U"n"}) {
      if (equals_ignoring_case(all.substr(i + 1, part.size()), part) &&
          is_edge(all, i + 1 + part.size())) {
        return {};
      }
    }
    return {1, U"' "};
  });
}

/// Separates the period at the end of the text; quotes and brackets may follow it.
void final_period(Text& text) {
  size_t dot = text.size();
  while (dot > 0 && (is_space(text[dot - 1]) || is_one_of(text[dot - 1], U"])}>\"' »”’"))) --dot;
  if (dot < 2 || text[dot - 1] != '.' || text[dot - 2] == '.') return;
  text = text.substr(0, dot - 1) + U" . " + text.substr(dot) + U" ";
}

void punctuation(Text& text) {
  final_period(text);
  substitute(text, [](View all, size_t i) -> Match {
    if (!is_one_of(all[i], U":,")) return {};
    if (i + 1 == all.size()) return {1, between_blanks(all.substr(i, 1))};
    if (is_digit(all[i + 1])) return {};
    return {2, between_blanks(all.substr(i, 1)) + Text(all.substr(i + 1, 1))};
  });
  set_runs_apart(text, '.', 2);
  set_apart(text, U";@#$%&\u2012\u2013\u2014\u2015");
  set_apart(text, U"?!");
  substitute(text, [](View all, size_t i) -> Match {
    if (all[i] == '\'' || all.substr(i + 1, 2) != U"' ") return {};
    return {3, Text(all.substr(i, 1)) + U" ' "};
  });
  set_apart(text, U"*");
  set_apart(text, U"][(){}<>");
  replace(text, U"--", U" -- ");
}

/// Separates the first of `endings` that follows a character and precedes a blank.
template <size_t N>
void cut_endings(Text& text, const std::array<View, N>& endings) {
  substitute(text, [&](View all, size_t i) -> Match {
    if (is_one_of(all[i], U"' ")) return {};
    for (const View ending : endings) {
      if (all.substr(i + 1, ending.size()) != ending) continue;
      if (all.substr(i + 1 + ending.size(), 1) != U" ") continue;
      return {ending.size() + 2, Text(all.substr(i, 1)) + between_blanks(ending)};
    }
    return {};
  });
}

void ending_quotes(Text& text) {
  set_apart(text, U"»”’");
  replace(text, U"''", U" '' ");
  replace(text, U"\"", U" '' ");
  substitute(text, [](View all, size_t i) -> Match {
    size_t end = i;
    while (end < all.size() && is_space(all[end])) ++end;
    return {end - i, U" "};
  });
  cut_endings(text, std::to_array<View>({U"'s", U"'S", U"'m", U"'M", U"'d", U"'D", U"'"}));
  cut_endings(
      text, std::to_array<View>({U"'ll", U"'LL", U"'re", U"'RE", U"'ve", U"'VE", U"n't", U"N'T"}));
}

/// Splits a contraction of two words, such as cannot and gonna.
void cut_contraction(Text& text, View first, View second) {
  const size_t length = first.size() + second.size();
  substitute(text, [&](View all, size_t i) -> Match {
    if (!equals_ignoring_case(all.substr(i, first.size()), first) ||
        !equals_ignoring_case(all.substr(i, length).substr(first.size()), second)) {
      return {};
    }
    if (first == U"'t") {  // 'tis and 'twas, after a blank
      if (i == 0 || all[i - 1] != ' ') return {};
    } else if (!is_edge(all, i)) {
      return {};
    }
    if (second == U"na" && first == U"wan") {
      if (i + length == all.size() || !is_space(all[i + length])) return {};
    } else if (!is_edge(all, i + length)) {
      return {};
    }
    return {length, between_blanks(all.substr(i, first.size())) +
                        Text(all.substr(i + first.size(), second.size())) + U" "};
  });
}

}  // namespace

std::vector<std::string> treebank_words(std::string_view sentence) {
  Text text = to_code_points(replace_invalid_utf8(sentence));
  starting_quotes(text);
  punctuation(text);
  text = between_blanks(text);
  ending_quotes(text);
  cut_contraction(text, U"can", U"not");
  cut_contraction(text, U"d", U"'ye");
  cut_contraction(text, U"gim", U"me");
  cut_contraction(text, U"gon", U"na");
  cut_contraction(text, U"got", U"ta");
  cut_contraction(text, U"lem", U"me");
  cut_contraction(text, U"more", U"'n");
  cut_contraction(text, U"wan", U"na");
  cut_contraction(text, U"'t", U"is");
  cut_contraction(text, U"'t", U"was");
  std::vector<std::string> words;
  std::string word;
  for (const char32_t c : text) {
    if (!is_space(c)) {
      append_utf8(word, c);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

}  // namespace lvtext
