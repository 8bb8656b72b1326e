// Published outputs of systems for textual transfer on 1,000 reviews (Li, Jia, He and Liang 2018),
// from a data mirror. The values were computed by multi-bleu.perl and METEOR 1.5.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "evaluators/bleu/bleu_evaluator.h"
#include "evaluators/meteor/meteor_evaluator.h"
#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/yaml.h"
#include "framework/core/statistics/correlation.h"
#include "framework/core/text/lines.h"
#include "framework/core/text/treebank.h"
#include "tests/catch.h"

using namespace lvtext;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

/// The folder of the reviews in the mirror; none without a mirror.
std::optional<fs::path> reviews() {
  const char* mirror = std::getenv("LVTEXT_DATA_MIRROR");
  if (mirror) return fs::path(mirror) / "yelp";
  WARN("not tested: outputs of other systems (LVTEXT_DATA_MIRROR is not set)");
  return std::nullopt;
}

/// A column of the 500 negative and the 500 positive reviews.
Lines column(const fs::path& file, const std::string& extension, size_t index) {
  Lines all;
  for (const char* style : {".0", ".1"}) {
    for (const auto& line : read_lines(file.string() + style + extension)) {
      all.push_back(split(line, '\t').at(index));
    }
  }
  return all;
}

const std::vector<std::string> kSystems = {"CrossAligned",  "MultiDecoder", "StyleEmbedding",
                                           "TemplateBased", "DeleteOnly",   "DeleteAndRetrieve",
                                           "RetrieveOnly"};

double bleu(const std::string& yaml, const Lines& outputs, const std::vector<Lines>& references) {
  std::vector<Text> texts;
  for (const Lines& each : references) texts.emplace_back(each);
  const auto options =
      parse_options_or_throw<BleuOptions>(parse_yaml_or_throw("{max_order: 4, " + yaml + "}"));
  return bleu_scores(options, Text(outputs), texts)[0].value;
}

std::vector<Score> meteor(const std::string& modules, const Lines& outputs,
                          const Lines& references) {
  const auto options =
      parse_options_or_throw<MeteorOptions>(parse_yaml_or_throw("modules: " + modules));
  return meteor_scores(options, Text(outputs), {Text(references)});
}

/// The cells of a line of CSV.
Lines cells(const std::string& line) {
  Lines all(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && line.substr(i + 1, 1) == "\"") {
        all.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      all.emplace_back();
    } else {
      all.back() += line[i];
    }
  }
  return all;
}

std::string key(const std::string& source, const std::string& output) {
  return ascii_lower(std::string(trim(source)) + "\t" + std::string(trim(output)));
}

}  // namespace

TEST_CASE("transfer outputs: BLEU against one rewrite, by its preprocessing", "[evaluators]") {
  const auto folder = reviews();
  if (!folder) return;
  const Lines sources = column(*folder / "li2018" / "reference", ".tsv", 0);
  const Lines rewrites = column(*folder / "li2018" / "reference", ".tsv", 1);
  REQUIRE(sources.size() == 1000);
  size_t words = 0;
  for (const auto& each : rewrites) words += treebank_words(ascii_lower(each)).size();
  CHECK(words == 9429);
  struct Row {
    double raw, lowercase, treebank;
  };
  const std::map<std::string, Row> table = {
      {"untransferred", {24.76, 26.13, 31.40}},     {"CrossAligned", {6.79, 7.44, 9.06}},
      {"MultiDecoder", {11.24, 12.18, 14.50}},      {"StyleEmbedding", {16.65, 17.71, 21.02}},
      {"TemplateBased", {18.02, 19.04, 22.60}},     {"DeleteOnly", {11.47, 12.20, 14.81}},
      {"DeleteAndRetrieve", {12.62, 13.44, 15.99}}, {"RetrieveOnly", {1.30, 1.42, 1.65}}};
  for (const auto& [system, row] : table) {
    INFO(system);
    const Lines outputs =
        system == "untransferred" ? sources : column(*folder / "outputs" / system, ".tsv", 1);
    const auto printed = [](double value) { return Approx(value).margin(0.005).epsilon(0); };
    CHECK(bleu("tokenize: whitespace", outputs, {rewrites}) == printed(row.raw));
    CHECK(bleu("tokenize: whitespace, lowercase: true", outputs, {rewrites}) ==
          printed(row.lowercase));
    CHECK(bleu("tokenize: whitespace, reference_tokenize: treebank, lowercase: true", outputs,
               {rewrites}) == printed(row.treebank));
  }
}

