// A tokenised corpus as one memory-mapped file, shared between processes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lvtext {

/// Sentences of piece ids without BOS and EOS. File layout (little endian): a header of 96 bytes
/// (magic "LVTPACK1", bytes per id 2 or 4, vocabulary size, sentences, tokens, and the SHA-256 of
/// these four and the payload as 64 hexadecimal digits), then the payload: sentences + 1 offsets
/// (uint64, in tokens) and the ids. Immutable; may be read from many threads.
class PackedCorpus {
 public:
  /// Writes the file atomically. Every id must be in [0, vocab): std::logic_error otherwise.
  static void write(const std::filesystem::path& path,
                    const std::vector<std::vector<int32_t>>& sentences, int32_t vocab);

  /// Maps a file and checks header, bounds, ids and SHA-256. Throws MissingError if it is not
  /// there, or DataError naming the file if it is damaged or not a packed corpus.
  explicit PackedCorpus(const std::filesystem::path& path);
  ~PackedCorpus();
  PackedCorpus(PackedCorpus&&) noexcept;
  PackedCorpus& operator=(PackedCorpus&&) noexcept;

  /// Number of sentences.
  int64_t size() const;
  /// Number of tokens of all sentences.
  int64_t total_tokens() const;
  /// Size of the vocabulary the ids come from.
  int32_t vocab() const;
  /// Number of tokens of sentence `i`.
  int64_t length(int64_t i) const;
  /// Lengths of all sentences.
  std::vector<int64_t> lengths() const;
  /// The ids of sentence `i`.
  std::vector<int32_t> tokens(int64_t i) const;
  /// Copies the ids of sentence `i` to `out`, which has room for length(i) of them.
  template <class T>
  void copy(int64_t i, T* out) const {
    const Ids ids = ids_of(i);
    if (ids.narrow) {
      for (int64_t k = 0; k < ids.count; ++k) out[k] = static_cast<T>(ids.narrow[k]);
    } else {
      for (int64_t k = 0; k < ids.count; ++k) out[k] = static_cast<T>(ids.wide[k]);
    }
  }
  /// SHA-256 of content: the corpus' identity.
  const std::string& sha256() const;

 private:
  /// Where the ids of one sentence lie; exactly one of the pointers is set.
  struct Ids {
    const uint16_t* narrow;
    const uint32_t* wide;
    int64_t count;
  };
  struct Mapping;
  Ids ids_of(int64_t i) const;

  std::unique_ptr<Mapping> mapping_;
};

}  // namespace lvtext
