#include "framework/core/text/byte_bpe.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/base/json.h"
#include "framework/core/base/strings.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

constexpr const char* kBpeSchema = "lvtext.byte-bpe/1";
constexpr int32_t kBytes = 256;

enum class Category { kLetter, kNumber, kSpace, kOther };

/// A character of a text, or one byte that is not UTF-8.
struct Character {
  Category category = Category::kOther;
  size_t bytes = 0;  ///< 0 at the end of the text
  bool is_invalid = false;
};

/// Unicode's property White_Space, which GPT-2's regular expression uses.
bool is_white_space(utf8proc_int32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Category category_of(utf8proc_int32_t c) {
  if (is_white_space(c)) return Category::kSpace;
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return Category::kLetter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return Category::kNumber;
    default: return Category::kOther;
  }
}

Character character_at(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  utf8proc_int32_t c = -1;
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                       static_cast<utf8proc_ssize_t>(text.size() - at), &c);
  if (bytes <= 0) return {Category::kOther, 1, true};
  return {category_of(c), static_cast<size_t>(bytes)};
}

/// Length of the contraction at `at`, such as 're; 0 if there is none.
size_t contraction_at(std::string_view text, size_t at) {
  if (text[at] != '\'') return 0;
  for (const std::string_view ending : {"s", "t", "re", "ve", "m", "ll", "d"}) {
    if (text.substr(at + 1).starts_with(ending)) return 1 + ending.size();
  }
  return 0;
}

/// End of the run of characters of one category that begins at `at`.
size_t run_end(std::string_view text, size_t at, Category category) {
  for (Character next; (next = character_at(text, at)).bytes > 0; at += next.bytes) {
    if (next.category != category) break;
  }
  return at;
}

/// End of the run of white space at `at`, without its last character if another character follows:
/// that one may belong to the next pretoken.
size_t white_space_end(std::string_view text, size_t at) {
  size_t last = at, end = at;
  for (Character next; (next = character_at(text, end)).bytes > 0; end += next.bytes) {
    if (next.category != Category::kSpace) break;
    last = end;
  }
  return end < text.size() && last > at ? last : end;
}

size_t pretoken_end(std::string_view text, size_t at) {
  if (const size_t length = contraction_at(text, at); length > 0) return at + length;
  const size_t start = text[at] == ' ' ? at + 1 : at;
  const Character first = character_at(text, start);
  if (first.bytes > 0 && first.category != Category::kSpace) {
    return run_end(text, start, first.category);
  }
  return white_space_end(text, at);
}

/// GPT-2's order of the bytes: those that are printable in Latin-1 first.
std::vector<int> byte_order() {
  std::vector<int> printable, others;
  for (int byte = 0; byte < kBytes; ++byte) {
    const bool shown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    (shown ? printable : others).push_back(byte);
  }
  printable.insert(printable.end(), others.begin(), others.end());
  return printable;
}

const std::array<int32_t, kBytes>& id_of_byte() {
  static const std::array<int32_t, kBytes> ids = [] {
    std::array<int32_t, kBytes> of_byte{};
    const std::vector<int> order = byte_order();
    for (int32_t id = 0; id < kBytes; ++id) of_byte[order[id]] = id;
    return of_byte;
  }();
  return ids;
}

/// Code point of the symbol of a byte in published files: itself if printable, otherwise 256, 257,
/// ... in the order of the other bytes.
utf8proc_int32_t symbol_of(int byte) {
  constexpr int32_t kPrintable = 188;
  const int32_t id = id_of_byte()[byte];
  return id < kPrintable ? byte : kBytes + id - kPrintable;
}

std::string to_symbols(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    std::array<utf8proc_uint8_t, 4> encoded{};
    const auto length =
        utf8proc_encode_char(symbol_of(static_cast<unsigned char>(byte)), encoded.data());
    text.append(reinterpret_cast<const char*>(encoded.data()), static_cast<size_t>(length));
  }
  return text;
}

