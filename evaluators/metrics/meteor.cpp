#include "evaluators/metrics/meteor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

constexpr double kExact = 1, kStem = 0.6, kSynonym = 0.8;
constexpr size_t kBeam = 40;
constexpr size_t kNoChoice = std::numeric_limits<size_t>::max();

/// METEOR's function words: those whose relative frequency exceeds 0.001.
bool is_function_word(const std::string& word) {
  static const std::vector<std::string> list = split(
      "\" $ ' 's 't ( ) , - -- -lrb- -rrb- . : ? — ’ “ ” a about after all also an and are as at be "
      "been but by can could first for from had has have he her his i if in into is it its last "
      "more new no not of on one or other out over people s said she so some than that the their "
      "there they this time to two up was we were what when which who will with would year years "
      "you",
      ' ');
  static const std::set<std::string> words(list.begin(), list.end());
  return words.contains(ascii_lower(word));
}

size_t distance(size_t a, size_t b) {
  return a < b ? b - a : a - b;
}

}  // namespace

double meteor_score(std::span<const double> stats, const MeteorParameters& parameters) {
  const double matched = stats[4], chunks = stats[5];
  if (matched == 0) return 0;
  const double precision = stats[0] / stats[1], recall = stats[2] / stats[3];
  const double mean = 1 / ((1 - parameters.alpha) / precision + parameters.alpha / recall);
  const double penalty = parameters.gamma * std::pow(chunks / matched, parameters.beta);
  const double score = mean * (1 - penalty);
  return score > 0 ? score : 0;  // NaN if delta gives all words of a side the weight 0
}

Meteor::Meteor(const MeteorParameters& parameters, bool uses_stems,
               std::shared_ptr<const WordNet> synonyms)
    : parameters_(parameters), uses_stems_(uses_stems), synonyms_(std::move(synonyms)) {}

Meteor::Word Meteor::properties(const std::string& word) {
  const double delta = parameters_.delta;
  return {.stem = uses_stems_ ? stems_.id(stemmer_.stem(word)) : 0,
          .synsets = synonyms_ ? synonyms_->synsets(word) : SynsetIds(),
          .weight = is_function_word(word) ? 1 - delta : delta};
}

TokenIds Meteor::ids(std::string_view sentence) {
  TokenIds ids;
  for (const std::string& word : tokenize_whitespace(sentence)) {
    ids.push_back(words_.id(word));
    if (words_.size() > properties_.size()) properties_.push_back(properties(word));
  }
  return ids;
}

std::vector<std::vector<Meteor::Match>> Meteor::matches(const TokenIds& hypothesis,
                                                        const TokenIds& reference) const {
  std::vector<std::vector<Match>> matches(reference.size());
  const auto add = [&](double weight, const auto& match) {
    for (size_t j = 0; j < reference.size(); ++j) {
      for (size_t i = 0; i < hypothesis.size(); ++i) {
        if (match(hypothesis[i], reference[j])) matches[j].push_back({i, weight});
      }
    }
  };
  add(kExact, [](int32_t a, int32_t b) { return a == b; });
  if (hypothesis == reference) return matches;  // as METEOR
  if (uses_stems_) {
    add(kStem,
        [&](int32_t a, int32_t b) { return a != b && properties_[a].stem == properties_[b].stem; });
  }
  if (synonyms_) {
    add(kSynonym, [&](int32_t a, int32_t b) {
      return a != b && have_common_synset(properties_[a].synsets, properties_[b].synsets);
    });
  }
  return matches;
}

struct Meteor::Path {
  /// Number of matches of equal words. METEOR adds the weights 1 of equal words and 0.5 of others
  /// to an integer, which loses the latter.
  size_t exact = 0;
  size_t chunks = 0;        ///< finished ones
  size_t distance = 0;      ///< sum of |i - j| over matches, see align()
  size_t next = kNoChoice;  ///< position in the hypothesis that would continue the last chunk
  size_t last = kNoChoice;  ///< index of the last choice

