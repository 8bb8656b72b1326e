// A reader in a plug-in: paragraphs.
#include "framework/core/base/strings.h"
#include "framework/core/model/plugin.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/text/lines.h"

namespace example {

using namespace lvtext;

/// A record for every paragraph, its lines joined by blanks; empty lines separate paragraphs.
struct ParagraphReader : RecordReader {
  std::vector<std::string> fields() const override { return {"text"}; }

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>&,
               const std::function<void(Record)>& each) const override {
    std::vector<std::string> paragraph;
    const auto end = [&] {
      if (!paragraph.empty()) each({join(paragraph, " ")});
      paragraph.clear();
    };
    const LineCounts counts = for_each_line(file, [&](std::string& line) {
      if (line.empty()) return end();
      paragraph.push_back(std::move(line));
    });
    end();
    return counts.lines;
  }

  template <class V>
  void visit(V&) {}
};

void add_paragraph_reader(Registries& registries) {
  add_component<ParagraphReader, RecordReader>(registries, "paragraphs", "a text per paragraph");
}

}  // namespace example
