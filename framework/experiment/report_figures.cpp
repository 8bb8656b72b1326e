#include "framework/experiment/report_figures.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/base/strings.h"
#include "framework/figures/figure_kind.h"
#include "framework/nodes/component_nodes.h"
#include "framework/nodes/data_nodes.h"

namespace lvtext {
namespace {

/// The place of a sentence in the legend, where it is added if it is new.
int64_t legend_place(Figure& figure, const FigureSentence& sentence) {
  for (size_t i = 0; i < figure.legend.size(); ++i) {
    if (figure.legend[i].id == sentence.id) return static_cast<int64_t>(i);
  }
  figure.legend.push_back(sentence);
  return static_cast<int64_t>(figure.legend.size()) - 1;
}

/// The first node that is needed and not finished; empty if all are.
std::string missing_node(const FilledInputs& inputs, const GraphStatus& status) {
  for (const auto& [input, fillings] : inputs) {
    for (const NodePart& filling : fillings) {
      for (const auto& node : filling.nodes()) {
        if (status.at(node).state != NodeState::kFinished) return node;
      }
    }
  }
  return "";
}

/// Draws a panel, or says why it cannot be drawn.
void draw(const Experiment& experiment, const ExperimentFigure& planned, const FilledInputs& inputs,
          const GraphStatus& status, const Registries& registries, Figure& figure,
          FigurePanel& panel) {
  const std::string missing = missing_node(inputs, status);
  if (!missing.empty()) {
    panel.reason = failure_of(status, missing);
    return;
  }
  Drawing drawing;
  try {
    drawing = planned.kind.figure->draw(
        read_filled(experiment.graph, status, registries, planned.kind.inputs, inputs));
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    panel.reason = error.what();
    return;
  }
  panel.points = std::move(drawing.points);
  for (FigurePoint& point : panel.points) {
    point.sentence = legend_place(figure, drawing.legend.at(point.sentence));
  }
}

Figure figure_of(const Experiment& experiment, const ExperimentFigure& planned,
                 const GraphStatus& status, const Registries& registries) {
  Figure figure;
  figure.title = planned.title.empty() ? planned.id : planned.title;
  const Node* seed = planned.kind.options.find("seed");
  figure.file = planned.id + (seed ? "-seed" + seed->text() : "");
  figure.note = planned.kind.figure->note();
  for (const auto& each : planned.panels) {
    FigurePanel panel{each.row, each.label, each.reason, {}};
    if (panel.reason.empty()) {
      draw(experiment, planned, each.inputs, status, registries, figure, panel);
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace

std::vector<Figure> figures_of(const Experiment& experiment, const GraphStatus& status,
                               const Registries& registries) {
  std::vector<Figure> figures;
  for (const auto& figure : experiment.figures) {
    figures.push_back(figure_of(experiment, figure, status, registries));
  }
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
