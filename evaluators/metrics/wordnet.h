// Synonyms of English words from WordNet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lvtext {

/// Folder of the Debian package wordnet-base.
inline constexpr const char* kInstalledWordNet = "/usr/share/wordnet";

/// Sorted ids of synsets. As in METEOR, an id is the byte offset of the synset in its file, without
/// the part of speech: a few hundred of the 117,000 ids are shared by unrelated synsets of
/// different parts of speech. Debian's WordNet contains corrections that shift offsets, so other
/// synsets share an id there than in METEOR's files (2 of 2,800 pairs of reviews have another
/// score).
using SynsetIds = std::vector<int32_t>;

/// The synsets of the words of WordNet 3.0 (Miller 1995) and the base forms of inflected words.
class WordNet {
 public:
  /// Loads a folder with WordNet's files index.{noun,verb,adj,adv} and {noun,verb,adj,adv}.exc, or
  /// with METEOR's files english.synsets and english.exceptions. Throws MissingError if it has
  /// neither, DataError for a malformed line.
  static WordNet load(const std::filesystem::path& folder);

  /// The synsets of a lower-case word and of its base forms: those listed as exceptions ("mice":
  /// "mouse"), otherwise the first form of METEOR's suffix rules that WordNet contains ("dogs":
  /// "dog").
  SynsetIds synsets(const std::string& word) const;
  /// Number of words that have synsets.
  size_t size() const { return synsets_.size(); }
  /// SHA-256 of the files.
  const std::string& sha256() const { return sha256_; }

 private:
  void add_index(const std::filesystem::path& file, std::string_view text);
  void add_exceptions(const std::filesystem::path& file, std::string_view text);
  void add_meteor_synsets(const std::filesystem::path& file, std::string_view text);
  void add_meteor_exceptions(const std::filesystem::path& file, std::string_view text);
  /// The form of the first suffix rule that gives a word with synsets; empty if there is none.
  std::string base_form(const std::string& word) const;

  std::unordered_map<std::string, SynsetIds> synsets_;
  std::unordered_map<std::string, std::vector<std::string>> bases_;  ///< base forms of exceptions
  std::string sha256_;
};

/// Whether two sets of synsets have a common one.
bool have_common_synset(std::span<const int32_t> a, std::span<const int32_t> b);

}  // namespace lvtext
