#include "framework/experiment/report_figures.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/base/strings.h"
#include "framework/decoding/batching.h"
#include "framework/nodes/component_nodes.h"
#include "framework/nodes/data_nodes.h"
#include "framework/tensor/philox.h"

namespace lvtext {
namespace {

/// Adds noise in proportion to the range of each axis: equal points become a visible cloud.
void add_noise(std::vector<FigurePoint>& points, double deviation, int64_t seed) {
  const NoiseKey key{static_cast<uint64_t>(seed), 0, 0, noise_use("figure.noise")};
  const auto count = static_cast<int64_t>(points.size());
  const std::vector<double> noise =
      to_doubles(normal(key, at::arange(count), {2}, at::kDouble).flatten());
  const auto [left, right] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  const auto [low, high] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
  const double width = right->x - left->x, height = high->y - low->y;
  for (int64_t i = 0; i < count; ++i) {
    points[i].shown_x = points[i].x + deviation * width * noise[2 * i];
    points[i].shown_y = points[i].y + deviation * height * noise[2 * i + 1];
  }
}

/// The place of a sentence in the legend, where it is added if it is new.
int64_t legend_place(Figure& figure, int64_t id, const std::vector<std::string>& test) {
  for (size_t i = 0; i < figure.legend.size(); ++i) {
    if (figure.legend[i].id == id) return static_cast<int64_t>(i);
  }
  figure.legend.push_back({id, test.at(id)});
  return static_cast<int64_t>(figure.legend.size()) - 1;
}

Figure figure_of(const ExperimentFigure& planned, const GraphStatus& status,
                 const std::vector<std::string>& test) {
  const FigureOptions& options = planned.options;
  Figure figure;
  figure.title = options.title.empty() ? planned.id : options.title;
  figure.file = planned.id + "-seed" + std::to_string(options.seed);
  for (const auto& each : planned.panels) {
    FigurePanel panel{each.row, each.label, each.reason, {}};
    if (!each.layout.empty() && status.at(each.layout).state != NodeState::kFinished) {
      panel.reason = failure_of(status, each.layout);
    } else if (!each.layout.empty() && test.empty()) {
      panel.reason = "the test sentences cannot be read";
    } else if (!each.layout.empty()) {
      const auto tensors = read_tensors(status.at(each.layout).folder);
      const at::Tensor &plane = tensors.at("layout"), &ids = tensors.at("sentence_ids");
      const int64_t draws = plane.size(0) / ids.numel();
      for (int64_t i = 0; i < plane.size(0); ++i) {
        const int64_t place = legend_place(figure, ids[i / draws].item<int64_t>(), test);
        panel.points.push_back(
            {place, i % draws, plane[i][0].item<double>(), plane[i][1].item<double>(), 0, 0});
      }
      add_noise(panel.points, options.noise, options.seed);
    }
    figure.panels.push_back(std::move(panel));
  }
  figure.note = "Test sentences drawn by seed " + std::to_string(options.seed) + ", " +
                std::to_string(options.draws) +
                " draws of each one's posterior, laid out by t-SNE (perplexity " +
                format_number(options.perplexity) +
                "); one number and colour for each sentence. Axes have no units. Noise of " +
                format_number(100 * options.noise) +
                " % of an axis' range shows points that are equal.";
  return figure;
}

}  // namespace

std::vector<Figure> figures_of(const Experiment& experiment, const GraphStatus& status,
                               const std::vector<std::string>& test) {
  std::vector<Figure> figures;
  for (const auto& figure : experiment.figures) figures.push_back(figure_of(figure, status, test));
  return figures;
}

std::vector<TextTable> latent_tables(const Experiment& experiment, const GraphStatus& status,
                                     const std::vector<std::string>& test) {
  if (test.empty()) return {};
  const LatentSpaceOptions& options = experiment.recipe.options.latent_space;
  TextTable ways{"Interpolations",
                 "text decoded along the way between the codes of two test sentences, the first "
                 "ones: along the sphere where codes lie on one, else straight",
                 {"row", "pair", "way", "text"},
                 {},
                 "interpolations.csv"};
  TextTable near{"Nearest neighbours",
                 "of the first test sentences among all of them, by their codes: 1 - cosine where "
                 "codes lie on a sphere, else Euclidean distance",
                 {"row", "sentence", "distance", "neighbour"},
                 {},
                 "neighbours.csv"};
  const auto finished = [&status](const std::string& node) {
    return !node.empty() && status.at(node).state == NodeState::kFinished;
  };
  for (const auto& row : experiment.rows) {
    if (finished(row.interpolations)) {
      const auto lines = read_text(status.at(row.interpolations).folder);
      for (size_t i = 0; i < lines.size(); ++i) {
        const size_t pair = i / options.steps, step = i % options.steps;
        const std::string number = std::to_string(pair + 1);
        if (step == 0) ways.rows.push_back({row.label, number, "from", test.at(2 * pair)});
        ways.rows.push_back(
            {row.label, number,
             fixed(static_cast<double>(step) / static_cast<double>(options.steps - 1), 2),
             lines[i]});
        if (static_cast<int64_t>(step) == options.steps - 1) {
          ways.rows.push_back({row.label, number, "to", test.at(2 * pair + 1)});
        }
      }
    }
    if (finished(row.neighbours)) {
      const auto tensors = read_tensors(status.at(row.neighbours).folder);
      const at::Tensor &places = tensors.at("neighbours"), &distances = tensors.at("distances");
      for (int64_t i = 0; i < places.size(0); ++i) {
        for (int64_t k = 0; k < places.size(1); ++k) {
          near.rows.push_back({row.label, test.at(i), fixed(distances[i][k].item<double>(), 4),
                               test.at(places[i][k].item<int64_t>())});
        }
      }
    }
  }
  std::vector<TextTable> tables;
  for (TextTable* table : {&ways, &near}) {
    if (!table->rows.empty()) tables.push_back(std::move(*table));
  }
  return tables;
}

}  // namespace lvtext