TEST_CASE("transfer outputs: BLEU against four rewrites", "[evaluators]") {
  const auto folder = reviews();
  if (!folder) return;
  const Lines sources = column(*folder / "li2018" / "reference", ".tsv", 0);
  std::vector<Lines> rewrites;
  const double values[] = {31.4336, 40.9622, 40.9225, 41.1447};
  const auto near = [](double value) { return Approx(value).margin(5e-5).epsilon(0); };
  for (int k = 0; k < 4; ++k) {
    rewrites.push_back(column(*folder / "references4" / ("reference" + std::to_string(k)), "", 0));
    CHECK(bleu("tokenize: whitespace", sources, {rewrites.back()}) == near(values[k]));
  }
  CHECK(bleu("tokenize: whitespace", sources, rewrites) == near(64.0529));
  CHECK(bleu("tokenize: whitespace", column(*folder / "outputs" / "UnpairedRL_Xu", ".txt", 0),
             rewrites) == near(37.1132));
}

TEST_CASE("transfer outputs: METEOR against the source, by modules", "[evaluators]") {
  const auto folder = reviews();
  if (!folder) return;
  const Lines sources = column(*folder / "li2018" / "reference", ".tsv", 0);
  struct Row {
    double exact, stem, synonym, aggregate;
  };
  const std::map<std::string, Row> table = {
      {"CrossAligned", {0.219724, 0.220112, 0.225725, 0.212844}},
      {"TemplateBased", {0.387603, 0.387627, 0.388692, 0.389970}},
      {"DeleteAndRetrieve", {0.319580, 0.319869, 0.322817, 0.318870}}};
  const auto near = [](double value) { return Approx(value).margin(5e-7).epsilon(0); };
  for (const auto& [system, row] : table) {
    INFO(system);
    const Lines outputs = column(*folder / "outputs" / system, ".tsv", 1);
    CHECK(meteor("exact", outputs, sources)[0].value == near(row.exact));
    CHECK(meteor("[exact, stem]", outputs, sources)[0].value == near(row.stem));
    if (!fs::exists(kInstalledWordNet)) {
      WARN("not tested: synonyms (the package wordnet-base is not installed)");
      continue;
    }
    const auto scores = meteor("[exact, stem, synonym]", outputs, sources);
    CHECK(scores[0].value == near(row.synonym));
    CHECK(scores[1].value == near(row.aggregate));
  }
}

// Outputs that only the human rewriters wrote are left out.
TEST_CASE("transfer outputs: METEOR correlates with ratings of content", "[evaluators]") {
  const auto folder = reviews();
  if (!folder) return;
  if (!fs::exists(kInstalledWordNet)) {
    WARN("not tested: ratings (the package wordnet-base is not installed)");
    return;
  }
  std::set<std::string> of_systems;
  for (const auto& system : kSystems) {
    const fs::path file = *folder / "outputs" / system;
    const Lines sources = column(file, ".tsv", 0), outputs = column(file, ".tsv", 1);
    for (size_t i = 0; i < sources.size(); ++i) of_systems.insert(key(sources[i], outputs[i]));
  }
  const Lines lines = read_lines(*folder / "li2018" / "ratings-yelp.csv.gz");
  const Lines header = cells(lines.front());
  Lines sources, outputs;
  std::vector<double> ratings;
  for (size_t row = 1; row < lines.size(); ++row) {
    std::map<std::string, std::string> cell;
    const Lines values = cells(lines[row]);
    for (size_t i = 0; i < header.size(); ++i) cell[header[i]] = values.at(i);
    const Lines all_sources = split(cell.at("Input.origs"), '\t');
    const Lines all_outputs = split(cell.at("Input.mods"), '\t');
    for (size_t k = 0; k < all_outputs.size(); ++k) {
      if (!of_systems.contains(key(all_sources[k], all_outputs[k]))) continue;
      const std::string rating = cell.at("Answer.topic-" + std::to_string(k));
      sources.push_back(all_sources[k]);
      outputs.push_back(all_outputs[k]);
      ratings.push_back(std::stod(rating.substr(rating.find('=') + 1)));
    }
  }
  REQUIRE(ratings.size() == 2800);
  const auto scores = meteor("[exact, stem, synonym]", outputs, sources);
  // METEOR 1.5 with the same WordNet; 0.576246 with its own ids of synsets.
  CHECK(*spearman(scores[0].rows.values, ratings) == Approx(0.5761796575).margin(5e-10).epsilon(0));
}
