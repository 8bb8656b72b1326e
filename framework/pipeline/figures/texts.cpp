// Figure kind `texts`: tables of texts of rows.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/model/registration.h"
#include "framework/core/options/options.h"
#include "framework/core/statistics/sentence_values.h"
#include "framework/core/text/text_rows.h"
#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/report/svg_file.h"
#include "framework/pipeline/report/table.h"

namespace lvtext {
namespace {

struct TextsOptions {
  Node of = Node::sequence({Node::scalar("outputs")});
  Node row, beside;
  std::vector<Period> checkpoints;
  std::string source;
  int64_t items = 5;

  bool is_of_metric() const { return of.is_scalar(); }

  template <class V>
  void visit(V& v) {
    v.field("of", of,
            "list of names of each row's texts ([outputs]); or one metric without row inputs, to "
            "show the sentences with its largest values");
    v.field("row", row, "row whose texts are shown at several checkpoints; replaces `rows`");
    v.field("checkpoints", checkpoints,
            "with `row`: for each value, the nearest checkpoint that its training keeps is shown");
    v.field("source", source, "with `row`: source sentence whose texts are shown");
    v.field("beside", beside, "with `row`: metrics of the checkpoints, shown beside the texts");
    v.field("items", items, "number of sentences to show", in_range(1, 1000));
    v.check(of.is_scalar() || !of.items().empty(), "of must be a list of names or a metric");
    v.check(row.is_null() || !of.is_scalar(), "with `row`, `of` must be a list of names of texts");
    v.check(row.is_null() || (!checkpoints.empty() && !source.empty()),
            "`row` requires `checkpoints` and `source`");
    v.check(!row.is_null() || (checkpoints.empty() && source.empty() && beside.is_null()),
            "`checkpoints`, `source` and `beside` require `row`");
    v.check(std::all_of(checkpoints.begin(), checkpoints.end(),
                        [](const Period& each) {
                          return each.unit == Period::Unit::kEpochs ||
                                 each.unit == Period::Unit::kUpdates;
                        }),
            "checkpoints must be numbers of updates or epochs, such as 400u or 0.5e");
  }
};

constexpr const char* kSource = "source";
constexpr const char* kText = "text";

class Texts : public FigureKind {
 public:
  static constexpr int kRevision = 1;
  explicit Texts(const TextsOptions& options) : options_(options) {
    if (!options.is_of_metric()) names_ = listed(options.of);
  }

  std::vector<InputDecl> inputs() const override {
    std::vector<InputDecl> inputs;
    if (options_.is_of_metric()) {
      inputs.push_back({.name = kText,
                        .help = "sentences that the metric was computed on",
                        .by_default = reference("data.test")});
      return inputs;
    }
    for (const Node& name : names_) {
      inputs.push_back(
          {.name = name.text(), .help = "texts of a row", .by_default = row_reference(name)});
    }
    InputDecl source{.name = kSource,
                     .help = "source sentences of the texts",
                     .arity = InputDecl::Arity::kOptional};
    if (!options_.row.is_null()) {
      source.arity = InputDecl::Arity::kOne;
      source.by_default = reference(inputs.front().by_default.text() + "." + kSource);
    }
    inputs.push_back(source);
    return inputs;
  }

  FigureNeeds needs() const override {
    if (options_.is_of_metric()) return {.takes_rows = false, .row_free = {options_.of}};
    if (options_.row.is_null()) return {};
    return {
        .rows = {{"", options_.row}}, .metrics = listed(options_.beside), .at_checkpoints = true};
  }

  Figure draw(const FigureData& data) const override {
    if (options_.is_of_metric()) return draw_largest(data);
    return options_.row.is_null() ? draw_rows(data) : draw_checkpoints(data);
  }

 private:
  /// Draws the texts of all rows below each other, for the same source sentences.
  Figure draw_rows(const FigureData& data) const {
    TextTable table{data.title, "", {"item", "row"}, {}};
    TextTable file{"", "", {"item", "row", kSource}, {}};
    for (const Node& name : names_) {
      table.columns.push_back(name.text());
      file.columns.push_back(name.text());
    }
    file.columns.emplace_back("reason");
    std::vector<MissingPart> missing;
    for (const FigureRow* row : data.rows()) {
      if (!row->reason.empty()) missing.push_back({row->label, row->reason});
    }
    for (int64_t item = 0; item < options_.items; ++item) {
      const std::string number = std::to_string(item + 1);
      const auto source = source_of(data, item);
      bool has_any = false;
      std::vector<std::vector<std::string>> shown, written;
      for (const FigureRow* row : data.rows()) {
        std::vector<std::string> line = {number, row->label};
        std::vector<std::string> entry = {number, row->id, source.value_or("")};
        for (const Node& name : names_) {
          const auto text = line_of(row->inputs, name.text(), item);
          has_any = has_any || text.has_value();
          line.push_back(text.value_or(""));
          entry.push_back(text.value_or(""));
        }
        entry.push_back(row->reason);
        shown.push_back(std::move(line));
        written.push_back(std::move(entry));
      }
      if (!has_any && item > 0) break;  // no row has this item
      if (source) {
        std::vector<std::string> line = {number, kSource, *source};
        line.resize(table.columns.size());
        table.rows.push_back(std::move(line));
      }
      table.rows.insert(table.rows.end(), shown.begin(), shown.end());
      file.rows.insert(file.rows.end(), written.begin(), written.end());
    }
    if (names_.size() == 1) table.side_by_side = SideBySide{.label = 1, .keys = {0}};
    return finished(data, "The first sentences of each row, not selected.", std::move(table), file,
                    std::move(missing));
  }

