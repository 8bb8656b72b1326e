#include "framework/pipeline/rating/rated_examples.h"

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/errors.h"
#include "framework/pipeline/rating/delimited.h"

namespace lvtext {

std::vector<RatedExample> read_examples(const std::filesystem::path& file, const SheetKind& kind) {
  const DelimitedTable table = read_delimited(file);
  const auto refuse = [&file](int64_t line, const std::string& what) {
    throw DataError("'" + file.string() + "', line " + format_count(line) + ": " + what);
  };
  const auto column = [&](const std::string& name) {
    const auto found = table.column(name);
    if (!found) refuse(table.header_line, "no column " + name);
    return found.value_or(0);
  };
  std::vector<size_t> texts, answers;
  for (const std::string& name : kind.columns()) texts.push_back(column(name));
  for (const Aspect& aspect : kind.aspects) answers.push_back(column(aspect.id));
  std::vector<RatedExample> examples;
  for (const DelimitedRow& row : table.rows) {
    RatedExample& example = examples.emplace_back();
    for (const size_t each : texts) example.texts.push_back(row.field(each));
    for (size_t i = 0; i < answers.size(); ++i) {
      const Aspect& aspect = kind.aspects[i];
      const std::string text = row.field(answers[i]);
      const auto answer = aspect.answer_of(text);
      if (!answer) {
        refuse(row.line, aspect.id + " is " + shown(text) + "; allowed are " + aspect.allowed());
      }
      example.answers.push_back(*answer);
    }
  }
  return examples;
}

}  // namespace lvtext
