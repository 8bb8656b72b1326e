// Probing tasks: sentences whose labels are properties of their form (Conneau et al. 2018).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/datasets/records.h"
#include "framework/core/model/inputs.h"
#include "framework/core/options/options.h"

namespace lvtext {

enum class ProbeKind { kWordContent, kLength, kBigramShift };
const std::vector<EnumName<ProbeKind>>& enum_names(ProbeKind);

/// How a task is built from a text.
struct ProbeBuilding {
  int64_t train = 100000, valid = 10000, test = 10000;  ///< numbers of sentences
  int64_t words = 1000;                                 ///< number of words of kWordContent
  int64_t first_rank = 2001;                            ///< first rank of these words, by frequency
  uint64_t seed = 1111;
};

/// Sentences with classes, divided into parts.
struct ProbingTask {
  std::vector<std::string> texts;
  std::vector<int64_t> classes;
  std::vector<int64_t> parts;  ///< 0 training, 1 validation, 2 test
  int64_t class_count = 0;
};

/// Builds a task from the sentences of a text. A sentence is the words of a text by the Penn
/// Treebank's rules, joined by blanks, with straight quotes; those of 5 to 28 words are used, each
/// once, in a random order. Each part has equal numbers of sentences of all classes (up to one); a
/// class that lacks sentences has fewer of each part. No sentence is in two parts.
///
/// kLength: 6 classes, 5-8, 9-12, 13-16, 17-20, 21-25 and 26-28 words. kWordContent: the word that
/// the sentence has, and has once, of `words` words with ranks from `first_rank` by frequency in
/// these sentences; words with fewer than three sentences are left out. kBigramShift: whether two
/// neighboring words were exchanged (class 1); both begin with a letter and differ, and sentences
/// without such words are left out. Throws DataError if a class of length or shift has fewer than
/// three sentences, or there are fewer than two words.
ProbingTask built_task(ProbeKind kind, const std::vector<std::string>& texts,
                       const ProbeBuilding& building);

/// The task of published records with the fields `label` and `text` and the splits train, valid and
/// test. Classes are the labels in alphabetical order. Throws DataError if a field or a split is
/// missing.
ProbingTask given_task(const SplitRecords& splits);

}  // namespace lvtext
