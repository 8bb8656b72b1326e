#include "evaluators/probe/probing_tasks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/datasets/batches.h"
#include "framework/core/text/treebank.h"

namespace lvtext {
namespace {

constexpr size_t kMinLength = 5, kMaxLength = 28;
constexpr int64_t kMinPerClass = 3;  // sentences of a class: one for each part
/// Streams of mix_bits().
constexpr uint64_t kOrderStream = 1, kShiftStream = 2, kPositionStream = 3;

using Words = std::vector<std::string>;

/// A sentence of a class.
struct Labeled {
  std::string text;
  int64_t label;
};

/// The sentences of a text in a random order, one at a time.
class Sentences {
 public:
  Sentences(const std::vector<std::string>& texts, uint64_t seed)
      : texts_(texts), order_(texts.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    const uint64_t key = mix_bits(seed, kOrderStream, 0);
    std::sort(order_.begin(), order_.end(), [key](size_t a, size_t b) {
      return std::pair(mix_bits(key, a, 0), a) < std::pair(mix_bits(key, b, 0), b);
    });
  }

  /// The words of the next one, and its index in the text; nullopt at the end.
  std::optional<std::pair<Words, size_t>> next() {
    while (at_ < order_.size()) {
      const size_t index = order_[at_++];
      Words words = treebank_words(texts_[index]);
      for (std::string& word : words) {
        if (word == "``" || word == "''") word = "\"";
      }
      if (words.size() < kMinLength || words.size() > kMaxLength) continue;
      if (seen_.insert(join(words, " ")).second) return std::pair(std::move(words), index);
    }
    return std::nullopt;
  }

 private:
  const std::vector<std::string>& texts_;
  std::vector<size_t> order_;
  size_t at_ = 0;
  std::unordered_set<std::string> seen_;
};

bool begins_with_letter(const std::string& word) {
  const auto first = static_cast<unsigned char>(word.front());
  return first >= 0x80 || std::isalpha(first) != 0;
}

/// Collects the sentences of each class, as many as the parts need.
class Classes {
 public:
  Classes(int64_t count, const ProbeBuilding& building)
      : sentences_(static_cast<size_t>(count)),
        sizes_({building.train, building.valid, building.test}) {}

  bool needs(int64_t label) const {
    return std::ssize(sentences_[static_cast<size_t>(label)]) < requested(label);
  }
  bool needs_any() const {
    for (int64_t label = 0; label < std::ssize(sentences_); ++label) {
      if (needs(label)) return true;
    }
    return false;
  }
  void add(Labeled sentence) {
    if (!needs(sentence.label)) return;
    sentences_[static_cast<size_t>(sentence.label)].push_back(std::move(sentence.text));
  }
  int64_t size(int64_t label) const { return std::ssize(sentences_[static_cast<size_t>(label)]); }

  /// The task of the classes with enough sentences.
  ProbingTask task() && {
    ProbingTask task;
    for (int64_t label = 0; label < std::ssize(sentences_); ++label) {
      if (size(label) < kMinPerClass) continue;
      const std::array<int64_t, 3> counts = parts_of(label);
      auto next = sentences_[static_cast<size_t>(label)].begin();
      for (int64_t part = 0; part < 3; ++part) {
        for (int64_t k = 0; k < counts[static_cast<size_t>(part)]; ++k) {
          task.texts.push_back(std::move(*next++));
          task.classes.push_back(task.class_count);
          task.parts.push_back(part);
        }
      }
      ++task.class_count;
    }
    return task;
  }

 private:
  /// Sentences of a class in a part that all classes fill.
  int64_t share(size_t part, int64_t label) const {
    const int64_t count = std::ssize(sentences_);
    return std::max<int64_t>(1, sizes_[part] / count + (label < sizes_[part] % count ? 1 : 0));
  }
  int64_t requested(int64_t label) const {
    return share(0, label) + share(1, label) + share(2, label);
  }
  std::array<int64_t, 3> parts_of(int64_t label) const {
    const int64_t found = size(label), all = requested(label);
    const auto scaled = [&](size_t part) {
      return std::max<int64_t>(1, share(part, label) * found / all);
    };
    const int64_t valid = scaled(1), test = scaled(2);
    return {found - valid - test, valid, test};
  }

