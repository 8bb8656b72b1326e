// Captions of radiology reports, and their division into splits (Spinks and Moens 2018).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lvtext {

/// The words of the sentences of a text, in lower case. Sentences end at `. ? ! ;` before white
/// space or the end of the text. Words are runs of ASCII letters and digits, joined by single `-`,
/// `'` or `/`, or by a full stop between digits; sentences without words are left out.
std::vector<std::vector<std::string>> report_sentences(const std::string& text);

/// `first` and up to three other captions: those of eleven calls of `next` that differ from all
/// before.
std::vector<std::string> different_captions(std::string first,
                                            const std::function<std::string()>& next);

/// One to four different captions of a report, none if it has no words: the sentences in the order
/// of the report, then in up to eleven random orders. A caption takes the sentences in its order as
/// long as they fit into `max_words`, and leaves out those that do not; if none fits, it is the
/// beginning of the first sentence. A function of the arguments (stream 3 of `seed` and `report`,
/// the number of the report).
std::vector<std::string> report_captions(const std::string& text, uint64_t seed, uint64_t report,
                                         size_t max_words = 30);

/// The split, "train", "valid" or "test", of each of `count` patients in ascending order of their
/// ids: after one permutation (stream 4 of `seed`) the first floor(8 count / 10) are train, the
/// next floor(count / 10) valid, the others test.
std::vector<std::string> patient_splits(size_t count, uint64_t seed);
/// The permutation of patient_splits(): indices of the patients.
std::vector<size_t> patient_order(size_t count, uint64_t seed);

}  // namespace lvtext
