// Nodes that make text: samples and reconstructions.
#pragma once

#include <string>

#include "framework/graph/graph.h"
#include "framework/model/registries.h"
#include "framework/options/generation.h"

namespace lvtext {

/// `count` sentences from the prior, decoded greedily; ancestral sampling for models without a
/// latent code. The first k do not depend on `count`. Files: dataset.safetensors, text.txt.
std::string add_samples(Graph& graph, const Registries& registries, const std::string& name,
                        const std::string& trained, const std::string& tokenizer, int64_t count,
                        const GenerationOptions& generation, int64_t seed);

/// Which sentences of a pack: of the first `at_most` (0: of all) those from one share to another.
struct SentenceRange {
  int64_t at_most = 0;
  double from_share = 0, to_share = 1;
};

/// Sentences of a pack as they are, as if a model had made them. Same files.
std::string add_sentences(Graph& graph, const std::string& name, const std::string& pack,
                          const std::string& tokenizer, const SentenceRange& range);

/// Every sentence of `test`, decoded greedily from its posterior mean. Same files.
std::string add_reconstructions(Graph& graph, const Registries& registries, const std::string& name,
                                const std::string& trained, const std::string& tokenizer,
                                const std::string& test, const GenerationOptions& generation);

}  // namespace lvtext