/// The bytes of symbols; nullopt if a character is no symbol.
std::optional<std::string> from_symbols(std::string_view text) {
  static const std::unordered_map<utf8proc_int32_t, char> bytes = [] {
    std::unordered_map<utf8proc_int32_t, char> of_symbol;
    for (int byte = 0; byte < kBytes; ++byte) {
      of_symbol[symbol_of(byte)] = static_cast<char>(byte);
    }
    return of_symbol;
  }();
  std::string result;
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t c = -1;
    const utf8proc_ssize_t length =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                         static_cast<utf8proc_ssize_t>(text.size() - at), &c);
    const auto found = bytes.find(c);
    if (length <= 0 || found == bytes.end()) return std::nullopt;
    result.push_back(found->second);
    at += static_cast<size_t>(length);
  }
  return result;
}

/// Parses "LEFT RIGHT", two tokens in byte symbols.
std::optional<ByteBpe::Merge> parse_merge(const std::string& line) {
  const size_t blank = line.find(' ');
  if (blank == std::string::npos) return std::nullopt;
  const auto left = from_symbols(line.substr(0, blank));
  const auto right = from_symbols(line.substr(blank + 1));
  if (!left || !right || left->empty() || right->empty()) return std::nullopt;
  return ByteBpe::Merge(*left, *right);
}

uint64_t pair_key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}

/// Learns merges: the distinct pretokens with their frequencies, and the pretokens of each pair.
class MergeTrainer {
 public:
  explicit MergeTrainer(const std::vector<std::string>& texts) {
    std::unordered_map<std::string_view, int64_t> counts;
    for (const std::string& text : texts) {
      for (const std::string_view pretoken : byte_bpe_pretokens(text)) ++counts[pretoken];
    }
    std::vector<std::pair<std::string_view, int64_t>> order(counts.begin(), counts.end());
    std::sort(order.begin(), order.end());
    for (const auto& [pretoken, count] : order) {
      TokenIds ids;
      for (const char byte : pretoken)
        ids.push_back(id_of_byte()[static_cast<unsigned char>(byte)]);
      const auto index = static_cast<int32_t>(pretokens_.size());
      for (size_t k = 0; k + 1 < ids.size(); ++k) add(pair_key(ids[k], ids[k + 1]), count, index);
      pretokens_.push_back({std::move(ids), count});
    }
    for (const auto& [pair, use] : uses_) queue_.push({use.count, pair});
  }

  /// The pair to be merged next; nullopt if none occurs twice.
  std::optional<std::pair<int32_t, int32_t>> best() {
    while (!queue_.empty()) {
      const Entry top = queue_.top();
      queue_.pop();
      const auto found = uses_.find(top.pair);
      const int64_t count = found == uses_.end() ? 0 : found->second.count;
      if (count != top.count) {  // it has changed since it was queued
        if (count > 0) queue_.push({count, top.pair});
        continue;
      }
      if (count < 2) return std::nullopt;
      return std::pair(static_cast<int32_t>(top.pair >> 32),
                       static_cast<int32_t>(top.pair & 0xffffffff));
    }
    return std::nullopt;
  }

  /// Replaces a pair by the id `merged` in all pretokens.
  void merge(int32_t left, int32_t right, int32_t merged) {
    const uint64_t pair = pair_key(left, right);
    const std::set<int32_t> where = std::move(uses_.at(pair).pretokens);
    std::set<uint64_t> changed;
    for (const int32_t index : where) {
      Pretoken& pretoken = pretokens_[index];
      TokenIds ids;
      for (size_t k = 0; k < pretoken.ids.size(); ++k) {
        if (k + 1 < pretoken.ids.size() && pretoken.ids[k] == left &&
            pretoken.ids[k + 1] == right) {
          ids.push_back(merged);
          ++k;
        } else {
          ids.push_back(pretoken.ids[k]);
        }
      }
      if (ids.size() == pretoken.ids.size()) continue;
      for (size_t k = 0; k + 1 < pretoken.ids.size(); ++k) {
        uses_[pair_key(pretoken.ids[k], pretoken.ids[k + 1])].count -= pretoken.count;
      }
      for (size_t k = 0; k + 1 < ids.size(); ++k) {
        const uint64_t key = pair_key(ids[k], ids[k + 1]);
        add(key, pretoken.count, index);
        changed.insert(key);
      }
      pretoken.ids = std::move(ids);
    }
    uses_.erase(pair);
    for (const uint64_t key : changed) queue_.push({uses_.at(key).count, key});
  }

