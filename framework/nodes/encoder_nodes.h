// The sentence encoder of a metric: trained here on records, or read from published weights.
#pragma once

#include <string>

#include "framework/data/records.h"
#include "framework/graph/graph.h"
#include "framework/model/registries.h"
#include "framework/options/options.h"
#include "framework/text/words.h"
#include "trainers/options.h"

namespace lvtext {

/// `encoder: {model: infersent, hidden: 512, data: {set: nli}, train: {stop: 20e}}`.
struct EncoderBlock {
  std::string model = "infersent";
  RecordOptions data;
  WordOptions words;
  std::string vectors, weights;
  Node train = Node::mapping({});
  Node own = Node::mapping({});  ///< the model's own options: every other key (parse_block())

  template <class V>
  void visit(V& v) {
    v.field("model", model, "a model that embeds sentences (`lvtext list models`)", not_empty());
    v.field("data", data, "the records that it is trained on");
    v.field("words", words, "the words that it knows");
    v.field("vectors", vectors,
            "a file of word vectors (GloVe, word2vec): its words, their vectors");
    v.field("weights", weights, "safetensors of a trained encoder; nothing is trained then");
    v.field("train", train, "how it is trained");
    v.check(weights.empty() || !vectors.empty(),
            "published weights were trained on word vectors: give their file as `vectors`");
  }
};

/// Checks names and options; every mistake goes to the errors.
void check_encoder(const Node& encoder, const Registries& registries, Errors& errors,
                   const std::string& path);

/// Names of the nodes that a score needs.
struct EncoderNodes {
  std::string encoder;
  std::string words;
};

/// Adds the encoder and what it is made of, named `name` and further. Training takes seed and
/// device from `train` (the recipe's, shared_train()) and otherwise what InferSent's authors did:
/// gradient descent from 0.1, a fifth of the rate after each validation without gain, until 1e-5 or
/// 20 epochs. `registries` must outlive the graph.
EncoderNodes add_encoder(Graph& graph, const Registries& registries, const std::string& name,
                         const EncoderBlock& block, const Node& train, const DataPlaces& places,
                         const std::string& config);

}  // namespace lvtext
