#include "framework/core/text/word_piece.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/white_space.h"
#include "framework/core/text/lines.h"
#include "framework/core/text/unicode.h"

namespace lvtext {
namespace {

constexpr const char* kPieceSchema = "lvtext.word-piece/1";
constexpr const char* kContinues = "##";
constexpr size_t kMaxLength = 100;  // characters of a word; longer ones are [UNK]
constexpr int32_t kReplacement = 0xFFFD;
constexpr std::array<const char*, 5> kSpecial = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

bool is_white_space(int32_t c) {
  std::string text;
  append_utf8(text, c);
  return white_space_length(text) > 0;
}

bool is_control(int32_t c) {
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS: return true;
    default: return false;
  }
}

bool is_ascii_symbol(int32_t c) {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
         (c >= 123 && c <= 126);
}

bool is_punctuation(int32_t c) {
  if (is_ascii_symbol(c)) return true;
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO: return true;
    default: return false;
  }
}

/// The blocks of ideographs; not kana and Hangul, whose words have blanks or are divided by pieces.
bool is_chinese(int32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
         (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

/// Step 2: the text without control characters, with blanks around Chinese characters.
std::string cleaned(std::string_view text) {
  std::string result;
  for (const int32_t c : code_points(text)) {
    const bool is_blank = c == '\t' || c == '\n' || c == '\r';
    if (!is_blank && (c == 0 || c == kReplacement || is_control(c))) continue;
    if (is_blank || is_white_space(c)) {
      result += ' ';
    } else if (is_chinese(c)) {
      result += ' ';
      append_utf8(result, c);
      result += ' ';
    } else {
      append_utf8(result, c);
    }
  }
  return result;
}

/// Step 3.
std::vector<int32_t> lowered(const std::string& text) {
  std::vector<int32_t> result;
  for (const int32_t c : canonical_decomposition(text)) {
    if (utf8proc_category(c) != UTF8PROC_CATEGORY_MN) result.push_back(utf8proc_tolower(c));
  }
  return result;
}

}  // namespace

WordPiece::WordPiece(std::vector<std::string> pieces, bool lower_case)
    : pieces_(std::move(pieces)), lower_case_(lower_case) {
  for (size_t id = 0; id < pieces_.size(); ++id) {
    const bool is_new = ids_.emplace(pieces_[id], static_cast<int32_t>(id)).second;
    if (is_new && !pieces_[id].empty()) continue;
    throw DataError("WordPiece: token " + std::to_string(id) +
                    (is_new ? " is empty" : ", '" + pieces_[id] + "', occurs twice"));
  }
  const auto id_of = [&](const char* piece) {
    const auto found = ids_.find(piece);
    if (found == ids_.end()) {
      throw DataError(std::string("WordPiece: the vocabulary has no token ") + piece);
    }
    return found->second;
  };
  vocabulary_ = {.size = static_cast<int32_t>(pieces_.size()),
                 .bos = id_of("[CLS]"),
                 .eos = id_of("[SEP]"),
                 .pad = id_of("[PAD]"),
                 .unk = id_of("[UNK]")};
  sha256_ = lvtext::sha256(this->text());
}

WordPiece WordPiece::read_vocabulary(const std::filesystem::path& file, bool lower_case) {
  return {read_lines(file), lower_case};
}

std::string WordPiece::text() const {
  const nlohmann::ordered_json json = {
      {"schema", kPieceSchema}, {"lower_case", lower_case_}, {"pieces", pieces_}};
  return json.dump(1) + "\n";
}

void WordPiece::save(const std::filesystem::path& file) const {
  write_file_atomic(file, text());
}

WordPiece WordPiece::load(const std::filesystem::path& file) {
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  const auto fail = [&] {
    return DataError("'" + file.string() + "' is not a WordPiece vocabulary (" + kPieceSchema +
                     ")");
  };
  try {
    if (json.at("schema") != kPieceSchema) throw fail();
    return {json.at("pieces").get<std::vector<std::string>>(), json.at("lower_case").get<bool>()};
  } catch (const nlohmann::json::exception&) {
    throw fail();
  }
}

void WordPiece::encode_word(const std::vector<int32_t>& word, TokenIds& ids) const {
  std::string text;
  std::vector<size_t> ends;  // byte offset behind each character
  for (const int32_t c : word) {
    append_utf8(text, c);
    ends.push_back(text.size());
  }
  const size_t first_id = ids.size();
  size_t from = 0;  // characters
  while (word.size() <= kMaxLength && from < word.size()) {
    const size_t begin = from == 0 ? 0 : ends[from - 1];
    size_t to = word.size();
    for (; to > from; --to) {
      const auto found =
          ids_.find((from == 0 ? "" : kContinues) + text.substr(begin, ends[to - 1] - begin));
      if (found == ids_.end()) continue;
      ids.push_back(found->second);
      break;
    }
    if (to == from) break;
    from = to;
  }
  if (from == word.size()) return;
  ids.resize(first_id);
  ids.push_back(vocabulary_.unk.value());
}

void WordPiece::encode_words(std::string_view text, TokenIds& ids) const {
  const std::string clean = cleaned(text);
  std::vector<int32_t> word;
  const auto end_word = [&] {
    if (!word.empty()) encode_word(word, ids);
    word.clear();
  };
  for (const int32_t c : lower_case_ ? lowered(clean) : code_points(clean)) {
    const bool is_alone = is_punctuation(c);
    if (is_alone || is_white_space(c)) end_word();
    if (is_white_space(c)) continue;
    word.push_back(c);
    if (is_alone) end_word();
  }
  end_word();
}

TokenIds WordPiece::encode(std::string_view text) const {
  TokenIds ids;
  while (!text.empty()) {
    size_t at = text.size();
    int32_t special = -1;
    for (const char* piece : kSpecial) {
      const size_t found = std::min(text.find(piece), text.size());
      const auto id = ids_.find(piece);
      if (found >= at || id == ids_.end()) continue;
      at = found;
      special = id->second;
    }
    encode_words(text.substr(0, at), ids);
    if (special < 0) break;
    ids.push_back(special);
    text.remove_prefix(at + piece(special).size());
  }
  return ids;
}

const std::string& WordPiece::piece(int32_t id) const {
  LVT_ASSERT(id >= 0 && id < size(), "token id " + std::to_string(id) +
                                         " is out of range; tokens: " + std::to_string(size()));
  return pieces_[id];
}

std::string WordPiece::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    const std::string& part = piece(id);
    if (id == vocabulary_.bos || id == vocabulary_.eos || id == vocabulary_.pad) continue;
    if (!*begins_word(id)) {
      text += part.substr(std::string_view(kContinues).size());
    } else {
      text += (text.empty() ? "" : " ") + part;
    }
  }
  return text;
}

std::optional<bool> WordPiece::begins_word(int32_t id) const {
  return !piece(id).starts_with(kContinues);
}

}  // namespace lvtext
