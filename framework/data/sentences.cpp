#include "framework/data/sentences.h"

#include <algorithm>
#include <map>

#include "framework/base/error.h"
#include "framework/base/log.h"
#include "framework/base/strings.h"
#include "framework/data/compression_records.h"
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

/// What a recipe says of the splits, whatever the set.
void apply(const DataOptions& options, SplitRules& rules) {
  rules.max_words = options.max_words;
  rules.train_at_most = options.train_at_most;
  rules.seed = options.seed;
  rules.dedupe = options.dedupe.value_or(rules.dedupe);
  rules.remove_test_overlap = options.remove_test_overlap.value_or(rules.remove_test_overlap);
  rules.clean = options.clean.value_or(rules.clean);
  rules.order = options.order.value_or(rules.order);
  if (!options.reverse.empty()) rules.reverse_share = 0;
}

Splits own_splits(const DataOptions& options) {
  const auto lines = [](const std::string& path) {
    return path.empty() ? std::vector<std::string>{} : read_lines(path);
  };
  const std::vector<std::string> train = read_lines(options.train);
  SplitRules rules;
  rules.valid_share = options.valid_share;
  rules.reverse_share = options.reverse_share;
  apply(options, rules);
  rules.test_at_least =
      options.test.empty()
          ? static_cast<int64_t>(options.test_share * static_cast<double>(train.size()))
          : 0;
  Splits splits = make_splits(train, lines(options.test), lines(options.valid), rules);
  for (const auto& [name, sentences] :
       {std::pair{"valid", &splits.valid}, {"test", &splits.test}}) {
    if (!sentences->empty()) continue;
    throw DataError("'" + options.train + "' has " + format_count(splits.counts.pool) +
                    " sentences that can be used, too few to hold some out for data." + name +
                    ": give a longer text, a larger data." + name + "_share, or data." + name +
                    "=FILE");
  }
  return splits;
}

/// The texts of a role's files: those of the field, and of the reverse field where there is one.
struct RoleTexts {
  std::vector<std::string> texts, reverse;
};

void read_text(const Manifest& set, const DataFile& file, const std::string& field,
               const DataPlaces& places, RoleTexts& to) {
  const auto path = obtain(set, file, places);
  std::vector<std::string> fields = {field};
  if (!set.reverse_field.empty() && file.role == "pool") fields.push_back(set.reverse_field);
  std::vector<std::vector<std::string>> texts;
  if (file.format == FileFormat::kCompressionRecords) {
    texts = read_compression_records(path, fields);
  } else {
    texts.push_back(read_lines(path));
  }
  check_lines(file, path, texts.front().size());
  to.texts.insert(to.texts.end(), texts.front().begin(), texts.front().end());
  if (texts.size() > 1) to.reverse.insert(to.reverse.end(), texts[1].begin(), texts[1].end());
}

void check_records(const Manifest& set, const std::string& role, size_t found) {
  const auto wanted = set.records.find(role);
  if (wanted == set.records.end()) return;
  log_info(set.name + ", " + role + ": " + format_count(static_cast<int64_t>(found)) + " records");
  if (static_cast<int64_t>(found) == wanted->second) return;
  throw DataError("data.set=" + set.name + ": the files of the role '" + role + "' have " +
                  format_count(static_cast<int64_t>(found)) + " records together; the set has " +
                  format_count(wanted->second) + ": delete them and fetch them again");
}

Splits file_splits(const DataOptions& options, const Manifest& set, const DataPlaces& places) {
  const std::string field = options.field.empty() ? set.fields.front() : options.field;
  std::map<std::string, RoleTexts> roles;
  for (const DataFile& file : set.files) {
    if (file.holds(field)) read_text(set, file, field, places, roles[file.role]);
  }
  for (const auto& [role, read] : roles) check_records(set, role, read.texts.size());
  SplitRules rules = set.rules;
  apply(options, rules);
  Splits splits =
      make_splits(roles["pool"].texts, roles["test"].texts, roles["valid"].texts, rules);
  if (!set.reverse_field.empty()) {
    use_reverse_text(splits, roles["pool"].reverse, rules);
    if (field == set.reverse_field) return splits;  // which holds the training sentences
    splits.reverse.insert(splits.reverse.end(), splits.train.begin(), splits.train.end());
  }
  return splits;
}

Splits splits_of(const DataOptions& options, const DataPlaces& places,
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
    throw ConfigError("data.field: '" + set.name + "' has no field '" + options.field + "'; " +
                      suggestion(options.field, set.fields));
  }
  return set.is_grammar ? grammar_splits(options, set.grammar) : file_splits(options, set, places);
}

}  // namespace

Splits load_splits(const DataOptions& options, const DataPlaces& places,
                   const std::vector<std::filesystem::path>& folders) {
  Splits splits = splits_of(options, places, folders);
  if (!options.reverse.empty()) {
    use_reverse_text(splits, read_lines(options.reverse),
                     {.max_words = options.max_words, .clean = options.clean.value_or(true)});
  }
  return splits;
}

}  // namespace lvtext
