#include "framework/pipeline/figures/figure_kind.h"

namespace lvtext {

Node row_reference(const Node& written) {
  const std::string& text = written.text();
  if (!written.is_scalar() || text.find_first_of(".[") != std::string::npos) return written;
  return written.with_text("row." + text, /*quoted=*/true);
}

std::vector<Node> listed(const Node& node) {
  if (node.is_null()) return {};
  return node.is_sequence() ? node.items() : std::vector<Node>{node};
}

}  // namespace lvtext
