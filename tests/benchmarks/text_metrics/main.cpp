// Processes timed by metrics.py (BLEU and ROUGE from sentences in memory to scores) and meteor.py
// (METEOR from files to scores).
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "evaluators/metrics/bleu.h"
#include "evaluators/metrics/meteor.h"
#include "evaluators/metrics/rouge.h"
#include "evaluators/metrics/tokenize.h"
#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/strings.h"
#include "framework/core/sources/fetch.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

using Lines = std::vector<std::string>;

constexpr double kBlockSeconds = 0.5;

/// Test pairs of sentence-compression-masked: each compression and its sentence.
void prepare(const std::filesystem::path& folder, const std::string& mirror) {
  const Manifest set = load_manifest("sentence-compression-masked", {"data"});
  std::filesystem::create_directories(folder);
  for (const DataFile& file : set.files) {
    if (file.role != "test") continue;
    const Lines lines = read_lines(obtain(set, file, data_locations(mirror)));
    write_file_atomic(folder / (file.field == "sentence" ? "references.txt" : "hypotheses.txt"),
                      join(lines, "\n") + "\n");
  }
}

double seconds(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<TokenIds> tokens_of(const Lines& lines, TokenInterner& interner) {
  std::vector<TokenIds> tokens;
  tokens.reserve(lines.size());
  for (const auto& line : lines) tokens.push_back(interner.ids(line, "whitespace"));
  return tokens;
}

std::vector<NgramStats> stats_of(const Lines& hypotheses, const Lines& references, int threads) {
  TokenInterner interner;
  const auto ours = tokens_of(hypotheses, interner);
  const auto theirs = tokens_of(references, interner);
  return ngram_stats_of_pairs(ours, theirs, 3, threads);
}

using Scores =
    std::vector<std::vector<double>>;  // one list for each score, one number for each pair

Scores corpus_bleu_3(const std::vector<NgramStats>& stats) {
  return {{corpus_bleu(stats, 3)}};
}

Scores sentence_bleu_3(const std::vector<NgramStats>& stats) {
  return {sentence_bleu(stats, 3)};
}

Scores rouge_123(const std::vector<NgramStats>& stats) {
  return {rouge_n_f(stats, 1), rouge_n_f(stats, 2), rouge_n_f(stats, 3)};
}

/// Reads lines "WHAT THREADS" and answers each with times and scores.
void serve(const std::filesystem::path& folder) {
  const Lines hypotheses = read_lines(folder / "hypotheses.txt");
  const Lines references = read_lines(folder / "references.txt");
  const std::map<std::string, Scores (*)(const std::vector<NgramStats>&)> tasks = {
      {"bleu_corpus", corpus_bleu_3}, {"bleu_sentence", sentence_bleu_3}, {"rouge", rouge_123}};
  std::string what;
  for (int threads = 0; std::cin >> what >> threads;) {
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    Scores scores;
    size_t pairs = 0;
    do {  // repeat: a single pass is too short to measure
      scores = tasks.at(what)(stats_of(hypotheses, references, threads));
      pairs += hypotheses.size();
    } while (seconds(CLOCK_MONOTONIC) - wall < kBlockSeconds);
    const nlohmann::ordered_json answer = {{"seconds", seconds(CLOCK_MONOTONIC) - wall},
                                           {"cpu", seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu},
                                           {"pairs", pairs},
                                           {"scores", scores}};
    std::cout << answer.dump() << std::endl;
  }
}

/// Prints the scores of pairs of lines and their aggregate score. `modules`: "exact", "exact stem"
/// or "exact stem synonym".
void score_meteor(const std::filesystem::path& hypotheses, const std::filesystem::path& references,
                  const std::filesystem::path& synonyms, const std::string& modules) {
  const Lines ours = read_lines(hypotheses), theirs = read_lines(references);
  std::shared_ptr<const WordNet> wordnet;
  if (modules.ends_with("synonym")) {
    wordnet = std::make_shared<const WordNet>(WordNet::load(synonyms));
  }
  const MeteorParameters parameters;
  Meteor meteor(parameters, modules != "exact", wordnet);
  std::vector<double> scores;
  MeteorStats sums{};
  for (size_t i = 0; i < ours.size(); ++i) {
    const MeteorStats stats = meteor.stats(ours[i], theirs.at(i));
    scores.push_back(meteor_score(stats, parameters));
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += stats[k];
  }
  const nlohmann::ordered_json answer = {{"scores", scores},
                                         {"aggregate", meteor_score(sums, parameters)}};
  std::cout << answer.dump() << std::endl;
}

}  // namespace
}  // namespace lvtext

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 3 && arguments[0] == "prepare") {
      lvtext::prepare(arguments[1], arguments[2]);
    } else if (arguments.size() == 2 && arguments[0] == "serve") {
      lvtext::serve(arguments[1]);
    } else if (arguments.size() == 5 && arguments[0] == "meteor") {
      lvtext::score_meteor(arguments[1], arguments[2], arguments[3], arguments[4]);
    } else {
      throw lvtext::UsageError(
          "lvtext_metric_benchmarks prepare FOLDER MIRROR | serve FOLDER | "
          "meteor HYPOTHESES REFERENCES SYNONYMS MODULES");
    }
  } catch (const lvtext::Error& error) {
    std::cerr << "lvtext_metric_benchmarks: " << error.what() << "\n";
    return static_cast<int>(error.code());
  }
  return 0;
}
