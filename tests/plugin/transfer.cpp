#include "transfer.h"

#include "framework/core/model/plugin.h"

namespace example {

void add_transfer(lvtext::Registries& registries) {
  lvtext::add_model<Transfer, TransferOptions>(
      registries, "transfer", "Small style transfer between two texts, judged by language models",
      {"Shen, Lei, Barzilay and Jaakkola 2017", "https://arxiv.org/abs/1705.09655"});
}

}  // namespace example