  /// Draws the sentences with the largest values.
  Figure draw_largest(const FigureData& data) const {
    if (!data.reason.empty()) throw ConfigError(data.reason);
    TextTable table{data.title, "", {"metric", "sentence", "value", "text"}, {}};
    std::vector<MissingPart> missing;
    for (const FigureScore& score : data.scores) {
      if (!score.value.value) {
        missing.push_back({score.id, score.value.reason});
        continue;
      }
      const std::vector<double> values = sentence_values(score.score.rows);
      const auto lines = data.inputs.text(kText).lines();
      if (values.size() > lines.size() || values.empty()) {
        const std::string counts = format_count(std::ssize(values), "sentence") +
                                   ", but the text has " + std::to_string(lines.size());
        missing.push_back({score.id, values.empty() ? "the metric has no values per sentence"
                                                    : "the metric has values of " + counts});
        continue;
      }
      std::vector<size_t> order(values.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return values[a] > values[b]; });
      order.resize(std::min(order.size(), static_cast<size_t>(options_.items)));
      for (const size_t i : order) {
        table.rows.push_back({score.id, std::to_string(i), format_number(values[i]), lines[i]});
      }
    }
    const TextTable file = table;
    return finished(data, "The sentences with the largest values; sentence indices start at 0.",
                    std::move(table), file, std::move(missing));
  }

  /// Draws the texts of one source sentence at the checkpoints.
  Figure draw_checkpoints(const FigureData& data) const {
    const FigureRow& row = *data.rows().at(0);
    TextTable table{data.title, "", {"wanted", "updates", "epoch"}, {}};
    for (const Node& name : names_) table.columns.push_back(name.text());
    for (const Node& metric : listed(options_.beside)) table.columns.push_back(metric.text());
    TextTable file = table;
    file.columns.emplace_back("reason");
    std::vector<MissingPart> missing;
    if (row.checkpoints.empty()) missing.push_back({row.label, row.no_checkpoints});
    for (const Period& requested : options_.checkpoints) {
      if (row.checkpoints.empty()) break;
      const FigureCheckpoint& each = nearest_to(row.checkpoints, requested);
      const auto index = source_index(each.inputs);
      const std::string step = std::to_string(each.step);
      std::vector<std::string> line = {requested.text(), step, significant(each.epoch, 3)};
      std::vector<std::string> entry = {requested.text(), step, format_number(each.epoch)};
      std::string reason;
      for (const Node& name : names_) {
        const auto text = index ? line_of(each.inputs, name.text(), *index) : std::nullopt;
        line.push_back(text.value_or(""));
        entry.push_back(text.value_or(""));
        if (text) continue;
        reason =
            index ? "no text for this sentence" : "the source text does not contain this sentence";
        missing.push_back({requested.text() + ", " + name.text(), reason});
      }
      for (const FigureValue& value : each.values) {
        line.push_back(value.value ? significant(*value.value, 4) : "");
        entry.push_back(value.value ? format_number(*value.value) : "");
        if (!value.value) missing.push_back({requested.text(), value.reason});
      }
      entry.push_back(reason);
      table.rows.push_back(std::move(line));
      file.rows.push_back(std::move(entry));
    }
    return finished(data, row.label + ": " + options_.source, std::move(table), file,
                    std::move(missing));
  }

  static const FigureCheckpoint& nearest_to(const std::vector<FigureCheckpoint>& all,
                                            const Period& requested) {
    const auto distance = [&](const FigureCheckpoint& each) {
      return std::abs(
          (requested.unit == Period::Unit::kEpochs ? each.epoch : static_cast<double>(each.step)) -
          requested.amount);
    };
    return *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return distance(a) < distance(b);
    });
  }

  std::optional<int64_t> source_index(const Inputs& inputs) const {
    if (!inputs.has(kSource)) return std::nullopt;
    const auto lines = inputs.text(kSource).lines();
    const auto found = std::find(lines.begin(), lines.end(), options_.source);
    if (found == lines.end()) return std::nullopt;
    return found - lines.begin();
  }

  /// The text of an item; several texts of a row, such as the turns of a conversation, are lines.
  static std::optional<std::string> line_of(const Inputs& inputs, const std::string& name,
                                            int64_t item) {
    if (!inputs.has(name)) return std::nullopt;
    if (inputs.rows(name).empty()) {
      const auto lines = inputs.text(name).lines();
      return item < std::ssize(lines) ? std::optional(lines[item]) : std::nullopt;
    }
    const auto rows = row_texts(inputs.text(name), inputs.rows(name));
    return item < std::ssize(rows) ? std::optional(rows[item]) : std::nullopt;
  }

  /// Returns the source sentence from the first row that has one.
  static std::optional<std::string> source_of(const FigureData& data, int64_t item) {
    for (const FigureRow* row : data.rows()) {
      if (auto source = line_of(row->inputs, kSource, item)) return source;
    }
    return std::nullopt;
  }

  static Figure finished(const FigureData& data, const std::string& note, TextTable table,
                         const TextTable& file, std::vector<MissingPart> missing) {
    table.note = note;
    return {.title = data.title,
            .note = note,
            .file = data.file,
            .svg = svg_file(data.title, note, {text_part(table)}, 1, missing),
            .csv = text_csv(file),
            .texts = std::move(table),
            .missing = std::move(missing)};
  }

  TextsOptions options_;
  std::vector<Node> names_;
};

}  // namespace

void register_texts(Registries& registries) {
  add_figure<Texts, TextsOptions>(
      registries, "texts", "Texts of rows side by side, or of one row at several checkpoints", {});
}

}  // namespace lvtext