 private:
  struct Pretoken {
    TokenIds ids;
    int64_t count = 0;
  };
  struct Use {
    int64_t count = 0;
    std::set<int32_t> pretokens;  ///< that have the pair, or had it
  };
  struct Entry {
    int64_t count;
    uint64_t pair;
    bool operator<(const Entry& other) const {  // the most frequent, then the lowest ids on top
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  void add(uint64_t pair, int64_t count, int32_t pretoken) {
    Use& use = uses_[pair];
    use.count += count;
    use.pretokens.insert(pretoken);
  }

  std::vector<Pretoken> pretokens_;
  std::unordered_map<uint64_t, Use> uses_;
  std::priority_queue<Entry> queue_;
};

using Json = nlohmann::json;

/// The tokenizer of a folder in the Hugging Face layout.
class PublishedByteBpe {
 public:
  explicit PublishedByteBpe(std::filesystem::path folder) : folder_(std::move(folder)) {}

  ByteBpe read() {
    std::vector<ByteBpe::Merge> merges;
    if (has(kWhole)) {
      merges = from_whole();
    } else if (has(kMerges)) {
      file_ = kVocabulary;
      if (has(kVocabulary)) add_ids(json_of(kVocabulary));
      merges = ByteBpe::read_merges(folder_ / kMerges, {}).merge_list();
    } else {
      throw MissingError("'" + folder_.string() + "' has no tokenizer: neither " + kWhole +
                         " nor " + kMerges);
    }
    AddedTokens added{.texts = checked_added(ByteBpe(merges, {}))};
    for (const char* file : {"tokenizer_config.json", "special_tokens_map.json"}) {
      if (!has(file)) continue;
      const Json special = json_of(file);
      set_special(special, "bos_token", added.texts, added.bos);
      set_special(special, "eos_token", added.texts, added.eos);
      set_special(special, "pad_token", added.texts, added.pad);
    }
    return {std::move(merges), std::move(added)};
  }

 private:
  static constexpr const char* kWhole = "tokenizer.json";
  static constexpr const char* kMerges = "merges.txt";
  static constexpr const char* kVocabulary = "vocab.json";

  bool has(const char* file) const { return std::filesystem::exists(folder_ / file); }
  DataError fail(const std::string& what) const {
    return DataError("'" + (folder_ / file_).string() + "': " + what);
  }

  Json json_of(const char* file) {
    file_ = file;
    Json json = parse_json<Json>(read_file(folder_ / file, 1 << 28));
    if (!json.is_object()) throw fail("is not a JSON object");
    return json;
  }

  /// Reads a mapping of tokens to ids.
  void add_ids(const Json& tokens) {
    if (!tokens.is_object()) throw fail("has no mapping of tokens to ids");
    for (const auto& [token, id] : tokens.items()) add_id(token, id);
  }
  void add_id(const std::string& token, const Json& id) {
    if (!id.is_number_unsigned()) throw fail("the token '" + token + "' has the id " + id.dump());
    ids_[token] = id.get<int64_t>();
  }

  /// Reads tokenizer.json.
  std::vector<ByteBpe::Merge> from_whole() {
    const Json json = json_of(kWhole);
    const Json model = json.value("model", Json::object());
    const std::string kind = model.is_object() ? model.value("type", Json("")).dump() : "none";
    if (kind != "\"BPE\"") {
      throw fail("the tokenizer is not a byte-level BPE (its type is " + kind + ")");
    }
    const Json division = json.value("pre_tokenizer", Json());
    const bool is_usual = division.is_object() && division.value("type", Json()) == "ByteLevel" &&
                          division.value("add_prefix_space", Json(false)) == false &&
                          division.value("use_regex", Json(true)) == true;
    if (!is_usual || !json.value("normalizer", Json()).is_null()) {
      throw fail("texts are not divided as by GPT-2; pre_tokenizer is " + division.dump() +
                 ", normalizer is " + json.value("normalizer", Json()).dump());
    }
    add_ids(model.value("vocab", Json()));
    for (const Json& token : json.value("added_tokens", Json::array())) {
      if (!token.is_object() || !token.value("content", Json()).is_string()) {
        throw fail("added_tokens has " + token.dump());
      }
      add_id(token["content"], token.value("id", Json()));
    }
    std::vector<ByteBpe::Merge> merges;
    for (const Json& line : model.value("merges", Json::array())) {
      const bool is_pair =
          line.is_array() && line.size() == 2 && line[0].is_string() && line[1].is_string();
      const std::string text = is_pair
                                   ? line[0].get<std::string>() + " " + line[1].get<std::string>()
                               : line.is_string() ? line.get<std::string>()
                                                  : "";
      const auto merge = parse_merge(text);
      if (!merge) throw fail("merges has " + line.dump());
      merges.push_back(*merge);
    }
    return merges;
  }

