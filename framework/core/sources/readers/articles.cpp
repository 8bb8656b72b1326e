#include <string>
#include <string_view>

#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/sources/record_reader.h"
#include "framework/core/text/lines.h"

namespace lvtext {
namespace {

/// Whether a line is "= Title =" and not "= = Section = =".
bool is_title(const std::string& line) {
  const std::string_view text = trim(line);
  return text.size() > 4 && text.starts_with("= ") && text.ends_with(" =") &&
         !text.starts_with("= =");
}

/// Divides running text into articles by their headings, as in WikiText.
class Articles {
 public:
  explicit Articles(const std::function<void(Record)>& each) : each_(each) {}

  void add(std::string line) {
    if (has_line_) add_line(is_blank(line));
    before_is_blank_ = !has_line_ || is_blank(line_);
    line_ = std::move(line);
    has_line_ = true;
  }
  void end() {
    if (!has_line_) return;
    add_line(true);
    each_({std::move(article_)});
  }

 private:
  /// Adds `line_`, which a blank line or the end of the file follows if `at_blank` is set.
  void add_line(bool at_blank) {
    if (at_blank && before_is_blank_ && is_title(line_)) {
      if (has_title_) {
        each_({std::move(article_)});
        article_.clear();
        is_empty_ = true;
      }
      has_title_ = true;
    }
    if (!is_empty_) article_ += '\n';
    article_ += line_;
    is_empty_ = false;
  }

  const std::function<void(Record)>& each_;
  std::string line_, article_;
  bool has_line_ = false, has_title_ = false, is_empty_ = true, before_is_blank_ = true;
};

/// Reads one record per article: its lines with their line ends, except the last one.
struct ArticlesReader : RecordReader {
  template <class V>
  void visit(V&) {}

  int64_t read(const std::filesystem::path& file, const std::vector<std::string>& fields,
               const std::function<void(Record)>& each) const override {
    if (fields.size() != 1) {
      throw ConfigError("'" + file.string() + "': the reader 'articles' reads one field, not " +
                        join(fields));
    }
    Articles articles(each);
    const LineCounts counts =
        for_each_line(file, [&](std::string& line) { articles.add(std::move(line)); });
    articles.end();
    return counts.lines;
  }
};

}  // namespace

void add_articles(Choices<RecordReader>& readers) {
  add_component<ArticlesReader>(
      readers, "articles",
      "articles of running text with all their lines; each begins with a heading '= Title =' "
      "between blank lines, as in WikiText; lines before the first heading belong to the first "
      "article");
}

}  // namespace lvtext
