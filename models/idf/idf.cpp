#include "models/idf/idf.h"

#include <ATen/ATen.h>

#include <set>

#include "framework/core/model/registration.h"

namespace lvtext {

std::vector<InputDecl> Idf::inputs(const NoOptions&) {
  return {{.name = "data",
           .help = "text whose sentences are counted",
           .by_default = reference("data.train")}};
}

Idf::Idf(const NoOptions&, const ModelInputs& inputs)
    : vocabulary_(inputs.vocabulary("data", "text")),
      weights_(register_buffer("weights", at::zeros({vocabulary_.size}, at::kDouble))) {}

void Idf::fit(const Inputs& inputs, const Notify&) {
  const Text& text = inputs.text("data");
  at::Tensor sentences = at::zeros({vocabulary_.size}, at::kDouble);
  double* count = sentences.mutable_data_ptr<double>();
  for (const TokenIds& sentence : text.ids()) {
    for (const int32_t id : std::set<int32_t>(sentence.begin(), sentence.end())) count[id] += 1;
  }
  for (const auto& id : {vocabulary_.bos, vocabulary_.eos, vocabulary_.pad, vocabulary_.unk}) {
    if (id) count[*id] = 0;
  }
  const at::Tensor idf = at::log(static_cast<double>(text.size()) / sentences);
  weights_.copy_(at::where(sentences > 0, idf, at::full_like(idf, -1)));
}

void register_idf(Registries& registries) {
  add_fit<Idf, NoOptions>(registries, "idf", "Inverse sentence frequencies of tokens",
                          {"Sparck Jones 1972", "https://doi.org/10.1108/eb026526"});
}

}  // namespace lvtext
