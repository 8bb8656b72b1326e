// Figure kind `posterior_tsne`: t-SNE plots of posterior samples of selected sentences.
#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/decoding/batching.h"
#include "framework/core/model/registration.h"
#include "framework/core/tensor/philox.h"
#include "framework/pipeline/figures/shared/point_panel_kind.h"

namespace lvtext {
namespace {

struct PosteriorTsneOptions {
  int64_t sentences = 10;
  int64_t draws = 100;
  int64_t seed = 1;
  double perplexity = 30;
  int64_t iterations = 1000;
  double learning_rate = 200;
  double noise = 0.01;

  template <class V>
  void visit(V& v) {
    v.field("sentences", sentences,
            "number of test sentences, selected at random by the seed; each has its own color",
            in_range(1, 10));
    v.field("draws", draws, "number of samples from each sentence's posterior", in_range(1, 500));
    v.field("seed", seed, "seed of the sentence selection, the samples, the layout and the noise",
            at_least(0));
    v.field("perplexity", perplexity,
            "effective number of neighbors in t-SNE, below the number of points", at_least(1));
    v.field("iterations", iterations,
            "number of t-SNE iterations; the first 250 use early exaggeration",
            in_range(1, 100000));
    v.field("learning_rate", learning_rate, "learning rate of t-SNE", Bounds{0, 1e6, true, false});
    v.field("noise", noise,
            "standard deviation of the noise added to plotted points, to separate equal points",
            in_range(0, 1), unit("of an axis' range"));
    v.check(perplexity < static_cast<double>(sentences * draws),
            "perplexity must be below the number of points, sentences times draws");
  }
};

/// Adds noise in proportion to the range of each axis, so that equal points become distinguishable.
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

Node::Entry number(const char* key, double value) {
  return {key, Node::scalar(format_number(value)), {}};
}

Node::Entry number(const char* key, int64_t value) {
  return {key, Node::scalar(std::to_string(value)), {}};
}

class PosteriorTsne : public PointPanelKind {
 public:
  static constexpr int kRevision = 1;
  explicit PosteriorTsne(const PosteriorTsneOptions& options) : options_(options) {}

  std::vector<InputDecl> inputs() const override {
    const Node draws = Node::mapping({{"infer", reference("posterior_draws"), {}},
                                      number("sentences", options_.sentences),
                                      number("draws", options_.draws),
                                      number("seed", options_.seed)});
    const Node layout = Node::mapping({{"infer", reference("tsne_layout"), {}},
                                       number("perplexity", options_.perplexity),
                                       number("iterations", options_.iterations),
                                       number("learning_rate", options_.learning_rate),
                                       number("seed", options_.seed),
                                       {"inputs", Node::mapping({{"draws", draws, {}}}), {}}});
    return {{.name = "layout",
             .help = "two-dimensional embedding of the samples",
             .type = ArtifactType::kTensors,
             .by_default = layout},
            {.name = "text",
             .help = "sentences whose posteriors are sampled",
             .by_default = reference("data.test")}};
  }

  Drawing draw_panel(const Inputs& inputs) const override {
    const auto& tensors = inputs.tensors("layout");
    const Text& text = inputs.text("text");
    const at::Tensor &plane = tensors.at("layout"), &ids = tensors.at("sentence_ids");
    Drawing drawing;
    for (int64_t i = 0; i < ids.numel(); ++i) {
      const int64_t id = ids[i].item<int64_t>();
      if (id < 0 || id >= static_cast<int64_t>(text.size())) {
        throw Error(Exit::kBadData, "sentence " + std::to_string(id) +
                                        " is out of range: the figure's text has " +
                                        std::to_string(text.size()) + " sentences");
      }
      drawing.legend.push_back({id, text.lines()[id]});
    }
    const int64_t draws = plane.size(0) / ids.numel();
    for (int64_t i = 0; i < plane.size(0); ++i) {
      drawing.points.push_back(
          {i / draws, i % draws, plane[i][0].item<double>(), plane[i][1].item<double>(), 0, 0});
    }
    add_noise(drawing.points, options_.noise, options_.seed);
    return drawing;
  }

  std::string note() const override {
    return "Test sentences selected at random with seed " + std::to_string(options_.seed) + ", " +
           std::to_string(options_.draws) +
           " samples from the posterior of each, embedded by t-SNE (perplexity " +
           format_number(options_.perplexity) +
           "); each sentence has its own number and color. Axes have no units. Noise of " +
           format_number(100 * options_.noise) +
           " % of the range of each axis separates equal points.";
  }

 private:
  PosteriorTsneOptions options_;
};

}  // namespace

void register_posterior_tsne(Registries& registries) {
  add_figure<PosteriorTsne, PosteriorTsneOptions>(
      registries, "posterior_tsne",
      "t-SNE plot of posterior samples of test sentences, in one color per sentence",
      {"van der Maaten and Hinton 2008", "https://jmlr.org/papers/v9/vandermaaten08a.html"});
}

}  // namespace lvtext