  void add(const Match& match) {
    if (match.weight == kExact) ++exact;
    if (next != kNoChoice && next != match.hypothesis) ++chunks;
    next = match.hypothesis + 1;
  }
  void finish_chunk() {
    if (next != kNoChoice) ++chunks;
    next = kNoChoice;
  }
  bool operator<(const Path& other) const {
    return std::tie(other.exact, chunks, distance) < std::tie(exact, other.chunks, other.distance);
  }
};

std::vector<const Meteor::Match*> Meteor::align(const std::vector<std::vector<Match>>& matches,
                                                size_t hypothesis_length) {
  std::vector<size_t> matches_of(hypothesis_length);  // for each word of the hypothesis
  for (const auto& each : matches) {
    for (const Match& match : each) ++matches_of[match.hypothesis];
  }
  // A match chosen for a word that has alternatives. The choices of a path are linked.
  struct Choice {
    size_t reference;  // position
    const Match* match;
    size_t previous;  // index
  };
  std::vector<Choice> choices;
  const auto is_used = [&](const Path& path, size_t hypothesis) {
    size_t k = path.last;
    while (k != kNoChoice && choices[k].match->hypothesis != hypothesis) k = choices[k].previous;
    return k != kNoChoice;
  };
  std::vector<Path> paths(1), extended;
  const auto keep_best = [&] {
    if (paths.size() > 1) std::stable_sort(paths.begin(), paths.end());
    if (paths.size() > kBeam) paths.resize(kBeam);
  };
  std::vector<const Match*> chosen(matches.size(), nullptr);
  for (size_t j = 0; j < matches.size(); ++j) {
    keep_best();
    if (matches[j].size() == 1 && matches_of[matches[j].front().hypothesis] == 1) {
      chosen[j] = &matches[j].front();  // both words have no other match
      for (Path& path : paths) {
        path.add(*chosen[j]);
        path.distance += distance(chosen[j]->hypothesis, j);
      }
      continue;
    }
    extended.clear();
    for (Path& path : paths) {
      for (const Match& match : matches[j]) {
        if (is_used(path, match.hypothesis)) continue;
        extended.push_back(path);
        extended.back().add(match);
        extended.back().last = choices.size();
        choices.push_back({j, &match, path.last});
        // As METEOR: the distance counts for the alternatives after this match, not for itself.
        path.distance += distance(match.hypothesis, j);
      }
      path.finish_chunk();
      extended.push_back(path);
    }
    std::swap(paths, extended);
  }
  keep_best();
  for (Path& path : paths) path.finish_chunk();
  keep_best();
  for (size_t k = paths.front().last; k != kNoChoice; k = choices[k].previous) {
    chosen[choices[k].reference] = choices[k].match;
  }
  return chosen;
}

MeteorStats Meteor::stats(std::string_view hypothesis, std::string_view reference) {
  const TokenIds ours = ids(hypothesis), theirs = ids(reference);
  const auto weight = [&](int32_t id) { return properties_[id].weight; };
  const auto candidates = matches(ours, theirs);
  double our_matches = 0, our_weight = 0, their_matches = 0, their_weight = 0;
  size_t matched = 0, chunks = 0;
  for (const int32_t id : ours) our_weight += weight(id);
  for (const int32_t id : theirs) their_weight += weight(id);
  size_t next = kNoChoice;  // position in the hypothesis that continues a chunk
  const auto chosen = align(candidates, ours.size());
  for (size_t j = 0; j < chosen.size(); ++j) {
    if (!chosen[j]) {
      next = kNoChoice;
      continue;
    }
    const size_t i = chosen[j]->hypothesis;
    our_matches += chosen[j]->weight * weight(ours[i]);
    their_matches += chosen[j]->weight * weight(theirs[j]);
    ++matched;
    if (i != next) ++chunks;
    next = i + 1;
  }
  // A pair whose words all match in one chunk is not fragmented.
  if (chunks == 1 && matched == ours.size() && matched == theirs.size()) chunks = 0;
  return {our_matches,
          our_weight,
          their_matches,
          their_weight,
          static_cast<double>(matched),
          static_cast<double>(chunks)};
}

}  // namespace lvtext
