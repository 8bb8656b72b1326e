// Registers the small style transfer model of the test plug-in as a model of the toys.
#include "transfer.h"

#include "framework/core/model/plugin.h"

namespace toys {

void add_transfer(lvtext::Registries& registries) {
  lvtext::add_model<example::Transfer, example::TransferOptions>(
      registries, "toy_transfer", "Small style transfer model for non-parallel text",
      {"Shen et al. 2017", "https://arxiv.org/abs/1705.09655"});
}

}  // namespace toys