  /// The tokens of `ids_` after those of `merged`, in the order of their ids. Throws DataError if
  /// the ids are not those of GPT-2's order.
  std::vector<std::string> checked_added(const ByteBpe& merged) const {
    std::map<int64_t, std::string> left;
    for (const auto& [token, id] : ids_) {
      const bool is_new = left.emplace(id, token).second;
      if (!is_new) throw fail("two tokens have the id " + std::to_string(id));
    }
    for (int32_t id = 0; !left.empty() && id < merged.size(); ++id) {
      const std::string token = to_symbols(merged.token(id));
      const auto found = left.find(id);
      if (found == left.end() || found->second != token) {
        throw fail("the id " + std::to_string(id) + " must be that of the token '" + token +
                   "', as in GPT-2: bytes, merges in their order, added tokens");
      }
      left.erase(found);
    }
    std::vector<std::string> added;
    for (const auto& [id, token] : left) {
      if (id != merged.size() + std::ssize(added)) {
        throw fail("no token has the id " + std::to_string(merged.size() + std::ssize(added)));
      }
      added.push_back(token);
    }
    return added;
  }

  /// A special token, a text or an object with its `content`, if it is an added one.
  static void set_special(const Json& all, const char* key, const std::vector<std::string>& added,
                          std::optional<std::string>& to) {
    Json token = all.value(key, Json());
    if (token.is_object()) token = token.value("content", Json());
    if (!token.is_string()) return;
    const auto text = token.get<std::string>();
    if (std::find(added.begin(), added.end(), text) != added.end()) to = text;
  }

