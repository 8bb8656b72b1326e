#include "framework/core/decoding/best_first_search.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "framework/core/base/error.h"
#include "framework/core/base/signals.h"
#include "framework/core/decoding/output_map.h"
#include "framework/core/decoding/policy.h"
#include "framework/core/decoding/text_end.h"
#include "framework/core/decoding/top_ids.h"
#include "framework/core/model/batch.h"

namespace lvtext {
namespace {

struct SearchNode {
  TokenIds tokens = {};  // without start symbol and the id that ended it
  bool ended = false;
  double probabilities = 0;  // their sum
  double score = 0;
  int64_t age = 0;

  int64_t length() const { return std::ssize(tokens) + 1 + (ended ? 1 : 0); }
  bool operator<(const SearchNode& other) const {  // the queue returns the largest first
    return score != other.score ? score < other.score : age > other.age;
  }
};

// The search for one sentence.
class Frontier {
 public:
  Frontier() { queue_.emplace(); }

  // The nodes to expand in the next round; none if the search has ended.
  std::vector<SearchNode> next_round(const BestFirstOptions& options) {
    std::vector<SearchNode> round;
    while (round.empty() && finished_ < options.finished && !queue_.empty()) {
      const size_t requested = std::min(static_cast<size_t>(options.width), queue_.size());
      while (round.size() < requested && !queue_.empty()) {
        SearchNode node = queue_.top();
        queue_.pop();
        if (node.ended) {
          ++finished_;
          if (!best_ || node.score > best_->score) best_ = std::move(node);
        } else if (node.length() <= options.max_length) {
          round.push_back(std::move(node));
        }
      }
    }
    return round;
  }

  void add(const SearchNode& parent, int64_t id, bool ends, double probability) {
    SearchNode node = parent;
    node.ended = ends;
    if (!ends) node.tokens.push_back(static_cast<int32_t>(id));
    node.probabilities += probability;
    // As the authors' code; (n + 5) / 6 was meant.
    node.score = node.probabilities / (static_cast<double>(node.length()) + 5.0 / 6);
    node.age = ++added_;
    queue_.push(std::move(node));
  }

  const std::optional<SearchNode>& best() const { return best_; }

 private:
  std::priority_queue<SearchNode> queue_;
  std::optional<SearchNode> best_;
  int64_t finished_ = 0, added_ = 0;
};

// Nodes of some sentences, which are expanded together.
struct Round {
  std::vector<SearchNode> nodes;
  std::vector<int64_t> sentences;

  // The scores of each node's next token, [number of nodes, V].
  at::Tensor scores(NextTokenModel& model, const at::Tensor& z, int32_t symbol) const {
    std::vector<TokenIds> read;
    std::vector<int64_t> last;
    for (const SearchNode& node : nodes) {
      read.push_back(node.tokens);
      last.push_back(node.tokens.empty() ? symbol : node.tokens.back());
    }
    const at::Tensor rows = at::tensor(sentences, at::kLong).to(z.device());
    Start start{std::ssize(nodes), z.index_select(0, rows), {}};
    const auto has_tokens = [](const TokenIds& tokens) { return !tokens.empty(); };
    if (std::any_of(read.begin(), read.end(), has_tokens)) start.prompt = pad_sentences(read);
    const auto state = model.start(start);
    return model.step(*state, at::tensor(last, at::kLong).to(z.device()));
  }
};

}  // namespace

Decoded best_first_search(NextTokenModel& model, const at::Tensor& z,
                          const BestFirstOptions& options) {
  at::NoGradGuard no_grad;
  const std::optional<int32_t> symbol = model.start_symbol();
  const TextEnd end = end_of(model);
  if (!symbol || end.ids.empty()) {
    throw ConfigError("best-first search needs a model whose texts have a start symbol and an end");
  }
  const OutputMap map = model.output_map();
  std::vector<Frontier> frontiers(static_cast<size_t>(z.size(0)));
  std::vector<int64_t> open(frontiers.size());
  for (size_t i = 0; i < open.size(); ++i) open[i] = static_cast<int64_t>(i);
  const auto expand = [&](Round& round) {
    throw_if_stopped();
    const at::Tensor scores = round.scores(model, z, *symbol).to(at::kFloat);
    const int64_t k = std::min(options.width, scores.size(1) - std::ssize(end.excluded));
    const at::Tensor top = top_ids(scores, k, end.excluded);
    const at::Tensor ids = top.to(at::kCPU).contiguous();
    const at::Tensor p =
        log_probabilities(map, scores).gather(1, top).to(at::kCPU, at::kDouble).exp();
    for (size_t i = 0; i < round.nodes.size(); ++i) {
      const auto row = static_cast<int64_t>(i) * k;
      for (int64_t j = row; j < row + k; ++j) {
        const int64_t id = ids.const_data_ptr<int64_t>()[j];
        const double probability = p.const_data_ptr<double>()[j];
        if (std::isnan(probability)) throw nonfinite_scores();
        frontiers[static_cast<size_t>(round.sentences[i])].add(round.nodes[i], id, end.is(id),
                                                               probability);
      }
    }
    round = {};
  };
  while (!open.empty()) {
    std::vector<int64_t> still_open;
    Round round;
    for (const int64_t sentence : open) {
      std::vector<SearchNode> nodes = frontiers[static_cast<size_t>(sentence)].next_round(options);
      if (!nodes.empty()) still_open.push_back(sentence);
      for (SearchNode& node : nodes) {
        round.nodes.push_back(std::move(node));
        round.sentences.push_back(sentence);
      }
      if (std::ssize(round.nodes) >= options.batch) expand(round);
    }
    if (!round.nodes.empty()) expand(round);
    open = std::move(still_open);
  }
  Decoded result;
  for (const Frontier& frontier : frontiers) {
    result.sentences.push_back(frontier.best() ? frontier.best()->tokens : TokenIds());
    result.cut_off += frontier.best() ? 0 : 1;
  }
  return result;
}

}  // namespace lvtext
