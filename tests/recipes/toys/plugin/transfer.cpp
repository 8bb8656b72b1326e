// Registers the style transfer in small, which the test plug-in has, as a model of the toys.
#include "transfer.h"

#include "capabilities.h"
#include "framework/core/model/plugin.h"

namespace toys {

/// A style transfer that inference can ask for the other style of either.
class ToyTransfer : public example::Transfer, public StyleTransfer {
 public:
  using example::Transfer::Transfer;
  lvtext::Tokens transfer(const lvtext::Tokens& sentences, int style) override {
    return transferred(sentences, style);
  }
};

void add_transfer(lvtext::Registries& registries) {
  lvtext::add_model<ToyTransfer, example::TransferOptions>(
      registries, "toy_transfer", "Style transfer without pairs in small",
      {"Shen et al. 2017", "https://arxiv.org/abs/1705.09655"});
}

}  // namespace toys
