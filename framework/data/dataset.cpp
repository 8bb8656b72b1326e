#include "framework/data/dataset.h"

#include <algorithm>

#include "framework/base/error.h"
#include "framework/base/strings.h"
#include "framework/data/grammar.h"
#include "framework/text/lines.h"

namespace lvtext {
namespace {

std::vector<std::string> draw(const DataOptions& options, const GrammarDraw& sizes, int64_t count,
                              uint64_t& index) {
  std::vector<std::string> sentences;
  sentences.reserve(count);
  // A limit that no sentence meets must not draw for ever.
  const Grammar& grammar = Grammar::news();
  if (options.max_words > 0 && options.max_words < grammar.min_words()) {
    throw ConfigError("data.max_words=" + std::to_string(options.max_words) +
                      ": the embedded sentences have at least " +
                      std::to_string(grammar.min_words()) + " words");
  }
  while (static_cast<int64_t>(sentences.size()) < count) {
    std::string text = grammar.sample(sizes.seed + options.seed, index++).text;
    if (options.max_words == 0 || count_words(text) <= options.max_words) {
      sentences.push_back(std::move(text));
    }
  }
  return sentences;
}

/// Independent draws: the splits follow one distribution, and may share sentences.
Splits grammar_splits(const DataOptions& options, const GrammarDraw& sizes) {
  Splits splits;
  uint64_t index = 0;
  splits.valid = draw(options, sizes, sizes.valid, index);
  splits.test = draw(options, sizes, sizes.test, index);
  splits.reverse = draw(options, sizes, sizes.reverse, index);
  const int64_t train =
      options.train_at_most > 0 ? std::min(options.train_at_most, sizes.train) : sizes.train;
  splits.train = draw(options, sizes, train, index);
  splits.counts.lines = splits.counts.pool = train + sizes.reverse + sizes.valid;
  splits.counts.test_given = sizes.test;
  return splits;
}

Splits own_splits(const DataOptions& options) {
  const auto lines = [](const std::string& path) {
    return path.empty() ? std::vector<std::string>{} : read_lines(path);
  };
  const std::vector<std::string> train = read_lines(options.train);
  SplitRules rules;
  rules.max_words = options.max_words;
  rules.valid_share = options.valid_share;
  rules.reverse_share = options.reverse_share;
  rules.train_at_most = options.train_at_most;
  rules.seed = options.seed;
  rules.test_at_least =
      options.test.empty()
          ? static_cast<int64_t>(options.test_share * static_cast<double>(train.size()))
          : 0;
  Splits splits = make_splits(train, lines(options.test), lines(options.valid), rules);
  for (const auto& [name, sentences] : {std::pair{"valid", &splits.valid}, {"test", &splits.test}}) {
    if (!sentences->empty()) continue;
    throw DataError("'" + options.train + "' has " + format_count(splits.counts.pool) +
                    " sentences that can be used, too few to hold some out for data." + name +
                    ": give a longer text, a larger data." + name + "_share, or data." + name +
                    "=FILE");
  }
  return splits;
}

Splits file_splits(const DataOptions& options, const Manifest& set, const DataPlaces& places) {
  const std::string field = options.field.empty() ? set.fields.front() : options.field;
  std::vector<std::string> pool, valid, test;
  for (const DataFile& file : set.files) {
    if (file.field != field) continue;
    const auto path = obtain(set, file, places);
    std::vector<std::string> lines = read_lines(path);
    if (file.lines > 0 && static_cast<int64_t>(lines.size()) != file.lines) {
      throw DataError("'" + path.string() + "' has " + format_count(lines.size()) +
                      " lines; its manifest says " + format_count(file.lines));
    }
    auto& to = file.role == "test" ? test : file.role == "valid" ? valid : pool;
    to.insert(to.end(), lines.begin(), lines.end());
  }
  SplitRules rules = set.rules;
  rules.max_words = options.max_words;
  rules.train_at_most = options.train_at_most;
  rules.seed = options.seed;
  return make_splits(pool, test, valid, rules);
}

}  // namespace

Splits load_splits(const DataOptions& options, const DataPlaces& places,
                   const std::vector<std::filesystem::path>& folders) {
  if (!options.train.empty()) return own_splits(options);
  const Manifest set = load_manifest(options.set, folders);
  if (set.is_records) {
    throw ConfigError("data.set: '" + set.name + "' holds records of several fields (" +
                      join(set.fields) + "), not sentences; a sentence encoder is trained on it " +
                      "(`encoder: {data: {set: " + set.name + "}}` of a metric)");
  }
  if (!options.field.empty() &&
      std::find(set.fields.begin(), set.fields.end(), options.field) == set.fields.end()) {
    const auto near = nearest(options.field, set.fields);
    throw ConfigError("data.field: '" + set.name + "' has no field '" + options.field +
                      "'; it has " + join(set.fields) +
                      (near ? " (did you mean '" + *near + "'?)" : ""));
  }
  return set.is_grammar ? grammar_splits(options, set.grammar) : file_splits(options, set, places);
}

}  // namespace lvtext