  std::vector<std::vector<std::string>> sentences_;  ///< by class
  std::array<int64_t, 3> sizes_;
};

int64_t length_class(size_t words) {
  constexpr std::array<size_t, 6> kLast = {8, 12, 16, 20, 25, 28};
  return std::lower_bound(kLast.begin(), kLast.end(), words) - kLast.begin();
}

/// The sentence with two neighboring words exchanged; empty if none can be.
std::string shifted(Words words, uint64_t key) {
  std::vector<size_t> positions;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (begins_with_letter(words[i]) && begins_with_letter(words[i + 1]) &&
        words[i] != words[i + 1]) {
      positions.push_back(i);
    }
  }
  if (positions.empty()) return "";
  const size_t position = positions[key % positions.size()];
  std::swap(words[position], words[position + 1]);
  return join(words, " ");
}

/// Classes of sentences by a rule that depends on one of them.
ProbingTask task_by_sentence(
    const std::vector<std::string>& texts, int64_t count, const ProbeBuilding& building,
    const std::function<std::optional<Labeled>(const Words&, size_t index)>& labeled) {
  Classes classes(count, building);
  Sentences sentences(texts, building.seed);
  while (classes.needs_any()) {
    const auto next = sentences.next();
    if (!next) break;
    if (auto sentence = labeled(next->first, next->second)) classes.add(std::move(*sentence));
  }
  for (int64_t label = 0; label < count; ++label) {
    if (classes.size(label) >= kMinPerClass) continue;
    throw DataError("the text has " + format_count(classes.size(label), "sentence") + " of class " +
                    std::to_string(label) + " of the probing task; at least " +
                    std::to_string(kMinPerClass) + " are needed, one for each part");
  }
  return std::move(classes).task();
}

ProbingTask word_content(const std::vector<std::string>& texts, const ProbeBuilding& building) {
  std::vector<Words> all;
  std::unordered_map<std::string, int64_t> counts;
  Sentences sentences(texts, building.seed);
  while (auto next = sentences.next()) {
    for (const std::string& word : next->first) {
      if (begins_with_letter(word)) ++counts[word];
    }
    all.push_back(std::move(next->first));
  }
  std::vector<std::pair<int64_t, std::string>> ranked;
  for (const auto& [word, count] : counts) ranked.emplace_back(-count, word);
  std::sort(ranked.begin(), ranked.end());
  std::unordered_map<std::string, int64_t> classes_of;
  const int64_t last = std::min(building.first_rank - 1 + building.words, std::ssize(ranked));
  for (int64_t rank = building.first_rank; rank <= last; ++rank) {
    classes_of.emplace(ranked[static_cast<size_t>(rank - 1)].second, std::ssize(classes_of));
  }
  if (classes_of.size() < 2) {
    throw DataError("the text has " + format_count(std::ssize(ranked)) +
                    " different words, too few for words from rank " +
                    format_count(building.first_rank) + "; lower first_rank");
  }
  Classes classes(std::ssize(classes_of), building);
  for (const Words& words : all) {
    int64_t found = 0, label = 0;
    for (const std::string& word : words) {
      const auto known = classes_of.find(word);
      if (known == classes_of.end()) continue;
      ++found;
      label = known->second;
    }
    if (found == 1) classes.add({join(words, " "), label});
  }
  ProbingTask task = std::move(classes).task();
  if (task.class_count >= 2) return task;
  throw DataError("fewer than two of the words from rank " + format_count(building.first_rank) +
                  " are in three sentences without another one of them; lower first_rank");
}

}  // namespace

const std::vector<EnumName<ProbeKind>>& enum_names(ProbeKind) {
  static const std::vector<EnumName<ProbeKind>> names = {
      {"word_content", ProbeKind::kWordContent, "which one of some words the sentence has"},
      {"length", ProbeKind::kLength, "number of words, 6 classes from 5 to 28"},
      {"bigram_shift", ProbeKind::kBigramShift, "whether two neighboring words were exchanged"}};
  return names;
}

ProbingTask built_task(ProbeKind kind, const std::vector<std::string>& texts,
                       const ProbeBuilding& building) {
  if (kind == ProbeKind::kWordContent) return word_content(texts, building);
  if (kind == ProbeKind::kLength) {
    return task_by_sentence(texts, 6, building, [](const Words& words, size_t) {
      return std::optional(Labeled{join(words, " "), length_class(words.size())});
    });
  }
  return task_by_sentence(
      texts, 2, building, [&](const Words& words, size_t index) -> std::optional<Labeled> {
        const std::string other = shifted(words, mix_bits(building.seed, kPositionStream, index));
        if (other.empty()) return std::nullopt;
        const bool is_shifted = mix_bits(building.seed, kShiftStream, index) % 2 == 1;
        return Labeled{is_shifted ? other : join(words, " "), is_shifted ? 1 : 0};
      });
}

ProbingTask given_task(const SplitRecords& splits) {
  ProbingTask task;
  std::vector<std::string> labels;
  int64_t part = 0;
  for (const char* split : {"train", "valid", "test"}) {
    const auto found = splits.find(split);
    if (found == splits.end() || found->second.rows.empty()) {
      throw DataError(std::string("a probing task without `kind` needs records of the split '") +
                      split + "'; to build a task from a text, set kind");
    }
    for (auto& text : found->second.column("text")) task.texts.push_back(std::move(text));
    for (auto& label : found->second.column("label")) labels.push_back(std::move(label));
    task.parts.resize(task.texts.size(), part++);
  }
  const std::set<std::string> names(labels.begin(), labels.end());
  std::map<std::string, int64_t> classes;
  for (const std::string& name : names) classes.emplace(name, std::ssize(classes));
  for (const std::string& label : labels) task.classes.push_back(classes.at(label));
  task.class_count = std::ssize(classes);
  return task;
}

}  // namespace lvtext
