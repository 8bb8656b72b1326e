// What nodes that use a trained model share.
#pragma once

#include <string>
#include <vector>

#include "framework/base/error.h"
#include "framework/data/dataset.h"
#include "framework/graph/graph.h"
#include "framework/nodes/train_nodes.h"

namespace lvtext {

/// A capability of a model, or ConfigError: it cannot do `what` ("encode").
template <class Capability>
Capability& serve(const TrainedModel& trained, const char* what) {
  auto* capability = dynamic_cast<Capability*>(trained.model.get());
  if (!capability) throw ConfigError("the model '" + trained.name + "' cannot " + what);
  return *capability;
}

/// A node's cost where its time depends on the model too.
inline nlohmann::json cost_with_model(const Graph& graph, const std::string& trained,
                                      const nlohmann::json& options) {
  const GraphNode& training = graph.at(trained);
  return {{"options", options},
          {"component", training.component},
          {"model", training.options.at("model")}};
}

/// The sentences `from` to `to` - 1 of a text, or as many of them as there are.
inline std::vector<std::vector<int32_t>> sentences_of(const DatasetColumn& corpus, int64_t from,
                                                      int64_t to) {
  std::vector<std::vector<int32_t>> sentences;
  for (int64_t i = from; i < std::min(to, corpus.size()); ++i)
    sentences.push_back(corpus.tokens(i));
  return sentences;
}

}  // namespace lvtext
