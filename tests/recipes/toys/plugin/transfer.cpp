// Registers the small style transfer model of the test plug-in as a model of the toys.
#include "transfer.h"

#include "capabilities.h"
#include "framework/core/model/plugin.h"

namespace toys {

/// A style transfer model whose inference supports both directions.
class ToyTransfer : public example::Transfer, public StyleTransfer {
 public:
  using example::Transfer::Transfer;
  lvtext::Tokens transfer(const lvtext::Tokens& sentences, int style) override {
    return transferred(sentences, style);
  }
};

void add_transfer(lvtext::Registries& registries) {
  lvtext::add_model<ToyTransfer, example::TransferOptions>(
      registries, "toy_transfer", "Small style transfer model for non-parallel text",
      {"Shen et al. 2017", "https://arxiv.org/abs/1705.09655"});
}

}  // namespace toys
