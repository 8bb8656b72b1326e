// Figure kind `word_probabilities`: the words of lines with the probabilities that policies give.
#include <algorithm>

#include "framework/core/base/counts.h"
#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/options.h"
#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/heat_map.h"
#include "framework/pipeline/report/table.h"

namespace lvtext {
namespace {

constexpr const char* kLines = "lines";
constexpr const char* kWords = "words";
constexpr const char* kDivergence = "divergence";

struct WordProbabilitiesOptions {
  int64_t items = 2;
  Node labels;
  int64_t decimals = 4;

  template <class V>
  void visit(V& v) {
    v.field("items", items, "number of lines to show, from the first", in_range(1, 1000));
    v.field("labels", labels, "policy: label of its row");
    v.field("decimals", decimals, "decimals of the probabilities", in_range(1, 8));
    v.check(labels.is_null() || labels.is_mapping(), "labels must be a mapping, policy: label");
  }
};

/// A map for each line of a result of `disagreements`: a column for each of its words, a row for
/// each policy.
class WordProbabilities : public FigureKind {
 public:
  static constexpr int kRevision = 1;
  explicit WordProbabilities(const WordProbabilitiesOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    return {{.name = kLines,
             .help = "lines with their words and probabilities, a result of `disagreements`",
             .type = ArtifactType::kDataset}};
  }
  FigureNeeds needs() const override { return {.takes_rows = false}; }

  Figure draw(const FigureData& data) const override {
    if (!data.reason.empty()) throw ConfigError(data.reason);
    const Dataset dataset = data.inputs.dataset(kLines);
    const Text line_text = data.inputs.text(kLines, "text");
    const Text word_text = data.inputs.text(kLines, kWords);
    const auto lines = line_text.lines(), all_words = word_text.lines();
    const DatasetColumn& words = dataset.column(kWords);
    const std::vector<std::string> policies = policies_of(dataset);
    Figure figure{.title = data.title, .file = data.file, .style = heat_map_style()};
    figure.csv = "line,divergence,word,policy,probability\n";
    TextTable table{data.title, "", {"line", "divergence", "text"}, {}};
    std::vector<SvgPart> parts;
    size_t first = 0;  // first word of the line
    for (int64_t line = 0; line < std::min(dataset.size(), options_.items); ++line) {
      const auto count = static_cast<size_t>(words.items(line));
      float divergence = 0;
      dataset.column(kDivergence).copy(line, 0, &divergence);
      HeatMap map{.title = collapse_white_space(lines[line]),
                  .columns = {},
                  .decimals = static_cast<int>(options_.decimals)};
      for (size_t w = 0; w < count; ++w) {
        map.columns.push_back(collapse_white_space(all_words[first + w]));
      }
      for (const std::string& policy : policies) {
        map.rows.push_back(label_of(policy));
        std::vector<HeatCell>& cells = map.cells.emplace_back();
        for (size_t w = 0; w < count; ++w) {
          float p = 0;
          dataset.column(policy).copy(line, static_cast<int64_t>(w), &p);
          cells.push_back({p, ""});
          figure.csv += std::to_string(line + 1) + "," + significant(divergence, 6) + "," +
                        escape_csv(map.columns[w]) + "," + escape_csv(policy) + "," +
                        significant(p, 6) + "\n";
        }
      }
      map.description = "Probabilities of " + format_count(std::ssize(map.columns), "word") +
                        " under each of the policies";
      table.rows.push_back({std::to_string(line + 1), fixed(divergence, 4), map.title});
      parts.push_back(heat_map_part(map));
      figure.html += "<p>" + escape_html(std::to_string(line + 1) + ": " + map.title) + "</p>\n" +
                     svg_in_page(parts.back());
      first += count;
    }
    if (parts.empty()) {
      throw DataError(
          "no line of the text has min_words to max_words words and both ends in one block");
    }
    figure.note =
        "The lines with the largest divergence: the mean over their tokens of the generalized "
        "Jensen-Shannon divergence of the policies, in nats. A word of several tokens has the "
        "product of their probabilities.";
    figure.svg = svg_file(data.title, figure.note, parts, 1, {}, heat_map_style());
    figure.texts = std::move(table);
    return figure;
  }

 private:
  /// The columns of probabilities, one number for each word.
  static std::vector<std::string> policies_of(const Dataset& dataset) {
    std::vector<std::string> names;
    for (const DatasetColumn& column : dataset.columns()) {
      const ColumnDecl& decl = column.decl();
      if (decl.kind == ColumnKind::kNumber && decl.ragged) names.push_back(decl.name);
    }
    return names;
  }

  std::string label_of(const std::string& policy) const {
    const Node* label = options_.labels.is_mapping() ? options_.labels.find(policy) : nullptr;
    return label ? label->text() : policy;
  }

  WordProbabilitiesOptions options_;
};

}  // namespace

void register_word_probabilities(Registries& registries) {
  add_figure<WordProbabilities, WordProbabilitiesOptions>(
      registries, "word_probabilities",
      "Words of lines with the probabilities that token policies give them", {});
}

}  // namespace lvtext
