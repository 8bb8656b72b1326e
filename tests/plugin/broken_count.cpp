// An evaluator with bugs, for tests of how lvtext reports them.
#include <csignal>
#include <stdexcept>

#include "evaluators/evaluator.h"
#include "framework/core/model/plugin.h"

namespace example {

using namespace lvtext;

struct BrokenCountOptions {
  bool crash = false;

  template <class V>
  void visit(V& v) {
    v.field("crash", crash, "crashes instead of throwing an exception");
  }
};

/// Never computes its score.
class BrokenCount : public Evaluator {
 public:
  static constexpr int kRevision = 1;
  explicit BrokenCount(const BrokenCountOptions& options) : options_(options) {}
  static std::vector<ScoreDecl> scores() { return {{"words", ""}}; }

  std::vector<InputDecl> inputs() const override {
    return {{.name = "text", .help = "any text", .by_default = reference("row.samples")}};
  }
  std::vector<Score> evaluate(const Inputs&) const override {
    if (options_.crash) std::raise(SIGSEGV);
    throw std::out_of_range("index 7 of 3");
  }

 private:
  BrokenCountOptions options_;
};

void add_broken_count(Registries& registries) {
  add_evaluator<BrokenCount, BrokenCountOptions>(registries, "broken_count", "Fails", {});
}

}  // namespace example