  std::filesystem::path folder_;
  std::string file_;  ///< the file that is read, for messages
  std::unordered_map<std::string, int64_t> ids_;
};

}  // namespace

std::vector<std::string_view> byte_bpe_pretokens(std::string_view text) {
  std::vector<std::string_view> pretokens;
  for (size_t at = 0; at < text.size();) {
    const size_t end = pretoken_end(text, at);
    pretokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return pretokens;
}

ByteBpe::ByteBpe(std::vector<Merge> merges, AddedTokens added)
    : merges_(std::move(merges)), added_(std::move(added)) {
  std::unordered_map<std::string, int32_t> ids;
  for (const int byte : byte_order()) {
    tokens_.emplace_back(1, static_cast<char>(byte));
    ids.emplace(tokens_.back(), static_cast<int32_t>(ids.size()));
  }
  for (size_t rank = 0; rank < merges_.size(); ++rank) {
    const auto& [left, right] = merges_[rank];
    const auto first = ids.find(left), second = ids.find(right);
    const std::string location = "merge " + format_count(static_cast<int64_t>(rank) + 1) + " of '" +
                                 to_symbols(left) + "' and '" + to_symbols(right) + "'";
    if (first == ids.end() || second == ids.end()) {
      throw DataError("byte BPE: " + location + ": '" +
                      to_symbols(first == ids.end() ? left : right) + "' is no token before it");
    }
    if (!ranks_.emplace(pair_key(first->second, second->second), static_cast<int32_t>(rank))
             .second) {
      throw DataError("byte BPE: " + location + " occurs twice");
    }
    const auto [token, is_new] = ids.emplace(left + right, static_cast<int32_t>(tokens_.size()));
    if (is_new) tokens_.push_back(left + right);
    merged_.push_back(token->second);
  }
  for (const std::string& text : added_.texts) {
    const auto is_repeated = [&](const std::string& other) { return other == text; };
    if (text.empty() || std::count_if(added_.texts.begin(), added_.texts.end(), is_repeated) > 1) {
      throw DataError("byte BPE: the added token '" + text +
                      (text.empty() ? "' is empty" : "' occurs twice"));
    }
    tokens_.push_back(text);
  }
  add_special_ids();
  sha256_ = lvtext::sha256(this->text());
}

void ByteBpe::add_special_ids() {
  vocabulary_.size = static_cast<int32_t>(tokens_.size());
  const auto first = vocabulary_.size - static_cast<int32_t>(added_.texts.size());
  const auto set = [&](const std::optional<std::string>& text, std::optional<int32_t>& id) {
    if (!text) return;
    const auto found = std::find(added_.texts.begin(), added_.texts.end(), *text);
    if (found == added_.texts.end()) {
      throw DataError("byte BPE: '" + *text + "' is none of the added tokens");
    }
    id = first + static_cast<int32_t>(found - added_.texts.begin());
  };
  set(added_.bos, vocabulary_.bos);
  set(added_.eos, vocabulary_.eos);
  set(added_.pad, vocabulary_.pad);
}

ByteBpe ByteBpe::train(const std::vector<std::string>& texts, int64_t size, AddedTokens added) {
  const int64_t most = size - kBytes - std::ssize(added.texts);
  if (most < 0) {
    throw ConfigError("byte BPE: a vocabulary of " + format_count(size) +
                      " has no room for 256 bytes and " +
                      format_count(std::ssize(added.texts), "added token"));
  }
  MergeTrainer trainer(texts);
  std::vector<Merge> merges;
  std::vector<std::string> tokens;
  for (const int byte : byte_order()) tokens.emplace_back(1, static_cast<char>(byte));
  std::unordered_map<std::string, int32_t> ids;
  while (std::ssize(tokens) < kBytes + most) {
    const auto pair = trainer.best();
    if (!pair) break;
    const auto [left, right] = *pair;
    merges.emplace_back(tokens[left], tokens[right]);
    const std::string merged = tokens[left] + tokens[right];
    const auto [token, is_new] = ids.emplace(merged, static_cast<int32_t>(tokens.size()));
    trainer.merge(left, right, token->second);
    if (is_new) tokens.push_back(merged);
  }
  return {std::move(merges), std::move(added)};
}

ByteBpe ByteBpe::read_merges(const std::filesystem::path& file, AddedTokens added) {
  std::vector<Merge> merges;
  LineReader lines(file);
  for (std::string line; lines.next(line);) {
    if (line.empty() || (lines.number() == 1 && line.starts_with("#version"))) continue;
    if (const auto merge = parse_merge(line)) {
      merges.push_back(*merge);
    } else {
      throw DataError("'" + file.string() + "', line " + format_count(lines.number()) +
                      ": expected two tokens in byte symbols, separated by a blank");
    }
  }
  return {std::move(merges), std::move(added)};
}

ByteBpe ByteBpe::read_published(const std::filesystem::path& folder) {
  return PublishedByteBpe(folder).read();
}

std::string ByteBpe::text() const {
  nlohmann::ordered_json json = {{"schema", kBpeSchema}, {"added", added_.texts}};
  if (added_.bos) json["bos"] = *added_.bos;
  if (added_.eos) json["eos"] = *added_.eos;
  if (added_.pad) json["pad"] = *added_.pad;
  json["merges"] = nlohmann::json::array();
  for (const auto& [left, right] : merges_) {
    json["merges"].push_back(to_symbols(left) + " " + to_symbols(right));
  }
  return json.dump(1) + "\n";
}

void ByteBpe::save(const std::filesystem::path& file) const {
  write_file_atomic(file, text());
}

ByteBpe ByteBpe::load(const std::filesystem::path& file) {
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  const auto fail = [&] {
    return DataError("'" + file.string() + "' is not a byte BPE vocabulary (" + kBpeSchema + ")");
  };
  try {
    if (json.at("schema") != kBpeSchema) throw fail();
    AddedTokens added{json.at("added").get<std::vector<std::string>>()};
    for (const auto& [key, text] :
         {std::pair{"bos", &added.bos}, {"eos", &added.eos}, {"pad", &added.pad}}) {
      if (json.contains(key)) *text = json.at(key).get<std::string>();
    }
    std::vector<Merge> merges;
    for (const auto& line : json.at("merges").get<std::vector<std::string>>()) {
      const auto merge = parse_merge(line);
      if (!merge) throw fail();
      merges.push_back(*merge);
    }
    return {std::move(merges), std::move(added)};
  } catch (const nlohmann::json::exception&) {
    throw fail();
  }
}

void ByteBpe::encode_pretoken(std::string_view pretoken, TokenIds& ids) const {
  // The tokens as a linked list: `next` is the size behind the last one.
  struct Link {
    int32_t id;
    size_t previous, next;
  };
  const size_t size = pretoken.size();
  std::vector<Link> links;
  for (size_t k = 0; k < size; ++k) {
    links.push_back({id_of_byte()[static_cast<unsigned char>(pretoken[k])], k - 1, k + 1});
  }
  // Pairs by rank and position; those that no longer exist are skipped when they are taken.
  struct Pair {
    int32_t rank;
    size_t at;
    uint64_t key;
    bool operator>(const Pair& other) const {
      return std::pair(rank, at) > std::pair(other.rank, other.at);
    }
  };
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> queue;
  const auto add = [&](size_t at) {
    if (at >= size || links[at].next >= size) return;
    const uint64_t key = pair_key(links[at].id, links[links[at].next].id);
    const auto found = ranks_.find(key);
    if (found != ranks_.end()) queue.push({found->second, at, key});
  };
  for (size_t k = 0; k < size; ++k) add(k);
  std::vector<size_t> changed;
  while (!queue.empty()) {
    // All pairs of the lowest rank are merged before any pair that this makes.
    const int32_t rank = queue.top().rank;
    changed.clear();
    for (; !queue.empty() && queue.top().rank == rank; queue.pop()) {
      const size_t at = queue.top().at, next = links[at].next;
      if (links[at].id < 0 || next >= size ||
          pair_key(links[at].id, links[next].id) != queue.top().key) {
        continue;
      }
      links[at].id = merged_[rank];
      links[at].next = links[next].next;
      if (links[next].next < size) links[links[next].next].previous = at;
      links[next].id = -1;
      changed.push_back(at);
    }
    for (const size_t at : changed) {
      if (links[at].id < 0) continue;
      add(links[at].previous);
      add(at);
    }
  }
  for (size_t k = 0; k < size; k = links[k].next) ids.push_back(links[k].id);
}

TokenIds ByteBpe::encode(std::string_view text) const {
  TokenIds ids;
  const auto first_added = vocabulary_.size - static_cast<int32_t>(added_.texts.size());
  // The next occurrence of each added token, searched again only when it is passed.
  std::vector<size_t> next(added_.texts.size(), 0);
  for (size_t k = 0; k < next.size(); ++k) next[k] = text.find(added_.texts[k]);
  for (size_t from = 0; from < text.size();) {
    // The earliest added token; of those at one position the longest.
    size_t at = text.size();
    std::optional<size_t> found;
    for (size_t k = 0; k < next.size(); ++k) {
      if (next[k] < from) next[k] = text.find(added_.texts[k], from);
      const bool longer = found && added_.texts[k].size() > added_.texts[*found].size();
      if (next[k] < at || (next[k] == at && longer)) {
        at = next[k];
        found = k;
      }
    }
    for (const std::string_view pretoken : byte_bpe_pretokens(text.substr(from, at - from))) {
      encode_pretoken(pretoken, ids);
    }
    if (!found) break;
    ids.push_back(first_added + static_cast<int32_t>(*found));
    from = at + added_.texts[*found].size();
  }
  return ids;
}

const std::string& ByteBpe::token(int32_t id) const {
  LVT_ASSERT(id >= 0 && id < size(), "token id " + std::to_string(id) +
                                         " is out of range; tokens: " + std::to_string(size()));
  return tokens_[id];
}

std::string ByteBpe::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    const std::string& bytes = token(id);
    if (id == vocabulary_.bos || id == vocabulary_.eos || id == vocabulary_.pad) continue;
    text += bytes;
  }
  return text;
}

std::optional<bool> ByteBpe::begins_word(int32_t id) const {
  const std::string& bytes = token(id);
  const Character first = character_at(bytes, 0);
  if (first.is_invalid) return false;  // a part of a character
  return first.category == Category::kSpace || first.category == Category::kOther;
}

}  // namespace lvtext
