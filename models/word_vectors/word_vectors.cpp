#include "models/word_vectors/word_vectors.h"

#include <ATen/ATen.h>

#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"

namespace lvtext {

FileVectors::FileVectors(const NoOptions&, const ModelInputs&)
    : vectors_(register_module("words", std::make_shared<torch::nn::Module>())
                   ->register_buffer("weight", at::zeros({0, 0}))) {}

void FileVectors::fit(const Inputs&, const Notify&) {
  LVT_ASSERT(false, "word_vectors is imported, not fitted");
}

void register_word_vectors(Registries& registries) {
  add_fit<FileVectors, NoOptions>(
      registries, "word_vectors", "Word vectors of a file, such as GloVe; only for `import`",
      {"Pennington, Socher and Manning 2014", "https://aclanthology.org/D14-1162"});
}

}  // namespace lvtext
